"""What each command does; every function takes the parsed options and returns an exit code."""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ludwin.cli import crash
from ludwin.errors import BadParameter, LudwinError, RuleError
from ludwin.game import Game, State
from ludwin.games import homes
from ludwin.kernel import cache, specialise
from ludwin.library import agent, load, split, whereabouts
from ludwin.primitives import CHANCE
from ludwin.rules.folder import OURS
from ludwin.rules.source import Source, read
from ludwin.search import choice


def run(options: argparse.Namespace) -> int:
    """Run the command that the options name; mistakes become one line and exit code 2."""
    specialise.announce = say
    cache.announce = say
    choice.advise = _say_once
    crash.listen()
    _announced.clear()
    command: Callable[[argparse.Namespace], int] = globals().get(f"_{options.command}") or _of_domain(options.command)
    try:
        return command(options)
    except BrokenPipeError:
        raise
    except (LudwinError, ValueError, OSError) as error:
        say(str(error))
        return 2
    except RecursionError:
        say("the search is too deep for plain Python; use --mode fast")
        return 2


def _of_domain(name: str) -> Callable[[argparse.Namespace], int]:
    """Return what a command of a game's folder does."""
    from ludwin import games

    found: Callable[[argparse.Namespace], int] = getattr(
        games.open_part(games.commands()[name][0], "commands"), f"run_{name.replace('-', '_')}"
    )
    return found


def say(line: str) -> None:
    """Tell the person something on stderr, so that stdout holds results only."""
    print(f"ludwin: {line}", file=sys.stderr, flush=True)


_announced: set[str] = set()  # what this command has said, of files of rules and of settings


def _say_once(line: str) -> None:
    if line not in _announced:
        _announced.add(line)
        say(line)


def announce(path: str) -> None:
    """Say that a file of rules will run, once."""
    if path not in _announced:
        _announced.add(path)
        say(f"running {path}, which is Python code and has your rights")


def _print_json(data: dict[str, Any]) -> None:
    import json

    print(json.dumps(data, ensure_ascii=False))


def _table(title: str, columns: list[str], rows: list[list[str]], right: tuple[int, ...] = ()) -> None:
    """Print a table: framed and coloured in a terminal, aligned text elsewhere."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        table = Table(title=title, title_justify="left")
        for i, column in enumerate(columns):
            table.add_column(column, justify="right" if i in right else "left")
        for row in rows:
            table.add_row(*(cell.replace("[", "\\[") for cell in row))
        Console().print(table)
        return
    widths = [max(len(row[i]) for row in [columns, *rows]) for i in range(len(columns))]
    for row in [columns, *rows]:
        cells = (
            cell.rjust(w) if i in right else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join(cells).rstrip())


def load_announced(text: str) -> Game:
    """Load a game; a user's file is announced before it runs, and checked when it is new."""
    _announce_new(text)
    game = load(text)
    if not game.is_ours:
        from ludwin.laws import first_look

        began = time.process_time()
        if first_look(game):
            say(f"{game.name} keeps the laws of games ({time.process_time() - began:.1f} s, once)")
    return game


def _announce_new(text: str) -> None:
    """Say that a file, a folder or a package's game will run, before it does, unless it was checked here before or has
    just been announced.
    """
    path, name = whereabouts(split(text)[0])
    if name not in _announced and not path.is_relative_to(OURS):
        from ludwin.laws import is_known

        source = read(path)
        if not is_known(source):
            _announced.add(name)
            say(f"{name} is new: {_code_of(source)}, so it runs with your rights; checking it …")


def _code_of(source: Source) -> str:
    """Return what of a game is code; of a folder every file is named that may ever run."""
    if source.home is None:
        return "it is Python code"
    files = [found.path.name for found in source.whole() if found.path.is_relative_to(source.home)]
    return f"it is Python code ({', '.join(files)})"


def _state(game: Game, options: argparse.Namespace) -> State:
    return game.position(options.position) if options.position else game.start()


# games, agents


def _describe(game: Game) -> str:
    kinds = []
    if game.has_chance:
        kinds.append("chance")
    if game.has_secrets:
        kinds.append("hidden information")
    return ", ".join(kinds) or "perfect information"


def _brought(name: str) -> Game | None:
    """Load a game of another package; None, and a line that says why, if it cannot be had."""
    from ludwin.rules.brought import brought

    one = brought()[name]
    if name in homes():
        say(f"the package {one.package} brings a game called {name}, which is one of ours: ours is played")
        return None
    try:
        return load_announced(name)
    except LudwinError as error:
        say(f"{name}, which the package {one.package} brings, cannot be played: {str(error).splitlines()[0]}")
        return None


