"""The command `race`: drivers on a track, their times, and pictures of it."""

import argparse
import sys
from typing import TYPE_CHECKING, Any

from ludwin.cli import options as take

if TYPE_CHECKING:
    from ludwin.game import Game
    from ludwin.games.racing.commands.telemetry import RaceLog
    from ludwin.search.choice import Agent

COMMANDS = {"race": "race drivers on a track, and draw it"}
EXAMPLES = {
    "race": (
        ("ludwin race oval planner tuned", "one lap, two drivers"),
        ("ludwin race peninsula planner --live 4", "watch it in the terminal"),
        ("ludwin race random-7 ./my_driver.py --svg race.svg", "a driver of yours on a new track, drawn"),
    )
}


def _speed(text: str) -> float:
    """Read how fast a race is shown."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0.0 < found <= 1000.0:
        raise argparse.ArgumentTypeError(f"must be a number above 0 and at most 1000, got {text!r}")
    return found


def add_race(parser: argparse.ArgumentParser) -> None:
    """Take a track, drivers, and what to write."""
    parser.add_argument("track", metavar="TRACK", help="one of our tracks, random-N, or the path of a track file")
    parser.add_argument(
        "drivers",
        metavar="DRIVER",
        nargs="*",
        help="lane, apex, tuned, ./my_driver.py, champion:path=DIR … (default: tuned)",
    )
    parser.add_argument("--laps", type=take.positive, default=1, metavar="N", help="laps of a race (default: 1)")
    parser.add_argument(
        "--races", type=take.positive, default=1, metavar="N", help="races, on seeds S, S+1, … (default: 1)"
    )
    parser.add_argument("--alone", action="store_true", help="each driver alone; pictures show them together")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="other parameters of racing")
    parser.add_argument("--svg", metavar="FILE", help="draw the road and the lines of the last race, speed as colour")
    parser.add_argument("--plot", metavar="FILE", help="draw speed, wheel and pulls against distance, as SVG")
    parser.add_argument("--html", metavar="FILE", help="write a page that plays the last race")
    parser.add_argument(
        "--live",
        type=_speed,
        nargs="?",
        const=1.0,
        metavar="SPEED",
        help="draw the last race in the terminal, SPEED times as fast as it was (without: 1)",
    )
    take.seed(parser)


def run_race(options: argparse.Namespace) -> int:
    """Race and print who was how fast."""
    from ludwin.cli.common import print_json, print_table
    from ludwin.cli.saving import demand_place
    from ludwin.errors import BadParameter

    if options.live and options.json:
        raise BadParameter("--live draws on the screen, and --json prints there: choose one")
    if not -(1 << 63) <= options.seed < (1 << 63) - options.races:
        raise BadParameter(f"--seed and those of the races after it must fit into 64 bits, got {options.seed}")
    given = _given(options.set)
    files = [demand_place(name) for name in (options.svg, options.plot, options.html) if name is not None]
    if len(set(files)) < len(files):
        raise BadParameter(f"two pictures cannot be one file: {', '.join(map(str, files))}")
    _look_at(options.track)
    words = options.drivers or ["tuned"]
    groups = [[word] for word in words] if options.alone else [words]
    rows: list[dict[str, Any]] = []
    logs: list[RaceLog] = []
    for group in groups:
        rows += _race(options, group, given, logs)
    _draw(options, logs)
    if options.json:
        print_json({"track": options.track, "laps": options.laps, "races": options.races, "drivers": rows})
        return 0
    table = [
        [
            row["driver"], f"{row['finished']} of {options.races}", _seconds(row["clock"]), _seconds(row["best_lap"]),
            f"{row['damage']:.0f}", "" if len(groups[0]) == 1 else f"{row['points']:.1f}", row["lost"] or "",
        ]
        for row in rows
    ]  # fmt: skip
    columns = ["driver", "finished", "clock", "best lap", "damage", "points", "lost control"]
    print_table(f"{options.track}, laps: {options.laps}", columns, table)
    return 0


def _given(pairs: list[str]) -> dict[str, Any]:
    """Return the parameters of --set. Raises BadParameter for what is none, or is said elsewhere on the line."""
    from ludwin.errors import BadParameter

    elsewhere = {"track": "TRACK", "laps": "--laps N", "cars": "as many DRIVERs"}
    given: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        key = key.strip().lower()
        if not equals:
            raise BadParameter(f"--set takes KEY=VALUE, got {pair!r}")
        if key in elsewhere:
            raise BadParameter(f"--set takes other parameters than {key}: give {elsewhere[key]} instead")
        if key in given:
            raise BadParameter(f"--set gives {key} twice")
        given[key] = value
    return given


def _look_at(track: str) -> None:
    """Say so if a track does not come back to where it begins: cars jump there, as they did in the original."""
    from ludwin.games.racing.survey import track_named

    try:
        found = track_named(track)
    except ValueError:
        return  # the world says it, when it is loaded
    gap = found.closing_error()
    if gap > found.width / 2:
        print(f"ludwin: {found.name} ends {gap:.0f} feet beside its beginning: cars jump there", file=sys.stderr)


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.3f} s"


def _race(
    options: argparse.Namespace, words: list[str], given: dict[str, Any], logs: "list[RaceLog]"
) -> list[dict[str, Any]]:
    """Return a row for each driver of a field; where pictures are wanted, the last race is noted in `logs`."""
    from ludwin.arena.simulate import Stage
    from ludwin.library import load

    game = load("racing", track=options.track, cars=len(words), laps=options.laps, **given)
    drivers = [_driver(game, word) for word in words]
    if any(getattr(driver, "sighted", False) for driver in drivers) and "sight" not in given:
        game = load("racing", track=options.track, cars=len(words), laps=options.laps, sight=True, **given)
    for driver in drivers:
        driver.suits(game)
    stage = Stage(game, drivers)
    runs = [stage.play(options.seed + k) for k in range(options.races)]
    rows = []
    for p, word in enumerate(words):
        finals = [run.final for run in runs]
        clocks = [float(s.finished_at[p]) for s in finals if s.done[p]]
        laps = [float(s.best_lap[p]) for s in finals if s.best_lap[p]]
        lost = [f"{loss.reason} (tick {loss.tick})" for run in runs for loss in run.lost if loss.player == p]
        rows.append(
            {
                "driver": word,
                "finished": len(clocks),
                "clock": sum(clocks) / len(clocks) if clocks else None,
                "best_lap": min(laps) if laps else None,
                "damage": sum(float(s.damage[p]) for s in finals) / len(finals),
                "points": sum(run.payoffs[p] for run in runs) / len(runs) if len(words) > 1 else None,
                "lost": lost[0] if lost else None,
            }
        )
    if options.svg or options.plot or options.html or options.live:
        from dataclasses import replace

        from ludwin.games.racing.commands.telemetry import record

        logs.append(replace(record(game, drivers, options.seed + options.races - 1), drivers=tuple(words)))
    return rows


def _driver(game: "Game", word: str) -> "Agent":
    """Return the agent that a word means here: a driver of the world's own needs no `own:driver=` before it."""
    from ludwin.library import agent

    if word.startswith("champion:path="):
        from ludwin.games.racing.evolve.champion import ChampionDriver

        return ChampionDriver(word.removeprefix("champion:path="))
    if word in game.variants("control_"):
        return agent(f"own:driver={word}", game)
    return agent(word, game)


def _draw(options: argparse.Namespace, logs: "list[RaceLog]") -> None:
    """Write the pictures that were asked for, of the last race; those who were alone are drawn together."""
    from ludwin.cli.saving import save
    from ludwin.games.racing.commands.telemetry import animation, plot_svg, together, track_svg

    if not logs:
        return
    wanted = [(options.svg, track_svg), (options.plot, plot_svg), (options.html, animation)]
    log = together(logs)
    for path, draw in wanted:
        if path:
            save(path, draw(log))
            print(f"ludwin: wrote {path}", file=sys.stderr)
    if options.live:
        from ludwin.games.racing.commands.live import show_live

        show_live(log, options.live)
