"""What `--part K/N` does in the commands that have it, and what `ludwin gather` does with the parts.

Why it is here.  A part is an ordinary folder of the command's own kind with a share of the work in it; putting parts
together is copying what they hold into one folder and going on there, which every command can do already.
"""

import argparse
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludwin.cli.common import print_json, say
from ludwin.errors import BadParameter
from ludwin.files import BESIDE
from ludwin.parts import FILE, BadParts, Portion, begin_part, find_parts, finish_part

if TYPE_CHECKING:
    from ludwin.arena.terms import Terms
    from ludwin.game import Game
    from ludwin.search.choice import Agent

OWN_FILES = (FILE, "table.json", "table.md")  # of a part that are not taken over


@contextmanager
def holding(options: argparse.Namespace, out: str, command: str) -> Iterator[tuple[Portion, Path]]:
    """Yield a part and its folder; when the body is done, the part is finished."""
    from ludwin.cluster.arithmetic import fingerprint

    part = Portion.parse(options.part)
    own = begin_part(Path(out), command, part, fingerprint(), options.accept_arithmetic)
    yield part, own
    finish_part(own)


def demand_out(options: argparse.Namespace) -> str:
    """Return the folder that all parts share. Raises BadParameter."""
    if options.resume:
        raise BadParameter("a part goes on by itself when the same line is run again; leave --resume away")
    if options.cluster is not None:
        raise BadParameter("--part is a share that one machine does by itself; leave --cluster away")
    if not options.out:
        raise BadParameter("--part K/N wants --out DIR, the folder that all parts share")
    return str(options.out)


def tell(options: argparse.Namespace, part: Portion, own: Path, what: str) -> int:
    """Say that a part is finished, and how to go on."""
    if options.json:
        print_json({"part": part.number, "of": part.of, "folder": str(own), "finished": True})
    else:
        print(f"{part}: {what} in {own}; when all are there: ludwin gather {own.parent}")
    return 0


# ---- Tournaments --------------------------------------------------------------------------------------------------


def tournament_part(
    options: argparse.Namespace, game: "Game", agents: "list[Agent]", terms: "Terms", workers: int
) -> int:
    """Play a part of an event."""
    from ludwin.arena.parts import demand_known, play_part
    from ludwin.cli.terminal import Terminal

    demand_known(terms)
    with holding(options, demand_out(options), "tournament") as (part, own), Terminal() as progress:
        count = play_part(game, agents, terms, part, own, workers=workers, mode=options.mode, progress=progress)
    return tell(options, part, own, f"{count} games")


def _gather_tournament(options: argparse.Namespace, folder: Path, folders: list[Path]) -> int:
    from ludwin import trust
    from ludwin.arena.parts import RECORD, absent_players, gather_records, head_of
    from ludwin.arena.records import read_header
    from ludwin.arena.terms import Terms
    from ludwin.cli.arena import play
    from ludwin.cli.common import load
    from ludwin.cli.permission import permit
    from ludwin.cli.tournament import report

    first = folders[0] / RECORD
    head_of(folders[0])
    header = read_header(first)
    game = trust.load(trust.described(header, first), permit(options), load)
    path, terms = folder / RECORD, Terms.from_json(header)
    gather_records(folders, path, game.players)
    given = argparse.Namespace(**{**vars(options), "command": "tournament", "mode": "fast", "out": None}, resume=path)
    return report(options, play(given, game, absent_players(header, path), terms), terms)


# ---- Evolution ----------------------------------------------------------------------------------------------------


def _gather_evolve(options: argparse.Namespace, folder: Path, folders: list[Path]) -> int:
    from ludwin.cli.evolving import seeker, series_result
    from ludwin.cli.permission import permit
    from ludwin.cli.terminal import Terminal
    from ludwin.evolve.series import carry_out_series, reopen_series
    from ludwin.evolve.store import SERIES, Store, read_json

    settings = [(own / "settings.json").read_bytes() for own in folders if (own / "settings.json").is_file()]
    if len(settings) < len(folders):
        raise BadParts(f"{folders[len(settings)].name} holds no settings.json; run this part again")
    told = read_json(folders[0] / "settings.json", SERIES)
    for own, text in zip(folders, settings, strict=True):
        if text != settings[0]:
            found = read_json(own / "settings.json", SERIES)
            key = next((key for key in told if told[key] != found.get(key)), "text")
            raise BadParts(f"{own.name} is of another series than {folders[0].name}: its {key} differs")
    demand_unused(folder, settings[0])
    seeds = range(told["seed"], told["seed"] + told["seeds"])
    for index, seed in enumerate(seeds):
        own = folders[index % len(folders)]
        if not (own / f"seed-{seed}" / "report.html").is_file():
            raise BadParts(f"{own.name} lacks seed {seed}; run this part again")
    for number, own in enumerate(folders):
        for there in own.glob("seed-*"):
            name = there.name.removeprefix("seed-")
            index = int(name) - told["seed"] if name.lstrip("-").isdigit() else -1
            if not 0 <= index < told["seeds"] or index % len(folders) != number:
                raise BadParts(f"{own.name} holds {there.name}, which belongs to another part")
    for index, seed in enumerate(seeds):
        there = folders[index % len(folders)] / f"seed-{seed}"
        with Store(there) as store:
            store.verify()
        take(there, folder / there.name)
    take(folders[0] / "settings.json", folder / "settings.json")
    series = reopen_series(folder, seeker(), permit(options))
    with Terminal() as progress:
        carry_out_series(series, workers=options.workers or 1, progress=progress)
    return series_result(series, options)