def _games(options: argparse.Namespace) -> int:
    from ludwin.rules.brought import brought

    found = [load(name) for name in homes()]
    found += [game for name in brought() if (game := _brought(name)) is not None]
    lines = {game.name: (game.module.__doc__ or "").strip().splitlines()[0].rstrip(".") for game in found}
    if options.json:
        rows = [
            {
                "game": g.name,
                "players": g.players,
                "about": lines[g.name],
                "kind": _describe(g),
                "parameters": g.source.parameters,
                "offers": sorted(g.offers),
            }
            for g in found
        ]
        _print_json({"games": rows})
        return 0
    table = []
    for g in found:
        parameters = " ".join(f"{k}={v}" for k, v in g.source.parameters.items())
        table.append([g.name, str(g.players), _describe(g), parameters, lines[g.name].partition(": ")[2]])
    _table("games", ["game", "players", "kind", "parameters", "about"], table, right=(1,))
    if not sys.stdout.isatty():
        return 0
    print("`ludwin new NAME` writes a game of your own; every command takes its file: ./NAME.py")
    return 0


def _agents(options: argparse.Namespace) -> int:
    from dataclasses import fields

    from ludwin.search import HOMES, agent_kind

    if options.agent:
        wanted = options.agent.partition(":")[0].lower().replace("_", "-")
        kind = agent_kind(wanted) if wanted in HOMES else type(agent(wanted))
        chosen = {kind.name: kind}
    else:
        chosen = {name: agent_kind(name) for name in HOMES}
    data: list[dict[str, Any]] = []
    for name, kind in sorted(chosen.items()):
        settings = [{"name": f.name, "default": f.default, "about": f.metadata["help"]} for f in fields(kind)]
        data.append({"agent": name, "about": " ".join((kind.__doc__ or "").split()), "parameters": settings})
    if options.json:
        _print_json({"agents": data})
    elif options.agent:
        print(f"{data[0]['agent']}: {data[0]['about']}")
        _table(
            "parameters",
            ["parameter", "default", "meaning"],
            [[p["name"], _told(p["default"]), p["about"]] for p in data[0]["parameters"]],
        )
    else:
        rows = [
            [d["agent"], " ".join(f"{p['name']}={_told(p['default'])}" for p in d["parameters"]), d["about"]]
            for d in data
        ]
        _table("agents", ["agent", "parameters", "about"], rows)
    return 0


def _told(default: Any) -> str:
    """Return a default as people read it; None depends on other settings, and the meaning says how."""
    return "by rule" if default is None else str(default)


# new, check, cache


def _new(options: argparse.Namespace) -> int:
    from ludwin.cli.template import write_folder, write_template

    path = write_folder(options.name) if options.folder else write_template(options.name)
    text = f"{path}/" if options.folder else f"{path}"
    if options.json:
        _print_json({"file": text})
    else:
        print(
            f"wrote {text}; next: `ludwin check ./{text}`, `ludwin play ./{text}`, `ludwin match ./{text} uct random`"
        )
    return 0


def _check(options: argparse.Namespace) -> int:
    from ludwin.laws import check

    try:
        game = load(options.game)
        report = check(game, options.playouts, options.seed, progress=say)
    except RuleError as error:
        if options.json:
            _print_json(
                {"game": options.game, "ok": False, "error": error.reason, "file": error.path, "line": error.line}
            )
        else:
            say(str(error))
        return 1
    if options.json:
        _print_json({"ok": True, **vars(report), "seed": options.seed})
        return 0
    print(f"{report.game} keeps the laws of games: {report.playouts} random games, {report.positions} positions")
    print(
        f"  longest game {report.longest} plies (MAX_PLIES {game.max_plies}), most moves {report.most_moves} "
        f"(MAX_MOVES {game.max_moves})"
    )
    print(f"  {' = '.join(report.modes)} on playouts and {report.searches} small searches")
    return 0


def _compile(options: argparse.Namespace) -> int:
    from ludwin.cli.code import compile_code

    return compile_code(options, load_announced(options.game), _print_json)


def _cache(options: argparse.Namespace) -> int:
    from ludwin.cli.cache import show_cache

    return show_cache(options, _print_json, _table)


# positions


def _moves(options: argparse.Namespace) -> int:
    game = load_announced(options.game)
    state = _state(game, options)
    legal = [(state.name(m), m) for m in state.moves()]
    if options.svg:
        from ludwin.cli.saving import save

        save(options.svg, state.picture())
    if options.json:
        data: dict[str, Any] = {"game": game.text, "position": state.write(), "mover": state.mover, "over": state.over}
        data["moves"] = [{"move": name, "code": m} for name, m in legal]
        if state.over:
            data["payoffs"] = list(state.payoffs())
        _print_json(data)
        return 0
    print(state.show())
    if not legal:
        print("the game is over; payoffs " + ", ".join(f"{p}: {v:g}" for p, v in enumerate(state.payoffs())))
        return 0
    who = "nature" if state.mover == CHANCE else f"player {state.mover}"
    print(f"{who} has {len(legal)} move{'s' if len(legal) > 1 else ''}: " + " ".join(name for name, _ in legal))
    return 0


