"""The command `replay`: recorded games, board by board, or all of them examined."""

import argparse
from typing import TYPE_CHECKING

from ludwin.cli import options as take

if TYPE_CHECKING:
    from ludwin.arena.records import Record
    from ludwin.arena.replay import Event
    from ludwin.game import State

EXAMPLES = (
    ("ludwin replay games.jsonl", "play all of them again and compare what is recorded"),
    ("ludwin replay games.jsonl --game 0 --plies 10", "ten plies of the first game, board by board"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take a file of records, and which game to show."""
    parser.add_argument(
        "file", metavar="FILE", help="records of a match or tournament: JSON Lines, or PDN for draughts"
    )
    parser.add_argument("--game", type=take.count, metavar="N", help="show game N board by board (the first is 0)")
    parser.add_argument("--plies", type=take.count, metavar="K", help="only the first K plies of it")
    take.trust(parser)


def run(options: argparse.Namespace) -> int:
    """Show a recorded game, or play all of them again and examine them."""
    from ludwin.arena.replay import examine, open_event
    from ludwin.cli.common import load, print_json
    from ludwin.cli.permission import permit
    from ludwin.errors import BadParameter, LudwinError

    event = open_event(options.file, load, permit(options))
    if options.game is not None:
        return _show(options, event)
    if options.plies is not None:
        raise BadParameter("--plies goes with --game N")
    faults, count = [], 0
    for line, record in event.games:
        count += 1
        try:
            examine(event, line, record)
        except LudwinError as error:
            faults.append({"game": record.game, "line": line, "error": str(error)})
    if options.json:
        print_json(
            {
                "file": str(event.path),
                "game": event.game.text,
                "agents": list(event.agents),
                "games": count,
                "ok": not faults,
                "faults": faults,
            }
        )
    else:
        for fault in faults:
            print(fault["error"])
        print(
            f"{count} games of {event.game.text}: "
            + (f"{len(faults)} do not replay" if faults else "all replay to their payoffs")
        )
    return 1 if faults else 0


def _show(options: argparse.Namespace, event: "Event") -> int:
    """Show one game board by board, after examining it."""
    from itertools import islice

    from ludwin.arena.replay import examine, first_state, named, states
    from ludwin.cli.common import print_json
    from ludwin.errors import BadParameter
    from ludwin.primitives import CHANCE

    found = next(islice(event.games, options.game, None), None)
    if found is None:
        raise BadParameter(f"{event.path} has no game {options.game}; the first is game 0")
    line, record = found
    examine(event, line, record)
    if event.game.is_world:
        return _show_run(options, event, record)
    seats = [event.agents[k] for k in record.seats]
    names = named(record, event.game)
    if options.json:
        about = {
            "game": event.game.text,
            "number": record.game,
            "agents": seats,
            "position": first_state(event.game, record).write(),
        }
        codes = [*record.opening, *record.moves]
        moves = [{"move": name, "code": code} for name, code in zip(names, codes, strict=True)]
        print_json(
            {
                **about,
                "opening": len(record.opening),
                "moves": moves,
                "payoffs": list(record.payoffs),
                "end": record.end,
                "reason": record.reason,
            }
        )
        return 0
    print(
        f"game {record.game} of {event.game.text}: "
        + ", ".join(f"player {p} is {name}" for p, name in enumerate(seats))
    )
    if record.opening:
        print("opening: " + " ".join(names[: len(record.opening)]))
    last = len(record.moves) if options.plies is None else min(options.plies, len(record.moves))
    before = None
    for ply, state in enumerate(islice(states(event.game, record), last + 1)):
        if before is not None:
            who = "nature" if before.mover == CHANCE else f"player {before.mover}"
            print(f"\n{ply}. {who}: {names[len(record.opening) + ply - 1]}")
        print(state.show())
        before = state
    if last == len(record.moves):
        print(f"\n{_ending(record)}; payoffs " + ", ".join(f"{p}: {v:g}" for p, v in enumerate(record.payoffs)))
    return 0


def _show_run(options: argparse.Namespace, event: "Event", record: "Record") -> int:
    """Show a run of a world that ticks, state by state."""
    from ludwin.arena.world_replay import run_again
    from ludwin.cli.common import print_json

    seats, course = [event.agents[k] for k in record.seats], record.course
    assert course is not None
    last = course.ticks if options.plies is None else min(options.plies, course.ticks)
    frames: list[State] = []
    run_again(event.game, event.agents, event.seed, record, event.path, lambda tick, state: frames.append(state))
    if options.json:
        about = {"game": event.game.text, "number": record.game, "agents": seats, "ticks": course.ticks}
        lost = [vars(loss) for loss in course.lost]
        states = [state.write() for state in frames[: last + 1]]
        print_json({**about, "payoffs": list(record.payoffs), "end": record.end, "lost": lost, "states": states})
        return 0
    who = ", ".join(f"player {p} is {name}" for p, name in enumerate(seats))
    print(f"run {record.game} of {event.game.text}: {who}")
    for tick, state in enumerate(frames[: last + 1]):
        for loss in course.lost:
            if loss.tick == tick:
                print(f"{tick:5}  player {loss.player} loses its control: {loss.reason}")
        first, *more = state.show().splitlines() or [""]
        print("\n".join([f"{tick:5}  {first}", *(f"       {line}" for line in more)]))
    if last == course.ticks:
        payoffs = ", ".join(f"{p}: {v:g}" for p, v in enumerate(record.payoffs))
        print(f"the run ended by {record.end}; payoffs {payoffs}")
    return 0


def _ending(record: "Record") -> str:
    return (
        f"player {record.by} forfeits: {record.reason}"
        if record.end == "forfeit"
        else f"the game ended by {record.end}"
    )
