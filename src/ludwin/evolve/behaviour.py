"""Players that are alike: recognised by what their programs say of some positions, before a game is played.

Why it is here.  Of forty mutants of a good program seven play as it does: an intron has changed, or a sum has another
order.  Games of the same player on the same seeds are the same games, so they need not be played twice.  Programs whose
values are equal, to the last bit, on a fixed set of positions from random games are taken for the same player, and one
plays for all of them.  Two that differ on rarer positions only may be confused; more positions make that rarer, and
`alike=0` compares nobody.
"""

import random
from collections.abc import Callable
from typing import Any

from ludwin.game import Game, State
from ludwin.kernel.memory import write
from ludwin.kernel.specialise import specialise
from ludwin.kernel.tactics import plain_facts
from ludwin.primitives import CHANCE
from ludwin.program.interpret import reads_facts
from ludwin.program.language import Language
from ludwin.program.tree import Tree
from ludwin.program.values import LONGEST, MANY, answers, fill, judging_from
from ludwin.settings import Setting

ALIKE = Setting(
    "alike",
    0,
    "positions by whose values players are recognised as the same, so that one plays for all of them; 0: nobody is "
    "compared",
    least=0,
    most=10_000,
    once=0,
)
MOST_GAMES = 2000


def some_positions(game: Game, count: int, seed: int = 1, *, chances: bool = False) -> list[State]:
    """Return different positions of random games in which somebody can move, the same for everybody who asks; with
    `chances` also those in which chance does.
    """
    chance, found = random.Random(seed), dict[State, None]()
    for _ in range(MOST_GAMES):
        state = game.start()
        for _ in range(game.max_plies):
            moves = state.moves()
            if not moves or len(found) >= count:
                break
            if (chances or state.mover != CHANCE) and chance.random() < 0.3:
                found[state] = None
            state = state.play(chance.choice(moves))
        if len(found) >= count:
            break
    return list(found)


class Behaviour:
    """What programs say of some positions: `behaviour(genome)` is equal for genomes that are taken for the same.

    Positions are seen as the search asks about them: by the player to move in alpha-beta, and with `everyone` by each
    player, whoever moves, chance included, as in the other searches, which judge what lies behind a player's move.
    """

    def __init__(self, game: Game, count: int, program: Callable[[Any], Tree], *, everyone: bool = False):
        self.game, self.program = game, program
        found = some_positions(game, count, chances=everyone)
        self.seen = [(one, seat) for one in found for seat in (range(game.players) if everyone else (one.mover,))]
        self.works: dict[Language, Any] = {}
        self.known: dict[Any, Any] = {}

    def __call__(self, genome: Any) -> Any:
        """Return the values of a genome's program; a genome that has been asked about is remembered."""
        if genome not in self.known:
            if len(self.known) > 20_000:
                self.known.clear()
            self.known[genome] = self._values(self.program(genome))
        return self.known[genome]

    def _values(self, tree: Tree) -> Any:
        if tree.language not in self.works:
            self.works[tree.language] = self._work(tree.language)
        run, code, registers, out, given = self.works[tree.language]
        fill(code, registers, self.game, tree)
        run(*given[:3], code, registers, out, len(self.seen), given[3])
        return tuple(float(value).hex() for value in out)  # nan is equal to itself as a text

    def _work(self, language: Language) -> Any:
        """Return the compiled kernel of a language with its arrays: of a program, of its answers, of the positions."""
        count = len(self.seen)
        run = specialise(self.game, judging_from(language, answers(self.game)), "fast")
        stack, seats, mobility, facts = run.states(count), run.ints(count), run.ints(count), run.floats(count * MANY)
        for number, (state, seat) in enumerate(self.seen):
            run.put(stack, number, state)
            seats[number], mobility[number] = seat, len(state.moves())
        if reads_facts(language):
            write(facts, [x for state, seat in self.seen for x in plain_facts(state, seat).values()])
        given = stack, seats, mobility, facts
        return run, run.ints(LONGEST), run.floats(LONGEST + MANY), run.floats(count), given
