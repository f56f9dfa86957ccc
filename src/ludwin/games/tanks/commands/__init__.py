"""The command `tanks`: battles of robots, here or in the original, and pictures of them."""

import argparse
from typing import TYPE_CHECKING, Any

from ludwin.cli import options as take

if TYPE_CHECKING:
    from ludwin.games.tanks.commands.fights import Fighter

COMMANDS = {"tanks": "fight battles of robots, here or in the original, and look at them"}
EXAMPLES = {
    "tanks": (
        ("ludwin tanks battle walls crazy --rounds 10", "ten rounds of two robots"),
        ("ludwin tanks battle walls ./my_robot.py", "a robot of yours"),
    )
}
PARTS = ("survival", "last_survivor", "bullet_damage", "bullet_bonus", "ram_damage", "ram_bonus")
COLUMNS = ["robot", "total", "survival", "last", "bullets", "bonus", "rams", "bonus", "1sts", "2nds", "3rds"]


def add_tanks(parser: argparse.ArgumentParser) -> None:
    """Take robots, and where to fight."""
    parser.add_argument(
        "what", metavar="battle", choices=("battle",), help="battle: fight one battle of several rounds"
    )
    parser.add_argument(
        "robots",
        metavar="ROBOT",
        nargs="+",
        help="walls, sample.Walls, ./my_robot.py, a run's folder or champion.json; with --robocode also X.java",
    )
    parser.add_argument("--rounds", type=take.positive, default=10, metavar="N", help="rounds (default: 10)")
    parser.add_argument(
        "--robocode",
        action="store_true",
        help="in the original, too, if it is installed; ours stands beside it where all robots are known here",
    )
    parser.add_argument(
        "--recording",
        metavar="FILE",
        help="with --robocode: keep every turn of the original there, and compare it with ours turn by turn",
    )
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="other parameters of tanks")
    parser.add_argument("--svg", metavar="FILE", help="draw the battle here: FILE-000.svg, FILE-001.svg, …")
    parser.add_argument(
        "--every", type=take.positive, default=25, metavar="N", help="turns between two drawings (default: 25)"
    )
    parser.add_argument("--html", metavar="FILE", help="write a page that plays the battle here, all in one file")
    parser.add_argument(
        "--live", type=take.positive, nargs="?", const=60, metavar="TURNS", help="draw it in the terminal, so many "
        "turns a second (without: 60)",
    )  # fmt: skip
    take.seed(parser)


def run_tanks(options: argparse.Namespace) -> int:
    """Fight, and print who scored what."""
    from ludwin.cli.common import print_json, print_table
    from ludwin.cli.saving import demand_file, demand_place
    from ludwin.errors import BadParameter
    from ludwin.games.tanks.commands.fights import Fighter, field_given, fought_here

    if len(options.robots) < 2:
        raise BadParameter("a battle needs two robots at least")
    if options.recording and not options.robocode:
        raise BadParameter("--recording keeps a battle of the original: it goes with --robocode")
    if options.live and options.json:
        raise BadParameter("--live draws on the screen, and --json prints there: choose one")
    if options.svg:
        demand_file(options.svg, ".svg")
    for name in filter(None, (options.recording, options.html)):
        demand_place(name)
    field = field_given(options.set)
    fighters = [Fighter.of(word, number) for number, word in enumerate(options.robots)]
    here = None
    if all(fighter.agent for fighter in fighters):
        here = fought_here(fighters, options.rounds, options.seed, field)
    elif not options.robocode:
        raise BadParameter(f"{next(f.word for f in fighters if not f.agent)} is Java: it fights with --robocode only")
    data: dict[str, Any] = {"seed": options.seed, "rounds": options.rounds, "robots": [f.word for f in fighters]}
    tables = []
    if here is not None:
        data["here"] = here.rows
        tables.append(("here", here.rows))
    if options.robocode:
        from ludwin.cli.terminal import Terminal

        with Terminal() as progress:
            data |= there(options, fighters, field, progress)
        tables.append(("in the original", data["original"]))
    if options.json:
        print_json(data)
    else:
        for where, rows in tables:
            cells = [[str(cell) for cell in row.values()][: len(COLUMNS)] for row in rows]
            print(f"{options.rounds} rounds {where}, seed {options.seed}")
            print_table("", COLUMNS, cells, right=tuple(range(1, len(COLUMNS))))
        for row in here.rows if here else ():
            if row["lost"]:
                print(f"{row['robot']} lost its energy: {row['lost']}")
        if "same" in data:
            print("both are the same battle" if data["same"] else "the two battles differ")
    _draw(options, fighters, field)
    return 0


def there(
    options: argparse.Namespace, fighters: "list[Fighter]", field: dict[str, str], progress: Any
) -> dict[str, Any]:
    """Return the battle of the original, and whether ours is the same."""
    from pathlib import Path

    from ludwin.cli.saving import save
    from ludwin.games.tanks.commands.fights import compared, fought_here, row_of
    from ludwin.games.tanks.commands.record_xml import read_xml, recording_text
    from ludwin.games.tanks.commands.robocode import Original

    robots = [fighter.java() for fighter in fighters]
    with Original() as original:
        xml = original.folder / "battle.xml" if options.recording else None
        rows = original.battle(robots, options.rounds, options.seed, field=field, record=xml, progress=progress)
        recording = read_xml(xml, [one.name for one in robots], options.seed, rows) if xml else None
    found: dict[str, Any] = {"original": [row_of(row) for row in rows]}
    known = all(fighter.agent for fighter in fighters)
    if known:
        ours = fought_here(fighters, options.rounds, options.seed, field).rows
        keys = [key for key in ours[0] if key not in ("robot", "lost")]
        found["same"] = [[row[key] for key in keys] for row in ours] == [
            [row[key] for key in keys] for row in found["original"]
        ]
    if recording:
        save(Path(options.recording), recording_text(recording))
        progress.note(f"wrote {options.recording}")
        if known and not field:
            again = compared(recording, fighters)
            found["turns"] = {
                "robots": again.rows,
                "bullets": again.flying,
                "worst": again.worst,
                "differ": len(again.wrong),
                "first": again.wrong[:1],
            }
            progress.note(f"{again.rows} robots and {again.flying} bullets compared, worst error {again.worst:.2g}")
            for words in again.wrong[:1]:
                progress.note(f"the first difference: {words}")
    return found


def _draw(options: argparse.Namespace, fighters: "list[Fighter]", field: dict[str, str]) -> None:
    """Write the pictures that were asked for, of the battle here."""
    if not (options.svg or options.html or options.live):
        return
    from ludwin.arena.pages import write_pictures
    from ludwin.cli.common import say
    from ludwin.cli.saving import demand_file, save
    from ludwin.errors import BadParameter
    from ludwin.games.tanks.commands.fights import filmed
    from ludwin.games.tanks.commands.film import show_live

    if not all(fighter.agent for fighter in fighters):
        raise BadParameter("only a battle here is drawn, and one of the robots is Java")
    game, states = filmed(fighters, options.rounds, options.seed, field)
    names = [fighter.word for fighter in fighters]
    if options.svg:
        files = write_pictures(demand_file(options.svg, ".svg"), [s.picture() for s in states[:: options.every]])
        say(f"wrote {files[0]} … {files[-1]}")
    if options.html:
        drawing = game.part("drawing")
        assert drawing is not None
        save(options.html, drawing.film(states, names))
        say(f"wrote {options.html}")
    if options.live:
        show_live(states, names, options.live)
