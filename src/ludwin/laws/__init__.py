"""The laws of games, and the court that tries a game by them: `check`.

Why it is here.  Compiled code is fast because it trusts the rules.  `check` is where that trust is
earned: it plays random games on a suspicious copy of the rules in plain Python, where every index,
store and overflow is examined, asks at each position whether the contract is kept, and then plays
the same games and small searches in all modes and compares them.  Every fault is one line with the
author's file and line.

The laws of a position are in `court`, those of keys in `keys`, those of texts in `texts`; here is the
order of the trial, and the comparison of the modes.

What it cannot see: a fault in a position that no random game reaches, an evaluation that is legal
but foolish, a bound MAX_MOVES or MAX_PLIES that only rare games break.
"""

import io
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ludwin.errors import CannotPlay, CheckFailed, RuleError, brief
from ludwin.game import Game, State
from ludwin.kernel import cache
from ludwin.kernel.memory import write
from ludwin.kernel.specialise import Specialised, specialise
from ludwin.laws.court import ENOUGH, Court
from ludwin.laws.keys import law_of_keys
from ludwin.laws.texts import TextCourt
from ludwin.primitives import stream
from ludwin.rules.layout import flatten
from ludwin.rules.plain import frozen
from ludwin.rules.reach import names_of
from ludwin.rules.source import Source, execute, no_answers
from ludwin.rules.watch import LOADING, watched
from ludwin.search.alphabeta import AlphaBeta
from ludwin.search.choice import Agent
from ludwin.search.minimax import Minimax
from ludwin.search.perft import perft
from ludwin.search.trace import COLUMNS, TICKS, trace_kernel, trail_of
from ludwin.search.uct import UCT
from ludwin.settings import within
from ludwin.words import MODES

Progress = Callable[[str], None]
Constants = dict[tuple[Path, str], Any]  # by file and name
Trace = tuple[int, list[int], list[int]]  # plies, what was said, moves
SMALL = 20_000  # leaves: how far a small perft may go in plain Python
LARGE = 8_192  # cells: states so large are compared less often
SMALLER = 1_000  # and a search with a table, which must agree with minimax


@dataclass(frozen=True)
class Report:
    """What a check has tried; it is only returned when nothing was wrong."""

    game: str
    playouts: int
    positions: int
    longest: int
    most_moves: int
    modes: tuple[str, ...]
    searches: int


def check(
    game: Game, playouts: int = 200, seed: int = 0, *, searches: bool = True, progress: Progress = lambda line: None
) -> Report:
    """Try a game by the laws of games; raises RuleError or CheckFailed at the first fault.

    `playouts` random games are played in plain Python with every law examined, a quarter of them
    again in all modes. `searches=False` leaves out the comparison of searches, which takes longest.
    """
    within("playouts", playouts, least=1)
    files = [source.path for source in game.source.whole()]
    with _quietly():
        with watched(files, str, LOADING):
            constants = _same_again(game)
        with watched(files, lambda s: State(game, flatten(game.fields, s)).fields_text()):
            report = _check(game, playouts, seed, searches, progress, constants)
    _remember(game)
    return report


@contextmanager
def _quietly() -> Iterator[None]:
    """Leave out what the rules print, and their breakpoints, while they are tried; who asks for input gets none."""
    hook = sys.breakpointhook
    sys.breakpointhook = lambda *args, **kws: None
    try:
        with redirect_stdout(_Nowhere()), no_answers():
            yield
    finally:
        sys.breakpointhook = hook


class _Nowhere(io.StringIO):
    """A text stream that keeps nothing: a rule may print for ever."""

    def write(self, text: str, /) -> int:
        return len(text)


