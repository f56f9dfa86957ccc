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
    ("ludwin replay game.pdn --html game.html", "a page that steps through the game, in one file"),
    ("ludwin replay battles.jsonl --game 0 --html battle.html", "a run of a world that ticks, played on a page"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take a file of records, and which game to show."""
    parser.add_argument(
        "file", metavar="FILE", help="games: records of a match or tournament, a game that was kept, PDN or PGN"
    )
    parser.add_argument("--game", type=take.count, metavar="N", help="show game N board by board (the first is 0)")
    parser.add_argument("--plies", type=take.count, metavar="K", help="only the first K plies of it")
    parser.add_argument(
        "--svg", metavar="FILE", help="draw the boards of the game: FILE-000.svg, FILE-001.svg, … (of one ply: FILE)"
    )
    parser.add_argument("--html", metavar="FILE", help="write a page that steps through the game, all in one file")
    parser.add_argument(
        "--every", type=take.positive, default=25, metavar="K", help="of a world that ticks, draw every K-th tick (25)"
    )
    parser.add_argument("--ply", type=take.count, metavar="K", help="draw only the board after K plies")
    take.trust(parser)


def run(options: argparse.Namespace) -> int:
    """Show a recorded game, or play all of them again and examine them."""
    from ludwin.arena.reading import examined
    from ludwin.arena.replay import open_event
    from ludwin.cli.common import load, print_json
    from ludwin.cli.permission import permit
    from ludwin.errors import BadParameter
    from ludwin.paths import typed

    event = open_event(typed(options.file), load, permit(options))
    if options.svg or options.html:
        return _draw(options, event)
    if options.ply is not None:
        raise BadParameter("--ply goes with --svg FILE")
    if options.game is not None:
        return _show(options, event)
    if options.plies is not None:
        raise BadParameter("--plies goes with --game N")
    found = examined(event)
    if options.json:
        print_json(found.to_dict())
    else:
        print(found)
    return 0 if found.ok else 1


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
        print(f"\n{_worth(record)}")
    return 0


def _draw(options: argparse.Namespace, event: "Event") -> int:
    """Draw a game: a picture for each ply, or a page that steps through it."""
    from itertools import islice

    from ludwin.arena.pages import game_page, pictures, write_pictures
    from ludwin.arena.replay import examine, named, states
    from ludwin.cli.common import print_json, say
    from ludwin.cli.saving import demand_file, save
    from ludwin.errors import BadParameter

    number = options.game or 0
    found = next(islice(event.games, number, None), None)
    if found is None:
        raise BadParameter(f"{event.path} has no game {number}; the first is game 0")
    examine(event, *found)
    record = found[1]
    if event.game.is_world:
        return _draw_run(options, event, record)
    last = len(record.moves) if options.plies is None else min(options.plies, len(record.moves))
    if options.ply is not None and options.ply > len(record.moves):
        raise BadParameter(f"the game has {len(record.moves)} plies, got --ply {options.ply}")
    shown = list(islice(states(event.game, record), last + 1))
    boards = pictures(shown, record.moves)
    seats = [event.agents[k] for k in record.seats]
    files: list[str] = []
    if options.svg:
        path = demand_file(options.svg, ".svg")
        chosen = boards if options.ply is None else pictures(list(states(event.game, record)), record.moves)
        files += map(str, write_pictures(path, chosen if options.ply is None else [chosen[options.ply]]))
    if options.html:
        texts = named(record, event.game)[len(record.opening) :][:last]
        about = [", ".join(f"player {p} is {name}" for p, name in enumerate(seats)), _worth(record)]
        save(options.html, game_page(f"game {record.game} of {event.game.text}", about, boards, texts))
        files.append(options.html)
    if options.json:
        print_json({"file": str(event.path), "game": event.game.text, "number": record.game, "files": files})
    else:
        say(f"wrote {files[0]}" + (f" … {files[-1]}" if len(files) > 1 else ""))
    return 0


def _draw_run(options: argparse.Namespace, event: "Event", record: "Record") -> int:
    """Draw a run of a world that ticks: pictures of some of its states, or a page that plays it (`film`)."""
    from ludwin.arena.pages import game_page, write_pictures
    from ludwin.arena.world_replay import run_again
    from ludwin.cli.common import print_json, say
    from ludwin.cli.saving import demand_file, save
    from ludwin.errors import BadParameter

    game, course = event.game, record.course
    assert course is not None
    frames: list[State] = []
    run_again(game, event.agents, event.seed, record, event.path, lambda tick, state: frames.append(state))
    if options.plies is not None:
        frames = frames[: options.plies + 1]
    if options.ply is not None and options.ply >= len(frames):
        raise BadParameter(f"the run has {len(frames) - 1} ticks, got --ply {options.ply}")
    seats = [event.agents[k] for k in record.seats]
    few = frames[:: options.every] if options.ply is None else [frames[options.ply]]
    files: list[str] = []
    if options.svg:
        files += map(str, write_pictures(demand_file(options.svg, ".svg"), [state.picture() for state in few]))
    if options.html:
        film = getattr(game.part("drawing"), "film", None)
        if film is None:
            about = [", ".join(f"player {p} is {name}" for p, name in enumerate(seats)), _worth(record)]
            words = [f"tick {options.every * k}" for k in range(1, len(few))]
            page = game_page(f"run {record.game} of {game.text}", about, [s.picture() for s in few], words)
        else:
            page = film(frames, seats)
        save(options.html, page)
        files.append(options.html)
    if options.json:
        print_json({"file": str(event.path), "game": game.text, "number": record.game, "files": files})
    else:
        say(f"wrote {files[0]}" + (f" … {files[-1]}" if len(files) > 1 else ""))
    return 0


def _worth(record: "Record") -> str:
    payoffs = ", ".join(f"{p}: {v:g}" for p, v in enumerate(record.payoffs))
    return "the game is unfinished" if record.end == "unfinished" else f"{_ending(record)}; payoffs {payoffs}"


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