def _perft(options: argparse.Namespace) -> int:
    from ludwin.search.perft import PERFT, divide, perft

    game = load_announced(options.game)
    state = _state(game, options)
    if options.depth:
        specialise.specialise(game, PERFT, options.mode)
    began = time.perf_counter()
    per_move = divide(game, options.depth, state, options.mode) if options.divide else {}
    leaves = sum(per_move.values()) if per_move else perft(game, options.depth, state, options.mode)
    seconds = time.perf_counter() - began
    if options.json:
        data: dict[str, Any] = {"game": game.text, "depth": options.depth, "leaves": leaves, "seconds": seconds}
        if options.divide:
            data["moves"] = [{"move": state.name(m), "code": m, "leaves": n} for m, n in per_move.items()]
        _print_json(data)
        return 0
    for m, n in per_move.items():
        print(f"{state.name(m)}: {n}")
    print(
        f"{game.text} depth {options.depth}: {leaves} leaves ({seconds:.3f} s, "
        f"{leaves / max(seconds, 1e-9) / 1e6:.1f} million/s)"
    )
    return 0


def _tree(options: argparse.Namespace) -> int:
    from ludwin.cli import tree

    game = load_announced(options.game)
    return tree.tree(options, game, _state(game, options), _print_json)


def _choose(options: argparse.Namespace) -> int:
    game = load_announced(options.game)
    player = agent(options.agent, game)
    state = _state(game, options)
    choice = player.choose(game, state, seed=options.seed, mode=options.mode)
    if options.json:
        _print_json(
            {
                "move": state.name(choice.move),
                "code": choice.move,
                "value": choice.value,
                "decided": choice.decided,
                "nodes": choice.nodes,
            }
        )
        return 0
    print(state.show())
    worth = f"{'decided, payoff' if choice.decided else 'value'} {choice.value:g} to player {state.mover}"
    print(f"{player} plays {state.name(choice.move)}: {worth}, {choice.nodes:,} nodes")
    return 0


# games between agents


def _match(options: argparse.Namespace) -> int:
    from ludwin.cli import arena

    return arena.match(options, load_announced, _print_json)


def _tournament(options: argparse.Namespace) -> int:
    from ludwin.cli import arena

    return arena.tournament(options, load_announced, _print_json)


def _replay(options: argparse.Namespace) -> int:
    from ludwin.cli import arena

    return arena.replay(options, load_announced, _print_json)


def _rate(options: argparse.Namespace) -> int:
    from ludwin.cli import arena

    return arena.rate(options, load_announced, _print_json)


def _play(options: argparse.Namespace) -> int:
    from ludwin.cli.play import play

    game = load_announced(options.game)
    agents = [None if text == "human" else agent(text, game) for text in options.agents]
    start = game.position(options.position) if options.position else None
    saved = Path(options.load) if options.load else None
    return play(game, agents, start=start, seed=options.seed, mode=options.mode, load=saved, as_json=options.json)


def _analyse(options: argparse.Namespace) -> int:
    from ludwin.cli.analyse import analyse

    game = load_announced(options.game)
    return analyse(game, _state(game, options), options)


def _evolve(options: argparse.Namespace) -> int:
    from ludwin.cli.evolve import evolve

    return evolve(options, load_announced, _print_json)


def _runs(options: argparse.Namespace) -> int:
    from ludwin.cli.evolve import runs

    return runs(options, _print_json)


def _show(options: argparse.Namespace) -> int:
    from ludwin.cli.evolve import show

    return show(options, load_announced, _print_json)


def _reproduce(options: argparse.Namespace) -> int:
    from ludwin.cli.lab import reproduce

    return reproduce(options, say)


def _study(options: argparse.Namespace) -> int:
    from ludwin.cli.lab import study

    return study(options, say)


def _discover(options: argparse.Namespace) -> int:
    from ludwin.discover.cli import discover

    return discover(options)


def _derivation(options: argparse.Namespace) -> int:
    from ludwin.discover.cli import derivation

    return derivation(options)


def _bench(options: argparse.Namespace) -> int:
    from ludwin.bench import bench

    if options.beside is not None:
        from ludwin.bench.beside import compare

        if options.names:
            raise BadParameter("--beside has its own workloads: name no benchmark")
        return compare(options.beside, options.rounds, options.json, say)
    return bench(options.names, rounds=options.rounds, as_json=options.json, news=say)
