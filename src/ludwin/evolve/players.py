"""Which search plays for an evolved program, in any game.

Why it is here.  An evaluation needs a search that is right for the game, and one that sees no more than a player may:

- two players, a constant sum, no chance: alpha-beta, as in the book;
- the same with chance: expectimax, of one decision by default, so that the program judges *after-states*, positions
  where the player has moved and nature has not;
- more than two players, or payoffs whose sum varies: max^n, where the program is asked for every player;
- where something is hidden, whoever plays: perfect-information Monte Carlo (`pimc`).  The program judges positions
  behind the player's moves in worlds that fit what the player has seen (`observe`), and the mean decides; it is
  never shown the true one;
- one player: a solver whose estimate the program is, if the game says when it is solved, else expectimax for the
  payoff (`alone.py`).

The scale.  Outside alpha-beta a value is a payoff, and an opinion of 50 would outweigh a won game.  So the program's
number x becomes middle + half * x / (1 + |x|), strictly between the least and the greatest payoff.  That primitive is
put above the program when it plays; it takes no part in evolution.
"""

from functools import lru_cache

from ludwin.errors import BadParameter, CannotPlay
from ludwin.game import Game
from ludwin.primitives import CHANCE
from ludwin.program.language import Language, Primitive
from ludwin.program.stream import Stream
from ludwin.program.tree import Tree, join
from ludwin.search.brain import Thinker
from ludwin.search.expectimax import Expectimax
from ludwin.search.maxn import MaxN
from ludwin.search.pimc import PIMC
from ludwin.search.programs import Programs

ALPHABETA, EXPECTIMAX, MAXN, GUESSING = "alphabeta", "expectimax", "maxn", "pimc"
SEES = {
    ALPHABETA: "alpha-beta",
    EXPECTIMAX: "expectimax on after-states",
    MAXN: "max^n, each for itself",
    GUESSING: "worlds that are guessed (pimc)",
}
WORLDS = 8  # guesses of a move, where a setting does not say otherwise
TRIALS = 30  # random games that show the range of the payoffs
FAR = 1e300  # bounds that clip nothing


def searcher(game: Game) -> str:
    """Return which search plays for programs in this game. Raises CannotPlay if none does.

    >>> from ludwin.library import load
    >>> [searcher(load(name)) for name in ("reversi", "pig", "li-nim")]
    ['alphabeta', 'expectimax', 'maxn']
    >>> searcher(load("kuhn-poker")), searcher(load("tiles"))
    ('pimc', 'expectimax')
    """
    if game.is_world:
        raise CannotPlay(f"evolution of evaluations is for games with moves, and {game.name} ticks; evolve its drivers")
    if game.has_secrets:
        return GUESSING
    if game.players == 1:
        return EXPECTIMAX
    if game.players > 2 or game.payoff_sum is None:
        return MAXN
    return EXPECTIMAX if game.has_chance else ALPHABETA


@lru_cache(maxsize=64)
def payoff_range(game: Game) -> tuple[float, float]:
    """Return the least and the greatest payoff of some random games, the same for everybody who asks.

    >>> from ludwin.library import load
    >>> payoff_range(load("pig"))
    (-1.0, 1.0)
    """
    found = [0.0] if game.payoff_sum is None else [game.payoff_sum / game.players]
    for number in range(TRIALS):
        state, stream = game.start(), Stream(number)
        for _ in range(game.max_plies):
            moves = state.moves()
            if not moves:
                found += map(float, state.payoffs())
                break
            chances = [state.chance(move) for move in moves] if state.mover == CHANCE else None
            state = state.play(moves[drawn(chances, stream) if chances else stream.below(len(moves))])
    low, high = min(found), max(found)
    return (low, high) if low < high else (low - 1.0, low + 1.0)


def drawn(chances: list[float], stream: Stream) -> int:
    """Return the number of one of nature's moves, by their chances."""
    at = stream.uniform(0.0, 1.0)
    for number, chance in enumerate(chances):
        at -= chance
        if at < 0.0:
            return number
    return len(chances) - 1


@lru_cache(maxsize=64)
def _with_payoffs(language: Language, low: float, high: float) -> tuple[Language, str]:
    """Return the language with one primitive more, behind all others, and the name of that."""
    name = "AsPayoff"
    while any(one.name == name for one in language.primitives):
        name += "_"
    middle, half = (low + high) / 2.0, (high - low) / 2.0
    rule = f"{middle!r} + {half!r} * (a / (1.0 + abs(a)))"
    top = Primitive(name, language.root, (language.root,), rule, help="a number as a payoff")
    sets = dict(language.sets)
    return Language(language.name, language.types, (*language.primitives, top), language.root, sets), name


def as_payoff(tree: Tree, low: float, high: float) -> Tree:
    """Return a program whose values lie between two payoffs, in the same order."""
    if not low < high:
        raise BadParameter(f"low must be below high, got {low:g} and {high:g}")
    wider, name = _with_payoffs(tree.language, low, high)
    return join(wider, name, Tree(wider, tree.nodes, tree.values, tree.places, tree.factors))


def open_player(tree: Tree, game: Game, depth: int, low: float, high: float, worlds: int = WORLDS) -> Thinker:
    """Return the player that a program makes in a game that alpha-beta does not play."""
    brain = Programs((as_payoff(tree, low, high),))
    if searcher(game) == GUESSING:
        return PIMC(depth=depth, low=-FAR, high=FAR, worlds=worlds, brain=brain)
    if searcher(game) == MAXN:
        return MaxN(depth=depth, brain=brain)
    return Expectimax(depth=depth, low=-FAR, high=FAR, brain=brain)