def _check_world(game: Game, playouts: int, seed: int, progress: Progress, constants: Constants) -> Report:
    """Try a world that ticks."""
    from ludwin.laws import world

    court = world.WorldCourt(game, seed)
    progress("laws in plain Python")
    played = 0
    while played < playouts and (played < 3 or court.ticks < world.ENOUGH):
        court.try_run(played)
        played += 1
    court.texts()
    _unchanged(game, constants)
    progress(" = ".join(MODES))
    world.compare_modes(game, seed, max(3, min(played // 8, 12)), min(game.max_plies, 4 * court.longest + 64, 1000))
    return Report(game.text, played, court.ticks, court.longest, 0, MODES, 0)


def _check(game: Game, playouts: int, seed: int, searches: bool, progress: Progress, constants: Constants) -> Report:
    if game.is_world:
        return _check_world(game, playouts, seed, progress, constants)
    court = Court(game, seed)
    texts = TextCourt(game)
    progress("laws in plain Python")
    played = 0
    while played < playouts and (played < 3 or court.work < ENOUGH):
        court.try_playout(played, texts if played < max(3, playouts // 10) else None)
        played += 1
    law_of_keys(court)
    _unchanged(game, constants)
    modes = _ModeTrials(game, seed, court)
    modes.compare_traces(max(3, played // 4 // (1 + game.fields.cells // LARGE)), progress)
    done = 0
    if searches:
        progress("small searches in all modes")
        done = modes.compare_searches()
    return Report(game.text, played, court.positions, court.longest, court.most, MODES, done)


def _same_again(game: Game) -> Constants:
    """Return the constants that rules use; raises RuleError if a file that is read again has others, by chance or a
    clock.
    """
    constants = _constants(game)
    for (path, name), value in _constants(game, execute(game.source, game.values)).items():
        if repr(value) != repr(constants.get((path, name))):
            raise RuleError(
                f"{name} is another when the file is read again: rules must not depend on chance or a clock",
                path,
                game._line(name),
            )
    return constants


def _constants(game: Game, modules: Mapping[Path, ModuleType] | None = None) -> Constants:
    """Return all constants that rules use, as they are now, or as they are in freshly read files."""
    used = {name.rpartition(".")[2] for _, function in game.reached.values() for name in names_of(function)}
    spaces = [(path, vars(module)) for path, module in (modules or game.modules).items()]
    return {
        (path, name): frozen(value)
        for path, space in spaces
        for name, value in space.items()
        if name in used and (isinstance(value, int | float | list | tuple) or hasattr(value, "dtype"))
    }


def _unchanged(game: Game, before: Constants) -> None:
    """Raise RuleError if a function for people has changed a constant that rules use: compiled code would not see
    it.
    """
    for (path, name), value in _constants(game).items():
        if value is not before[path, name] and repr(value) != repr(before[path, name]):
            line = game._line(name) if path == game.source.path else 1
            raise RuleError(
                f"{name} is a constant that rules use, and it has changed during play: everything that changes is a "
                f"field of the state",
                path,
                line,
            )


def first_look(game: Game, progress: Progress = lambda line: None) -> bool:
    """Check a game that is not ours when its fingerprint is seen for the first time; tell whether it was.

    The searches are left out: they would compile every agent before any is used.
    """
    if game.is_ours:
        return False
    if _mark(game).exists():
        if not is_known(game.source):  # checked by a version that remembered fingerprints only
            _remember(game)
        return False
    check(game, playouts=60, searches=False, progress=progress)
    return True


def _mark(game: Game) -> Path:
    """Return the file whose existence says that this fingerprint has passed a check."""
    return cache.folder() / "ludwin_seen" / game.fingerprint


def is_known(source: Source) -> bool:
    """Tell whether a file with these texts has passed a check here, with whatever parameters; nothing of it runs."""
    return (cache.folder() / "ludwin_seen" / source.texts_hash).exists()


def _remember(game: Game) -> None:
    _mark(game).parent.mkdir(mode=0o700, exist_ok=True)
    cache.write_once(_mark(game), game.text + "\n")
    cache.write_once(_mark(game).with_name(game.source.texts_hash), game.text + "\n")


class _ModeTrials:
    """Plays the same games and small searches in all modes, and compares them."""

    def __init__(self, game: Game, seed: int, court: Court):
        self.game = game
        self.seed = seed
        self.court = court

    def compare_traces(self, playouts: int, progress: Progress) -> None:
        """Play the same random games in plain and in the other modes, and compare every answer."""
        game = self.game
        kernel = trace_kernel(game.offers, len(game.queries))
        plies = min(game.max_plies, 4 * self.court.longest + 64) + 1
        plain = self.traces(specialise(game, kernel, "plain"), playouts, plies)
        for mode in MODES[1:]:
            progress(f"plain = {mode}")
            run = specialise(game, kernel, mode)
            for one, two in zip(plain, self.traces(run, playouts, plies), strict=True):
                if one != two:
                    raise self.difference(mode, [one, two], len(COLUMNS))
            if "tick" in game.offers:
                self.compare_ticks(mode)

    def traces(self, run: Specialised, playouts: int, plies: int) -> list[Trace]:
        """Return random games as they are played by one mode; what is left in the list of moves differs from mode to
        mode.
        """
        start = self.game.start()
        w = run.bundle(trail=plies, played=plies)
        if run.compiled:
            write(w.bufs[0], [1] * self.game.max_moves)
        found = []
        for index in range(playouts):
            run.put(w.states, 0, start)
            w.rng[0] = stream(self.seed, index, 1)
            length = int(run(w, plies))
            found.append((length, trail_of(w, min(length + 1, plies)), [int(m) for m in w.played[:length]]))
        return found

    def difference(self, mode: str, results: list[Trace], width: int) -> CheckFailed:
        (_, one, played), (_, two, _) = results
        at = next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)) - 1)
        ply, column = divmod(at, width)
        state = self.game.start()
        for move in played[:ply]:
            state = state._play(move)
        names = {"the state": "play"}
        function = names.get(COLUMNS[column], COLUMNS[column].partition(",")[0])
        place, line = self.game.place(function)
        what = f"after play({played[ply - 1]})" if column == 0 and ply else "here"
        return CheckFailed(
            f"{COLUMNS[column]} is not the same in plain and {mode} {what}, ply {ply} of a random game, position "
            f"{brief(state.write())}",
            place,
            line,
        )

    def compare_ticks(self, mode: str) -> None:
        game = self.game
        trails = []
        for m in ("guarded", "plain", mode):
            run = specialise(game, TICKS, m)
            states, rng, trail = run.states(1), run.ints(1), run.ints(game.max_plies)
            run.put(states, 0, game.start())
            rng[0] = stream(self.seed, 2)
            steps = int(run(states, run.moves(1), rng, run.ints(game.players), trail, game.max_plies))
            trails.append([int(v) for v in trail[:steps]])
        if trails[1] != trails[2]:
            step = next((i for i, (a, b) in enumerate(zip(*trails[1:], strict=False)) if a != b), min(map(len, trails)))
            raise CheckFailed(f"tick is not the same in plain and {mode} at step {step}", *game.place("tick"))

    def compare_searches(self) -> int:
        """Compare small searches in all modes on a few positions."""
        done = 0
        depth = self.small_depth(4, SMALL)
        for state in self.court.spots:
            counts = [perft(self.game, depth, state, mode) for mode in MODES]
            self.same("perft", counts, state)
            done += 1
            agents: list[Agent] = [AlphaBeta(depth=2), UCT(playouts=40)]
            for agent in agents:
                if self.suits(agent):
                    self.same(
                        str(agent), [agent.choose(self.game, state, seed=self.seed, mode=mode) for mode in MODES], state
                    )
                    done += 1
        return done + self.compare_table()

    def small_depth(self, most: int, leaves: int) -> int:
        """Return how deep plain Python may count positions; found in plain Python, which can be stopped."""
        level = [self.game.start()]
        depth = 1
        while depth < most:
            count = 0
            children = []
            for state in level:
                children += [state._play(move) for move in state.moves()]
            for state in children:
                count += len(state.moves())
                if count > leaves:
                    return depth
            level = children
            depth += 1
        return depth

    def suits(self, agent: Agent) -> bool:
        try:
            agent.suits(self.game)
        except CannotPlay:
            return False
        return True

    def compare_table(self) -> int:
        """Compare a search that remembers positions by their keys with one that remembers nothing, near the ends of
        games.
        """
        if "key" not in self.game.offers or not self.suits(Minimax(depth=1)):
            return 0
        done = 0
        for number, game in enumerate(self.court.games):
            late = [State(self.game, cells) for cells, _ in game[-8:]]
            found = [
                (state, depth)
                for state in late
                if state.mover >= 0 and (depth := _depth(len(state.moves()), SMALLER)) > 1
            ]
            if not found:
                continue
            state, depth = found[number % len(found)]
            plain = Minimax(depth=depth).choose(self.game, state, mode="plain")
            table = AlphaBeta(depth=depth, table=12).choose(self.game, state, mode="plain")
            done += 1
            if (plain.value, plain.decided) != (table.value, table.decided) and not self.counted_out(state, depth):
                said = (
                    f"minimax says {plain.value:g}, alpha-beta with a table of keys {table.value:g}, at depth {depth}"
                )
                raise CheckFailed(
                    f"{said}, position {brief(state.write())}: does key leave out what matters?",
                    *self.game.place("key"),
                )
        return done

    def counted_out(self, state: State, depth: int) -> bool:
        """Tell whether a game may end in a draw by a counter within this search: such a counter may be missing in the
        key.
        """
        level = [state]
        for _ in range(depth + 1):
            if any(s.over and len(set(s.payoffs())) == 1 for s in level):
                return True
            level = [s._play(move) for s in level for move in s.moves()]
        return False

    def same(self, what: str, answers: list[Any], state: State) -> None:
        for mode, answer in zip(MODES, answers, strict=True):
            if answer != answers[0]:
                raise CheckFailed(
                    f"{what} is not the same in plain ({answers[0]}) and {mode} ({answer}), position "
                    f"{brief(state.write())}",
                    self.game.source.path,
                    1,
                )


def _depth(moves: int, leaves: int) -> int:
    """Return how deep a search of so many moves a position may go for so many leaves, at most 5."""
    depth = 1
    while depth < 5 and max(moves, 2) ** (depth + 1) <= leaves:
        depth += 1
    return depth
