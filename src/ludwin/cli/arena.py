"""How an event is begun, resumed and played: what `match` and `tournament` do alike.

Why it is here.  Events take hours, so they record, resume, and say how to go on when they are interrupted.
"""

import argparse
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ludwin import trust
from ludwin.arena import portable
from ludwin.arena.records import read_header
from ludwin.arena.replay import open_event
from ludwin.arena.results import Outcome
from ludwin.arena.terms import Adjudication, Clock, Terms, parse_sprt
from ludwin.arena.tournament import play_event, settle_openings
from ludwin.cli.common import load
from ludwin.cli.crew import crew
from ludwin.cli.permission import permit
from ludwin.cli.terminal import Terminal
from ludwin.errors import BadParameter
from ludwin.game import Game
from ludwin.library import agent, is_users
from ludwin.search.choice import Agent


def settle(options: argparse.Namespace) -> tuple[Game, list[Agent], Terms]:
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
    if options.agents:
        return game, [agent(text, game) for text in options.agents], replace(terms, **given)
    names = header.get("agents", [])
    texts = header.get("code") or [None] * len(names)
    if len(texts) != len(names):
        raise BadParameter(f"{options.resume}: {len(names)} agents, but {len(texts)} hashes of their files")
    origin, allowed = Path(options.resume), permit(options)
    named = [trust.agent(name, origin, allowed, text) for name, text in zip(names, texts, strict=True)]
    return game, named, replace(terms, **given)


def _jsonl(path: Path) -> Path:
    """Return where the records of an event lie whose games are wanted as PDN."""
    return path.with_suffix(".jsonl") if portable.format_of(path) else path


def play(options: argparse.Namespace, game: Game, agents: Sequence[Agent], terms: Terms) -> Outcome:
    """Play the event with progress on stderr."""
    wanted = options.resume or options.out
    path = Path(wanted) if wanted else None
    shared = portable.format_of(path) if path else None
    if shared and path:
        portable.demand_format(path, game)
    files = {"resume" if options.resume else "out": _jsonl(path)} if path else {}
    news = Terminal()
    try:
        with crew(options) as workers, news:
            outcome = play_event(game, agents, terms, workers=workers, mode=options.mode, progress=news, **files)
    except KeyboardInterrupt:
        # A file of records runs neither rules nor agents of other people's.
        words = [game.text] if is_users(game) else []
        if not all(map(trust.is_inert, agents)):
            words = [game.text, *map(str, agents)]
        rules = f"{shlex.join(words)} " if words else ""
        how = (
            f"go on with: ludwin {options.command} {rules}--resume {path}"
            if path
            else "it had no --out FILE to go on with"
        )
        print(f"ludwin: interrupted after {news.count} of {news.whole or '?'} games; {how}", file=sys.stderr)
        raise SystemExit(130) from None
    if shared and path:
        event = open_event(_jsonl(path), lambda text: game)  # one that is registered
        portable.write_portable(path, game, event.agents, (record for _, record in event.games))
        print(f"ludwin: {path} holds the games in {shared.called}, {_jsonl(path)} the records", file=sys.stderr)
    return outcome
