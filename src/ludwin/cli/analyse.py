"""The command `analyse`: watch a search think about a position, or have a whole game judged move by move.

Why it is here.  A move without reasons teaches nothing.  Deepening searches are shown depth by depth, Monte Carlo
searches at doubling budgets, each with value, nodes and line; the last one in full, with several best lines if wished.
Of a file of games every position is searched once, and what each move has cost is told.  What all this means is said
in `ludwin.arena.analysis`.
"""

import argparse
from typing import TYPE_CHECKING

from ludwin.cli import options as take

if TYPE_CHECKING:
    from ludwin.arena.analysis import GameAnalysis, PositionAnalysis, Searching
    from ludwin.game import State
    from ludwin.search.choice import Agent, Choice

CLOSES = True
EXAMPLES = (
    ("ludwin analyse tic-tac-toe alphabeta:depth=9 --lines 3", "depth by depth, then the three best lines"),
    ("ludwin analyse connect-four uct:playouts=10000", "at doubling budgets, then the visits of every move"),
    ('ludwin analyse draughts alphabeta:depth=12 --moves "11-15 22-18"', "the position that moves lead to"),
    ("ludwin analyse connect-four alphabeta:depth=1 --endless", "deeper and deeper, until Ctrl-C"),
    ("ludwin analyse game.pdn alphabeta:depth=8 --html game.html", "a whole game: values, mistakes, a curve"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take a game or a file of games, a position and an agent."""
    parser.add_argument(
        "game", metavar="GAME|FILE", help="a game, e.g. draughts:size=10, or a file of games: records, kept, PDN, PGN"
    )
    take.begin(parser)
    parser.add_argument("agent", nargs="?", metavar="AGENT", help=f"{take.AGENT} (default: hard)")
    parser.add_argument(
        "--lines", type=take.positive, default=1, metavar="K", help="show so many best lines (default: 1)"
    )
    parser.add_argument("--endless", action="store_true", help="search deeper and deeper, until Ctrl-C")
    parser.add_argument("--game", dest="number", type=take.count, metavar="N", help="of a file: game N (default: 0)")
    parser.add_argument(
        "--mistake",
        type=float,
        metavar="PART",
        help="of a file: a mistake costs this part of all values (default: 0.2)",
    )
    parser.add_argument("--svg", metavar="FILE", help="of a file: draw the curve of values there")
    parser.add_argument("--html", metavar="FILE", help="of a file: write the game with its values as a page there")
    take.seed(parser)
    take.mode(parser)
    take.trust(parser)


def offers() -> dict[str, list[str]]:
    """Return the words that a shell may complete."""
    from ludwin.games import homes

    return {"game": list(homes())}


def run(options: argparse.Namespace) -> int:
    """Print how a search comes to its move, or what it thinks of a game."""
    from ludwin.cli.common import load, position, print_json
    from ludwin.errors import BadParameter
    from ludwin.library import agent

    if is_file_of_games(options.game):
        return _whole_game(options)
    for name in ("number", "mistake", "svg", "html"):
        if getattr(options, name) is not None:
            word = "game" if name == "number" else name
            raise BadParameter(f"--{word} is for a file of games, and {options.game} is a game")
    game = load(options.game)
    if game.is_world:
        raise game.has_no_moves()
    state = position(game, options)
    player = agent(options.agent or "hard", game)
    player.suits(game)
    from ludwin.arena.analysis import Searching

    search = Searching(game, player, options.seed, options.mode)
    found, code = _stages(search, state, options)
    if options.json:
        print_json(found.to_dict())
    else:
        _print(found)
    return code


def is_file_of_games(text: str) -> bool:
    """Tell whether a text names a file of games rather than a game."""
    from ludwin.library import is_path
    from ludwin.paths import is_file, typed

    path = typed(text)
    suffix = path.suffix.lower()
    if suffix in (".json", ".jsonl", ".pdn", ".pgn"):
        return True
    return is_file(path) and suffix != ".py" and not (is_path(text) and ":" in text)


def _stages(search: "Searching", state: "State", options: argparse.Namespace) -> "tuple[PositionAnalysis, int]":
    """Search at growing budgets, tell each, and return the last whole analysis with the exit code."""
    from dataclasses import replace

    from ludwin.arena.analysis import stages, think
    from ludwin.cli.interrupts import INTERRUPTED
    from ludwin.library import is_ours
    from ludwin.primitives import CHANCE

    if not options.json:
        print(state.show())
    if state.mover == CHANCE and not state.over:
        return think(search, state), 0
    if not options.json:
        print(f"{'budget':<18} {'value':>10} {'nodes':>12}  line")
    last: tuple[Agent, Choice] | None = None
    try:
        for stage in stages(search.agent, endless=options.endless):
            if is_ours(stage):
                choice = _thought(search, state, stage)
            else:  # another program hears Ctrl-C itself, and ends with the thread that started it
                choice = search.choose(state, stage)
            last = stage, choice
            if not options.json:
                _print_stage(state, stage, choice)
            if choice.decided and options.endless and choice.depth:
                break  # deeper does not change what is decided
    except KeyboardInterrupt:
        if last is None or not options.endless:
            raise
        print()
        stage, choice = last
        return think(replace(search, agent=stage), state, 1, choice), INTERRUPTED
    assert last is not None
    return think(replace(search, agent=last[0]), state, options.lines, last[1]), 0


def _thought(search: "Searching", state: "State", stage: "Agent") -> "Choice":
    """Return the choice of one budget; Ctrl-C stops the search, or kills it where it cannot be stopped."""
    thinking = stage.think(search.game, state, search.seed, mode=search.mode)
    try:
        return thinking.result()
    except KeyboardInterrupt:
        thinking.stop()
        raise


def _print_stage(state: "State", stage: "Agent", choice: "Choice") -> None:
    from ludwin.arena.analysis import line_text

    what = "games" if "games" in choice.kinds else "playouts"
    budget = f"depth {choice.depth}" if choice.depth else f"{choice.kinds.get(what, 0):,} {what}"
    sure = "=" if choice.decided else " "
    print(f"{budget:<18} {sure}{choice.value:9.4f} {choice.nodes:12,}  {line_text(state, choice.line)}", flush=True)


def _print(found: "PositionAnalysis") -> None:
    from ludwin.arena.analysis import by_worth, line_text

    state, choice = found.state, found.choice
    if choice is None:
        unit = "" if found.unit == "decided" else f" {found.unit}"
        print(f"nature moves here: {found.value:.4f}{unit} to player 0, as {found.agent} sees what may follow")
        for may in found.outcomes[:36]:
            print(f"  {state.name(may.move):<12} {may.chance:7.1%} {worth(may.value, may.unit)}")
        if len(found.outcomes) > 36:
            print(f"  … {len(found.outcomes) - 36} more")
        first = state.name(found.outcomes[0].move)
        print(f'to look behind one of them, add it to the moves: --moves "… {first}"')
        return
    counts = ", ".join(f"{count:,} {kind}" for kind, count in choice.kinds.items())
    print(f"{found.agent} plays {state.name(choice.move)}" + (f" ({counts})" if counts else ""))
    print(f"  {worth(found.value, found.unit)} to player {state.mover}")
    for number, one in enumerate(found.lines if len(found.lines) > 1 else (), 1):
        visits = f" {one.visits:>9,} visits" if one.visits is not None else ""
        print(f"  {number}. {worth(one.value, one.unit)}{visits}  {line_text(state, one.line)}")
    if len(found.lines) > 1:
        return
    for move in by_worth(choice)[:12]:
        visits = f"{choice.visits[move]:>9,} visits" if move in choice.visits else ""
        margin = f" ±{choice.margins[move]:.4f}" if move in choice.margins else ""
        print(f"  {state.name(move):<12} {choice.values.get(move, 0.0):8.4f}{margin} {visits}")


def worth(value: float, unit: str) -> str:
    """Return a value with what it is counted in."""
    return f"decided: payoff {value:g}" if unit == "decided" else f"{unit} {value:+.4f}"


def _whole_game(options: argparse.Namespace) -> int:
    """Judge every move of a game in a file."""
    from ludwin.arena.analysis import MISTAKE, Searching, analyse_game
    from ludwin.arena.pages import analysis_page, curve_svg
    from ludwin.arena.reading import game_of
    from ludwin.arena.replay import open_event
    from ludwin.cli.common import load, print_json
    from ludwin.cli.permission import permit
    from ludwin.cli.saving import save
    from ludwin.cli.terminal import Terminal
    from ludwin.errors import BadParameter
    from ludwin.library import agent
    from ludwin.paths import typed
    from ludwin.svg import dressed

    if options.endless or options.position or options.moves or options.lines > 1:
        raise BadParameter("--endless, --lines, --from and --moves are for one position, not for a file of games")
    part = MISTAKE if options.mistake is None else options.mistake
    if not 0 < part <= 1:
        raise BadParameter(f"--mistake is a part of all values, above 0 and at most 1, got {part:g}")
    event = open_event(typed(options.game), load, permit(options))
    if event.game.is_world:
        raise event.game.has_no_moves()
    player = agent(options.agent or "hard", event.game)
    states, codes, names = game_of(event, options.number or 0)
    search = Searching(event.game, player, options.seed, options.mode)
    with Terminal() as progress:
        found = analyse_game(search, states, codes, names, mistake=part, progress=progress)
    if options.svg:
        save(options.svg, dressed(curve_svg(found)))
    if options.html:
        save(options.html, analysis_page(found, codes))
    if options.json:
        print_json(found.to_dict())
    else:
        _print_game(found)
    return 0


def _print_game(found: "GameAnalysis") -> None:
    import shutil

    from ludwin.arena.analysis import curve_text

    print(f"{found.game.text}: {' against '.join(found.names)}, analysed by {found.agent}")
    print(curve_text(found, max(min(shutil.get_terminal_size().columns, 110) - 12, 20)))
    beyond = "; what is decided stands beyond all points" if {"points", "decided"} <= set(found.units) else ""
    kind = "points" if "points" in found.units else "payoff"
    print(f"values are {kind} to player 0, {found.names[0]}{beyond}")
    for fault in found.faults:
        cost = f", {fault.cost:.3g} given away" if fault.cost else ""
        who = found.names[fault.player]
        print(f"  {fault.ply + 1}. {fault.move} by {who}: {fault.verdict}{cost}; {fault.best} was best")
    if not found.faults:
        print("  no mistakes were found")
