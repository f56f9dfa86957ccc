"""What searches thought while they played: where their visits went, and which formulas they evolved.

Why it is here.  Records of games hold moves and nothing else.  But a decision depends on its position and its random
stream alone, so a game can be played once more, move by move, with a session that shows its tree after every choice.
It goes the same way as in compiled code; where there is a record, that is checked.

An agent's games are one file in the folder of the experiment, written anew after each of them: a stopped run goes on
with the next.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from typing import Any

from ludwin.arena.records import Record
from ludwin.errors import LudwinError
from ludwin.files import write_whole
from ludwin.formats import Format, List, Shape, Table, Whole
from ludwin.game import Game
from ludwin.lab.experiment import TableRun
from ludwin.lab.sources import decisions
from ludwin.library import agent
from ludwin.play.referee import Referee
from ludwin.primitives import CHANCE, stream
from ludwin.search.montecarlo.evolving.agents import EvolvingSession
from ludwin.search.montecarlo.family import Family
from ludwin.search.montecarlo.formula import Formula
from ludwin.search.montecarlo.session import SearchSession
from ludwin.shipping import pack_game, unpack_game
from ludwin.spread import Errand, elsewhere, in_order
from ludwin.workers import Threads

THOUGHTS = Format(
    "ludwin-thoughts",
    1,
    Table(
        {
            **{key: Shape() for key in ("game", "rules", "agent", "seed", "games")},
            "played": List(Table({"moves": List(Whole()), "thoughts": List(List(Shape(), 3, 3))})),
        }
    ),
    "games",
)


@dataclass(frozen=True)
class Thought:
    """One decision: visits of its most visited move, all playouts, and the formula that played on ("" if none
    evolved).
    """

    visits: int
    playouts: int
    formula: str = ""

    @property
    def share(self) -> float:
        """The share of the playouts that began with the most visited move."""
        return self.visits / self.playouts


@dataclass(frozen=True)
class WatchedGame:
    """A game to look at: its seed, and the seat of the agent; random play has all others."""

    seed: int
    seat: int = 0


@dataclass(frozen=True)
class Seen:
    """A game that was looked at: all its moves, and what the agent thought at each of its turns."""

    moves: tuple[int, ...]
    thoughts: tuple[Thought, ...]


def watch_game(session: SearchSession, place: WatchedGame) -> Seen:
    """Play one game as the referee does, and look at the session after every choice."""
    referee, others = Referee(session.game, place.seed), agent("random")
    thoughts = []
    while not referee.end:
        state = referee.state
        if state.mover == CHANCE:
            move = referee.draw()
        elif state.mover != place.seat:
            move = referee.ask(others, "plain").move
        else:
            choice = session.choose(state, stream(place.seed, state.mover, len(referee.played)))
            move = choice.move
            thoughts.append(Thought(max(choice.visits.values()), choice.kinds["playouts"], _final_formula(session)))
        referee.play(move)
    return Seen(tuple(referee.played), tuple(thoughts))


def _final_formula(session: SearchSession) -> str:
    if not isinstance(session, EvolvingSession):
        return ""
    evolution = session.evolution()
    return str(evolution.formula) if evolution.individuals else ""


def watch(
    run: TableRun, label: str, game: Game, made: Family, places: Sequence[WatchedGame], mode: str = "fast"
) -> list[Seen]:
    """Play an agent's games and look at them, or go on with what is on file; the number of workers changes nothing."""
    path = decisions.path_of(run, label)
    head = {
        "game": game.text,
        "rules": game.fingerprint[:16],
        "agent": str(made),
        "seed": run.seed,
        "games": len(places),
    }
    same = {key: value for key, value in head.items() if key != "rules"}  # our game is known by its name
    done = decisions.read(path, THOUGHTS, same, _games) if path and path.exists() else []
    if len(done) < len(places):
        run.demand_mine()
    if len(done) < len(places):
        run.news(f"{label}: {len(places)} games, looked at move by move")
    for seen in _play(game, made, places[len(done) :], run.workers, mode):
        done.append(seen)
        if path:
            path.parent.mkdir(exist_ok=True)
            write_whole(path, _text(head, done))
    return done


def on_file(run: TableRun, label: str) -> bool:
    """Return whether games of this label have been looked at."""
    path = decisions.path_of(run, label)
    return bool(path and path.exists())


def watch_again(
    run: TableRun, label: str, game: Game, made: Family, records: Sequence[Record], mode: str = "fast"
) -> list[Seen]:
    """Play an agent's solo games of an event once more. Raises LudwinError if one goes another way than its record."""
    found = watch(run, label, game, made, [WatchedGame(stream(run.seed, record.pair)) for record in records], mode)
    for seen, record in zip(found, records, strict=True):
        if seen.moves != record.moves:
            raise LudwinError(
                f"{label}: game {record.game} goes another way when it is played again: its record is of another "
                f"version"
            )
    return found


def _play(game: Game, made: Family, places: Sequence[WatchedGame], workers: int, mode: str) -> Iterator[Seen]:
    """Yield the games in order, played in threads: compiled searches run side by side."""
    if not places:
        return
    spread = elsewhere(workers)
    if spread:
        common = {"game": pack_game(game), "agent": str(made), "mode": mode}
        for moves, thoughts in in_order(spread, WATCHING, common, [[place.seed, place.seat] for place in places]):
            yield Seen(tuple(moves), tuple(_thought(*cells) for cells in thoughts))
        return
    made.session(game, mode)  # compiled once, before threads ask for it
    yield from Threads(watch_game, min(workers, len(places)), lambda: made.session(game, mode)).map(places)


def _opened(common: Any) -> SearchSession:
    """Return the search of an agent on another machine."""
    made = agent(common["agent"])
    assert isinstance(made, Family)
    return made.session(unpack_game(common["game"]), common["mode"])


def _watch_there(session: SearchSession, parts: list[Any]) -> list[Any]:
    """Play games there, and look at them."""
    found = (watch_game(session, WatchedGame(int(seed), int(seat))) for seed, seat in parts)
    return [[list(seen.moves), [list(astuple(thought)) for thought in seen.thoughts]] for seen in found]


WATCHING = Errand("ludwin.games.carcassonne.tables.thoughts:WATCHING", _opened, _watch_there)


# ---- Files --------------------------------------------------------------------------------------------------


def _text(head: dict[str, Any], games: Sequence[Seen]) -> str:
    """Return a file's text: a line for each game."""
    lines = ",\n".join(
        json.dumps({"moves": game.moves, "thoughts": [astuple(thought) for thought in game.thoughts]}) for game in games
    )
    return f'{{{json.dumps({**THOUGHTS.head, **head})[1:-1]},\n"played": [\n{lines}\n]}}\n'


def _games(data: dict[str, Any]) -> list[Seen]:
    """Return what a file says, as far as there are games. Raises ValueError and the like."""
    games = [
        Seen(tuple(map(_whole, row["moves"])), tuple(_thought(*cells) for cells in row["thoughts"]))
        for row in data["played"]
    ]
    if len(games) > data["games"]:
        raise ValueError("there are more games than there should be")
    return games


def _thought(visits: object, playouts: object, formula: object) -> Thought:
    """Return what a file says of one decision. Raises ValueError."""
    found = Thought(_whole(visits), _whole(playouts), str(formula))
    if not 0 <= found.visits <= found.playouts or not found.playouts:
        raise ValueError(f"{found.visits} visits of {found.playouts} playouts")
    if found.formula:
        Formula.parse(found.formula)
    return found


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{value!r} is no whole number")
    return value