# ---- Tables and studies -------------------------------------------------------------------------------------------


def _gather_table(options: argparse.Namespace, folder: Path, folders: list[Path], command: str) -> int:
    from ludwin.cli import reproduce, study
    from ludwin.formats import read_json
    from ludwin.lab.experiment import EXPERIMENT

    told = read_json(folders[0] / "settings.json", EXPERIMENT)
    for own in folders:
        found = read_json(own / "settings.json", EXPERIMENT)
        if found != told:
            key = next((key for key in told if told[key] != found.get(key)), "text")
            raise BadParts(f"{own.name} is of another run than {folders[0].name}: its {key} differs")
    demand_unused(folder, (folders[0] / "settings.json").read_bytes())
    size = {key: told.get(key) for key in ("preset", "games", "runs", "seed")}
    if not isinstance(size["preset"], str) or not all(type(size[key]) is int for key in ("games", "runs", "seed")):
        raise BadParts(f"{folders[0]}/settings.json does not say how large the run is")
    if not options.name and told["name"].endswith(")"):
        raise BadParts(f"this is a study of your own, {told['name']}: ludwin gather {folder} ./my_study.toml")
    merge(folders, folder)
    name = options.name or told["name"]  # of a file that the line names; the parts name none
    more = {"name": name, "list": False, "out": None, "resume": str(folder), "part": None, "command": command}
    given = argparse.Namespace(**{**vars(options), **more, **size})
    module: Any = {"reproduce": reproduce, "study": study}[command]
    return int(module.run(given))


def demand_unused(folder: Path, settings: bytes) -> None:
    """Raise BadParts if the folder of the parts holds another run, of parts that were there before."""
    path = folder / "settings.json"
    if path.exists() and path.read_bytes() != settings:
        raise BadParts(f"{path} is of another run than the parts: remove all but the parts from {folder}")


def merge(folders: list[Path], folder: Path) -> None:
    """Copy what parts hold into one folder; a file that several have must be the same in all. Raises BadParts."""
    seen: dict[str, Path] = {}
    for own in folders:
        for path in sorted(own.rglob("*")):
            name = path.relative_to(own).as_posix()
            top = name.partition("/")[0]
            if path.is_dir() or name in OWN_FILES or top in OWN_FOLDERS or is_log(path):
                continue
            if path.is_symlink() or not path.is_file():
                raise BadParts(f"{path} is no ordinary file")
            if name in seen and seen[name].read_bytes() != path.read_bytes():
                raise BadParts(f"{name} differs between {seen[name].relative_to(folder).parts[0]} and {own.name}")
            seen.setdefault(name, path)
    for name, path in seen.items():
        take(path, folder / name)


OWN_FOLDERS = ("fresh",)  # measurements that need all cells: they are made again


def is_log(path: Path) -> bool:
    """Tell whether a file holds dates and machines, not results."""
    return path.name.startswith(BESIDE) or path.name.endswith((".log", ".ahead")) or path.name == "log.jsonl"


def take(there: Path, here: Path) -> None:
    """Copy a file or a folder, whole or not at all; what is there already stays."""
    if here.exists():
        return
    here.parent.mkdir(parents=True, exist_ok=True)
    beside = here.with_name(f"{BESIDE}{here.name}")
    if there.is_dir():
        shutil.rmtree(beside, ignore_errors=True)
        shutil.copytree(there, beside, symlinks=True)
    else:
        shutil.copyfile(there, beside)
    os.replace(beside, here)


def gather(options: argparse.Namespace) -> int:
    """Put parts together and show the result."""
    folder = Path(options.folder)
    command, folders = find_parts(folder, options.accept_arithmetic)
    options.accept_arithmetic = False  # a word of clusters to the commands that go on here
    say(f"{len(folders)} parts of `ludwin {command}` in {folder}")
    ways: dict[str, Callable[..., int]] = {"tournament": _gather_tournament, "evolve": _gather_evolve}
    if command in ways:
        return ways[command](options, folder, folders)
    return _gather_table(options, folder, folders, command)
