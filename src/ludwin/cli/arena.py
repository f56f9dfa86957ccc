"""The commands of the arena: match, tournament, replay, rate.

Why it is here.  They share their options, their progress on stderr and their tables, and are the only
commands that take hours: so they record, resume, and say how to go on when they are interrupted.
"""

import argparse
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from ludwin import trust
from ludwin.arena import portable
from ludwin.arena.records import Record, read_header
from ludwin.arena.replay import Event, examine, first_state, named, open_event, states
from ludwin.arena.standing import Standing
from ludwin.arena.terms import Adjudication, Clock, Terms, parse_sprt
from ludwin.arena.tournament import Outcome, play_event, settle_openings
from ludwin.cli.commands import say
from ludwin.cli.permission import permit
from ludwin.cli.report import (
    draw_standing,
    match_json,
    print_match,
    print_standing,
    standing_json,
    unique,
    warn_of_repeats,
)
from ludwin.errors import BadParameter, LudwinError
from ludwin.game import Game
from ludwin.library import agent, is_users
from ludwin.primitives import CHANCE
from ludwin.search.choice import Agent

Load = Callable[[str], Game]
NEWS_SECONDS = 10.0  # between lines of progress where there is no terminal


def match(options: argparse.Namespace, load: Load, print_json: Callable[[dict[str, Any]], None]) -> int:
    """Play two agents against each other."""
    game, agents, terms = _settle(options, load)
    if game.players != 2 or len(agents) != 2:
        raise BadParameter(
            f"a match is between two agents at a game of two; got {len(agents)} and {game.name} with {game.players} "
            f"(`ludwin tournament` takes more)"
        )
    outcome = _play(options, game, agents, terms)
    warn_of_repeats(outcome.standing, terms, say)
    if options.json:
        print_json(match_json(outcome))
    else:
        print_match(outcome)
    return 0


def tournament(options: argparse.Namespace, load: Load, print_json: Callable[[dict[str, Any]], None]) -> int:
    """Play an event of many agents."""
    game, agents, terms = _settle(options, load)
    outcome = _play(options, game, agents, terms)
    warn_of_repeats(outcome.standing, terms, say)
    if options.json:
        about = {
            "game": outcome.game,
            "agents": list(outcome.agents),
            "seed": terms.seed,
            "format": terms.event,
            "timed": outcome.timed,
        }
        print_json({**about, **standing_json(outcome.standing, outcome)})
        return 0
    print(f"{outcome.game}: {terms.event} of {len(agents)} agents, {outcome.standing.games} games, seed {terms.seed}")
    print_standing(outcome.standing, outcome)
    return 0


def _settle(options: argparse.Namespace, load: Load) -> tuple[Game, list[Agent], Terms]:
    """Return game, agents and terms: those of the file on a resume, where the line does not say otherwise."""
    header: dict[str, Any] = {}
    if options.resume:
        header = read_header(_jsonl(Path(options.resume)))
    terms = Terms.from_json(header) if header else Terms()
    given: dict[str, Any] = {
        name: getattr(options, name)
        for name in ("games", "seed", "rounds", "repetition", "patience")
        if getattr(options, name) is not None
    }
    readers = {"openings": settle_openings, "sprt": parse_sprt, "clock": Clock.parse, "adjudicate": Adjudication.parse}
    given |= {
        name: reader(getattr(options, name)) for name, reader in readers.items() if getattr(options, name) is not None
    }
    if options.format is not None:
        given["event"] = options.format
    if not options.game and not header:
        raise BadParameter("name a GAME and the AGENTs, or an event to go on with: --resume FILE")
    if options.game:
        game = load(options.game)
    else:
        game = trust.load(trust.described(header, Path(options.resume)), permit(options), load)
    named = [trust.agent(text, Path(options.resume)) for text in header.get("agents", [])] if not options.agents else []
    return game, named or [agent(text, game) for text in options.agents], replace(terms, **given)


def _jsonl(path: Path) -> Path:
    """Return where the records of an event lie whose games are wanted in a notation of other programs."""
    return path.with_suffix(".jsonl") if portable.format_of(path) else path


