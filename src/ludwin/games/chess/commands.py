"""The command `endgame`: what becomes of an ending, from its table."""

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ludwin.game import Game
    from ludwin.games.chess.opponents.endgames import EndgameTable

COMMANDS = {"endgame": "build and ask endgame tables of chess"}
EXAMPLES = {
    "endgame": (
        ("ludwin endgame KQKR --build", "build a table, and what it needs"),
        ("ludwin endgame KQK --stats", "how many positions are won, and in how many moves"),
    )
}


def add_endgame(parser: argparse.ArgumentParser) -> None:
    """Take an ending, and what to do with its table."""
    parser.add_argument("ending", metavar="MATERIAL", help="an ending of three or four men such as KQKR, or all")
    parser.add_argument(
        "--build", action="store_true", help="build the table now, if it is not there (else: when it is asked)"
    )
    parser.add_argument("--probe", metavar="FEN", help="tell what becomes of a position, and the best line")
    parser.add_argument("--stats", action="store_true", help="count results, and list the mates and the longest wins")


def run_endgame(options: argparse.Namespace) -> int:
    """Build, ask or describe a table."""
    from ludwin.cli.common import print_json
    from ludwin.cli.terminal import Terminal
    from ludwin.errors import BadParameter
    from ludwin.games.chess.opponents.endgames import file_of, read_table, table
    from ludwin.games.chess.opponents.material import all_endings, ending
    from ludwin.library import load

    game = load("chess")
    wanted = all_endings() if options.ending.lower() == "all" else (ending(options.ending),)
    if options.probe is not None:
        if options.build or options.stats:
            raise BadParameter("--probe asks about one position: give it alone")
        if len(wanted) > 1:
            raise BadParameter("--probe is for one ending: name it instead of all")
        return _probe(options, game, wanted[0].name)
    rows: list[dict[str, Any]] = []
    with Terminal() as progress:
        progress.total(len(wanted), unit="tables")
        for number, one in enumerate(wanted, 1):
            kept = read_table(one) is not None
            row: dict[str, Any] = {"ending": one.name, "built": kept}
            if options.build or options.stats:
                row = {"ending": one.name, "built": True, **_about(table(one.name, game), game, options.stats)}
                row["file_bytes"] = file_of(one).stat().st_size if file_of(one).is_file() else 0  # it may not be kept
            rows.append(row)
            progress.done(number, one.name)
    if options.json:
        print_json(rows[0] if len(rows) == 1 else {"endings": rows})
        return 0
    for row in rows:
        _print(row)
    return 0


def _probe(options: argparse.Namespace, game: "Game", name: str) -> int:
    """Tell what becomes of a position."""
    from ludwin.arena.analysis import line_text
    from ludwin.cli.common import print_json
    from ludwin.errors import BadParameter
    from ludwin.games.chess.opponents.endgames import best_line, counters_aside, covers, men_of, probe
    from ludwin.games.chess.opponents.material import of_men

    state = game.position(options.probe)
    found = of_men(men_of(state)[0])[0] if covers(state) else None
    if found is None or found.name != name:
        castles = ", and none knows castling" if state.write().split()[2] != "-" else ""
        other = f"this is {found.name}" if found else f"no table of three or four men knows it{castles}"
        raise BadParameter(f"{options.probe!r} is no position of {name}: {other}")
    verdict = probe(state)
    if options.json:
        print_json({"position": state.write(), "result": verdict.result, "dtm": verdict.dtm})
        return 0
    print(state.show())
    if verdict.dtm is None:
        print("draw")
        return 0
    moves = (verdict.dtm + 1) // 2
    print(f"{verdict.result} for the side to move, mate in {verdict.dtm} plies ({moves} moves)")
    line = tuple(best_line(state))
    if line:
        print(line_text(counters_aside(state), line))
    return 0


def _about(table: "EndgameTable", game: "Game", full: bool) -> dict[str, Any]:
    """Return what is in a table: results for each mover, longest wins, mates."""
    made: dict[str, Any] = {}
    for mover, side in enumerate(("white", "black")):
        counts = table.counts(mover)
        legal = sum(n for code, n in counts.items() if code != 255)
        wins = sum(n for code, n in counts.items() if code not in (0, 255) and code % 2 == 0)
        losses = sum(n for code, n in counts.items() if code not in (0, 255) and code % 2 == 1)
        row: dict[str, Any] = {"positions": legal, "wins": wins, "draws": counts[0], "losses": losses}
        longest = table.longest(mover)
        row["longest"] = None
        if longest is not None:
            plies, number = longest
            row["longest"] = {"dtm": plies, "moves": (plies + 1) // 2, "position": table.state(game, number).write()}
        if full:
            row["mated"] = counts[1]
            row["by_plies"] = {str(code - 1): counts[code] for code in sorted(counts) if code not in (0, 255)}
        made[side] = row
    return made


def _print(row: dict[str, Any]) -> None:
    """Print what is known of a table."""
    if "white" not in row:
        there = "there" if row["built"] else f"not built yet; `ludwin endgame {row['ending']} --build` builds it"
        print(f"{row['ending']}: {there}")
        return
    print(f"{row['ending']} ({row['file_bytes']:,} bytes; positions that are mirror images are counted once)")
    for side in ("white", "black"):
        one = row[side]
        print(
            f"  {side} to move: {one['positions']:,} positions, {one['wins']:,} won, {one['draws']:,} drawn, "
            f"{one['losses']:,} lost"
        )
        if one["longest"]:
            print(f"    longest win: {one['longest']['moves']} moves, {one['longest']['position']}")
        if "by_plies" in one:
            print(f"    checkmated: {one['mated']:,}")
            plies = ", ".join(f"{n}: {count:,}" for n, count in one["by_plies"].items())
            print(f"    by plies to mate: {plies or 'none'}")