def _play(options: argparse.Namespace, game: Game, agents: Sequence[Agent], terms: Terms) -> Outcome:
    """Play the event with progress on stderr."""
    wanted = options.resume or options.out
    path = Path(wanted) if wanted else None
    shared = portable.format_of(path) if path else None
    if shared and path:
        portable.demand_format(path, game)
    files = {"resume" if options.resume else "out": _jsonl(path)} if path else {}
    news = News(options.command)
    try:
        outcome = play_event(game, agents, terms, workers=options.workers, mode=options.mode, progress=news, **files)
    except KeyboardInterrupt:
        news.clear()
        rules = f"{shlex.quote(game.text)} " if is_users(game) else ""  # a file of records does not run rules
        how = (
            f"go on with: ludwin {options.command} {rules}--resume {path}"
            if path
            else "it had no --out FILE to go on with"
        )
        print(f"ludwin: interrupted after {news.games} of {news.total or '?'} games; {how}", file=sys.stderr)
        raise SystemExit(130) from None
    finally:
        news.clear()
    if shared and path:
        event = open_event(_jsonl(path), lambda text: game)  # one that is registered
        portable.write_portable(path, game, event.agents, (record for _, record in event.games))
        print(f"ludwin: {path} holds the games in {shared.called}, {_jsonl(path)} the records", file=sys.stderr)
    return outcome


class News:
    """Progress on stderr: a live line in a terminal, else a line every 10 seconds."""

    def __init__(self, command: str):
        self.live = sys.stderr.isatty()
        self.is_match = command == "match"
        self.began: tuple[float, int] | None = None
        self.last = time.monotonic()
        self.games = self.total = 0

    def __call__(self, standing: Standing, total: int) -> None:
        """Tell how far the event is."""
        now = time.monotonic()
        self.games, self.total = standing.games, total
        if self.began is None:
            self.began = now, standing.games
        if not self.live and now - self.last < NEWS_SECONDS:
            return
        self.last = now
        line = f"{standing.games}/{total} games"
        if self.is_match:
            wins, draws, losses = standing.results(0)
            line += f"  +{wins} ={draws} -{losses}"
        done = standing.games - self.began[1]
        if done:
            line += f"  {_duration((now - self.began[0]) / done * (total - standing.games))} left"
        print(
            f"\r{line:<70}" if self.live else f"ludwin: {line}",
            end="" if self.live else "\n",
            file=sys.stderr,
            flush=True,
        )

    def clear(self) -> None:
        """Remove the live line."""
        if self.live:
            print("\r" + " " * 70 + "\r", end="", file=sys.stderr, flush=True)


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


# replay


def replay(options: argparse.Namespace, load: Load, print_json: Callable[[dict[str, Any]], None]) -> int:
    """Show a recorded game, or play all of them again and examine them."""
    event = open_event(options.file, load, permit(options))
    if options.game is not None:
        return _show(options, event, print_json)
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


def _show(options: argparse.Namespace, event: Event, print_json: Callable[[dict[str, Any]], None]) -> int:
    """Show one game board by board, after examining it."""
    found = next(islice(event.games, options.game, None), None)
    if found is None:
        raise BadParameter(f"{event.path} has no game {options.game}; the first is game 0")
    line, record = found
    examine(event, line, record)
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


def _ending(record: Record) -> str:
    return (
        f"player {record.by} forfeits: {record.reason}"
        if record.end == "forfeit"
        else f"the game ended by {record.end}"
    )


# rate


def rate(options: argparse.Namespace, load: Load, print_json: Callable[[dict[str, Any]], None]) -> int:
    """Rate the agents of record files from all their games together."""
    events = [open_event(file, load, permit(options)) for file in options.files]
    games = list(dict.fromkeys(event.game.text for event in events))
    if len(games) > 1:
        raise BadParameter(f"ratings of different games cannot be compared: {', '.join(games)}")
    names = [unique(event.agents) for event in events]
    standing = Standing(list(dict.fromkeys(name for of_file in names for name in of_file)))
    for event, own in zip(events, names, strict=True):
        numbers = [standing.agents.index(name) for name in own]
        for _, found in event.games:
            record = replace(found, seats=tuple(numbers[k] for k in found.seats))
            standing.note(record.seats, record.payoffs, record.end, record.by, record.mark)
        for tally in standing.tallies.values():
            tally.open = None  # the second game of the last pair is missing
    warn_of_repeats(standing, None, say)
    if options.plot or options.matrix:
        draw_standing(standing, options.plot, options.matrix)
    if options.json:
        print_json({"game": games[0], "files": list(options.files), **standing_json(standing)})
    else:
        print(f"{games[0]}: {standing.games} games of {len(standing.agents)} agents")
        print_standing(standing)
    return 0
