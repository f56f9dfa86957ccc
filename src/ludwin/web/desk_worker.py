"""The desk: what is read from folders, in a process that can be killed.

Why it is here.  Records, runs, derivations and languages may come from strangers and may be large; the package's
suspicious readers read them, but not in the server.  Nothing here writes, and nothing here runs code of a user's.
"""

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import asdict, fields
from itertools import islice
from pathlib import Path
from typing import Any

from ludwin.errors import BadParameter, LudwinError
from ludwin.web.language import check_language, language, read_language
from ludwin.web.talk import TalkLine

DEEPEST, MOST_FILES = 5, 4000
LARGEST = 64 * 2**20
HEAD = 400  # bytes in which a file says its format
SUFFIXES = {".pdn": "event", ".pgn": "event"}
FORMATS = {
    b'"ludwin-games"': "event",
    b'"ludwin-play"': "play",
    b'"ludwin-derivation"': "derivation",
    b'"ludwin-table"': "table",
}
SKIPPED = {"node_modules", "__pycache__", "site-packages"}


def serve(line: TalkLine) -> None:
    """Answer questions one after the other until the server is gone."""
    while (message := line.read()) is not None:
        word, number = str(message.pop("do", "")), message.pop("id", None)
        work = WORKS.get(word)
        if work is None:
            line.answer(number, lambda word=word: _unknown(word))
        else:
            line.answer(number, lambda work=work, message=message: work(**message))
    os.killpg(0, signal.SIGKILL)


def _unknown(word: str) -> None:
    raise BadParameter(f"the desk cannot {word!r}")


# ---- What there is ---------------------------------------------------------------------------------------------


def listing(folder: str) -> list[dict[str, Any]]:
    """Return what of ours lies in a folder: relative names, kinds, sizes, times; links are not followed."""
    root = Path(folder)
    return list(islice(_walk(root, root, DEEPEST), MOST_FILES))


def _walk(root: Path, folder: Path, depth: int) -> Iterator[dict[str, Any]]:
    try:
        inside = sorted(os.scandir(folder), key=lambda one: one.name)
    except OSError:
        return
    for one in inside:
        try:
            if one.is_symlink() or one.name in SKIPPED:
                continue
            if one.is_dir():
                if one.name.startswith("."):
                    continue
                here = Path(one.path)
                if (here / "run.sqlite").is_file() and (here / "settings.json").is_file():
                    yield _entry(root, here, "run")
                elif (here / "rules.py").is_file():
                    yield _entry(root, here, "game")
                elif depth:
                    yield from _walk(root, here, depth - 1)
            elif one.is_file() and (kind := _kind(Path(one.path), one.stat().st_size)):
                yield _entry(root, Path(one.path), kind)
        except (OSError, ValueError):
            continue


def _entry(root: Path, path: Path, kind: str) -> dict[str, Any]:
    stat = path.stat()
    return {"name": str(path.relative_to(root)), "kind": kind, "size": stat.st_size, "time": stat.st_mtime}


def _kind(path: Path, size: int) -> str:
    """Return what a file is, by its suffix and its first bytes; nothing of it is run."""
    if size > LARGEST:
        return ""
    suffix = path.suffix.lower()
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    if suffix not in (".json", ".jsonl", ".py", ".toml"):
        return ""
    with path.open("rb") as file:
        head = file.read(HEAD if suffix != ".py" else 2**18)
    if suffix == ".py":
        return "game" if b"FIELDS" in head and b"def setup(" in head and b"def moves(" in head else ""
    if suffix == ".toml":
        return "language" if b"primitives" in head or b"types" in head else ""
    return next((kind for mark, kind in FORMATS.items() if mark in head), "")


def games() -> list[dict[str, Any]]:
    """Return the registered games as `ludwin games --json` lists them."""
    from ludwin.games import homes
    from ludwin.library import kind_of, levels, load

    found = []
    for name in homes():
        game = load(name)
        about = (game.module.__doc__ or "").strip().splitlines()[0].rstrip(".")
        found.append(
            {
                "game": game.name,
                "players": game.players,
                "about": about,
                "kind": kind_of(game),
                "parameters": game.source.parameters,
                "offers": sorted(game.offers),
                "world": game.is_world,
                "levels": {} if game.is_world or game.players > 2 else levels(game),
            }
        )
    return found


def agents() -> list[dict[str, Any]]:
    """Return the agents as `ludwin agents --json` lists them."""
    from ludwin.library import AGENTS

    found = []
    for name in sorted(AGENTS):
        kind = AGENTS[name]
        shown = [one for one in fields(kind) if not one.metadata.get("hidden")]
        settings = [
            {"name": one.name, "default": _plain(one.default), "about": one.metadata.get("help", "")} for one in shown
        ]
        found.append({"agent": name, "about": " ".join((kind.__doc__ or "").split()), "parameters": settings})
    return found


def _plain(default: Any) -> Any:
    return default if default is None or isinstance(default, int | float | str) else str(default)


def source(path: str) -> dict[str, Any]:
    """Return the text of a game file before it runs: what a person agrees to."""
    from ludwin.laws import is_known
    from ludwin.rules.source import read

    found = read(Path(path))
    texts = [{"file": one.path.name, "text": one.text} for one in found.whole()]
    return {"texts": texts, "hash": found.texts_hash, "known": is_known(found)}


# ---- Events ----------------------------------------------------------------------------------------------------


def event(path: str) -> dict[str, Any]:
    """Return header, standing and ratings of a file of games, as `ludwin rate --json` prints them."""
    from ludwin.arena.reading import results_of
    from ludwin.arena.records import UNFINISHED
    from ludwin.arena.results import standing_json
    from ludwin.arena.standing import Standing

    found = results_of(Path(path))
    standing = Standing(found.agents)
    count = unfinished = 0
    for _, record in found.games:
        count += 1
        if record.end == UNFINISHED:
            unfinished += 1
        else:
            standing.note(record)
    header = _header(Path(path))
    return {
        "game": found.game,
        "agents": list(found.agents),
        "header": header,
        "played": count,
        "unfinished": unfinished,
        "standing": standing_json(standing) if standing.games else None,
        "sprt": _sprt(header, standing),
    }


def _header(path: Path) -> dict[str, Any]:
    from ludwin.arena.records import read_header

    try:
        return {key: value for key, value in read_header(path).items() if key not in ("format", "version")}
    except (LudwinError, ValueError):
        return {}


def _sprt(header: dict[str, Any], standing: Any) -> dict[str, Any] | None:
    """Return how a sequential test stands, if the event has one."""
    text = header.get("sprt")
    if not text or len(standing.agents) != 2 or not standing.games:
        return None
    from ludwin.arena.terms import parse_sprt

    try:
        test = parse_sprt(str(text))
        tally = standing.tallies[0, 1]
        lower, upper = test.bounds
        llr = test.llr(tally.pairs, tally.repeats.share)
        return {"test": str(text), "llr": llr, "lower": lower, "upper": upper}
    except (LudwinError, KeyError, ValueError):
        return {"test": str(text), "llr": None, "lower": None, "upper": None}


def event_games(path: str, offset: int = 0, limit: int = 100, only: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return rows of games: who, result, length, ending; filtered by agent, seat, end and number of plies."""
    from ludwin.arena.reading import results_of

    found, only = results_of(Path(path)), only or {}
    rows: list[dict[str, Any]] = []
    total = 0
    for number, (_, record) in enumerate(found.games):
        agents = [found.agents[k] for k in record.seats]
        plies = record.course.ticks if record.course else len(record.opening) + len(record.moves)
        if only.get("agent") and only["agent"] not in agents:
            continue
        if only.get("seat") is not None and only.get("agent") and agents.index(only["agent"]) != only["seat"]:
            continue
        if (only.get("end") and record.end != only["end"]) or plies < (only.get("plies") or 0):
            continue
        total += 1
        if offset < total <= offset + limit:
            row = {"number": number, "game": record.game, "agents": agents, "payoffs": list(record.payoffs)}
            rows.append({**row, "end": record.end, "reason": record.reason, "plies": plies})
    return {"total": total, "offset": offset, "games": rows}


def event_game(path: str, number: int) -> dict[str, Any]:
    """Return one game of a file: position, moves as codes, agents, result."""
    from ludwin.arena.reading import results_of

    found = results_of(Path(path))
    one = next(islice(found.games, number, None), None)
    if one is None:
        raise BadParameter(f"the file has no game {number}; the first is game 0")
    record = one[1]
    return {
        "game": found.game,
        "agents": [found.agents[k] for k in record.seats],
        "position": record.position,
        "opening": len(record.opening),
        "codes": [*record.opening, *record.moves],
        "payoffs": list(record.payoffs),
        "end": record.end,
        "reason": record.reason,
        "ticks": record.course.ticks if record.course else None,
    }


def film(path: str, number: int, frames: int = 120) -> dict[str, Any]:
    """Return a recorded run of a world as pictures, evenly spaced."""
    from ludwin.arena.replay import open_event
    from ludwin.arena.world_replay import run_again
    from ludwin.library import load
    from ludwin.web.cleaning import clean

    opened = open_event(Path(path), load)
    one = next(islice(opened.games, number, None), None)
    if one is None or one[1].course is None:
        raise BadParameter(f"game {number} is no run of a world that ticks")
    ticks, every = one[1].course.ticks, max(1, one[1].course.ticks // frames)
    pictures: list[dict[str, Any]] = []

    def frame(tick: int, state: Any) -> None:
        if tick % every == 0 and len(pictures) < 2 * frames:
            pictures.append({"tick": tick, "svg": clean(state.picture())})

    run_again(opened.game, opened.agents, opened.seed, one[1], opened.path, frame)
    return {"ticks": ticks, "frames": pictures, "agents": [opened.agents[k] for k in one[1].seats]}


def play(path: str) -> dict[str, Any]:
    """Return a kept game as it was written, examined but not played."""
    from ludwin.play.saved import about_game

    data, kept = about_game(Path(path))
    return {**data, "ended": [kept.end, kept.loser] if kept.end else None}


# ---- Evolution ----------------------------------------------------------------------------------------------------


def runs(paths: list[str]) -> list[dict[str, Any]]:
    """Return runs as `ludwin runs --json` lists them."""
    from ludwin.evolve.compare import entry
    from ludwin.formats import finite

    found = []
    for path in paths:
        about = entry(Path(path)).as_json()
        about["folder"] = Path(path).name
        about["trouble"] = _without(about["trouble"], path)
        found.append(finite(about))
    return found


def _without(text: str, path: str) -> str:
    """Return a message without the folder that it names: addresses of files stay on the machine."""
    return text.replace(path, Path(path).name)


def run(path: str, since: int = -1) -> dict[str, Any]:
    """Return a run as it stands: points of every branch, measures, what its settings are."""
    from ludwin.evolve.compare import entry
    from ludwin.evolve.store import RUN, Store, read_json
    from ludwin.formats import finite

    folder = Path(path)
    about = entry(folder).as_json()
    about["folder"], about["trouble"] = folder.name, _without(about["trouble"], path)
    data = read_json(folder / "settings.json", RUN)
    branches: dict[str, Any] = {}
    with Store(folder) as store:
        for branch in store.branches():
            points = [asdict(point) for point in store.points(branch) if point.number > since]
            states = store.states(branch)
            for point in points:
                if point["number"] < len(states):
                    point["counts"] = states[point["number"]]
            measures = {
                purpose: [
                    {"generation": note.generation, "number": note.number, **note.measure.as_json()}
                    for note in store.measures(branch, purpose)
                ]
                for purpose in ("yardstick", "finalist", "champion", "record")
            }
            branches[branch] = {"points": points, "measures": measures}
    return finite({**about, "settings": data["settings"], "branches": branches})  # type: ignore[no-any-return]


def individuals(path: str, branch: str, generation: int) -> dict[str, Any]:
    """Return the individuals of a generation: fitness, size, origin, parents and genome."""
    from ludwin.evolve.store import Store
    from ludwin.formats import finite

    keys = ("branch", "generation", "number", "fitness", "size", "origin", "parents", "genome", "detail")
    with Store(Path(path)) as store:
        rows = store._individuals(branch, generation)[:2000]
    found = [dict(zip(keys[2:], row[2:], strict=False)) for row in rows]
    return finite({"branch": branch, "generation": generation, "individuals": found})  # type: ignore[no-any-return]


def champion(path: str) -> dict[str, Any]:
    """Return the champion of a run: facts, text, picture, heat map, as its experiment tells them."""
    from ludwin.evolve.register import find
    from ludwin.evolve.show import describe, open_champion
    from ludwin.formats import finite
    from ludwin.web.cleaning import clean

    found = open_champion(Path(path), find)
    facts = describe(found)
    try:
        svg = clean(found.picture())
    except (LudwinError, ValueError):
        svg = ""
    try:
        python = found.export()
    except LudwinError:
        python = ""
    parts = [name for name, _ in found.run.experiment.parts(found.run.settings, found.genome)]
    game = str(found.data.get("game") or "")
    told = {"game": game, "facts": facts, "svg": svg, "python": python, "parts": parts}
    return finite(told)  # type: ignore[no-any-return]


def compare(first: str, second: str) -> dict[str, Any]:
    """Return whether the champions of two runs differ, as `ludwin runs --compare --json` says, and in what settings."""
    from ludwin.evolve.compare import compare as compare_runs
    from ludwin.evolve.store import RUN, read_json
    from ludwin.formats import finite

    try:
        found = finite(compare_runs(Path(first), Path(second)))
        for side, path in (("first", first), ("second", second)):
            found[side]["folder"] = Path(path).name
    except LudwinError as error:
        found = {"why": _without(_without(str(error), first), second)}
    a, b = (read_json(Path(path) / "settings.json", RUN) for path in (first, second))
    keys = sorted({*a["settings"], *b["settings"]})
    differ = {
        key: [a["settings"].get(key), b["settings"].get(key)]
        for key in keys
        if a["settings"].get(key) != b["settings"].get(key)
    }
    return {**found, "settings": differ, "seeds": [a["seed"], b["seed"]]}


def table(path: str) -> dict[str, Any]:
    """Return a published table with our figures and verdicts."""
    from ludwin.formats import read_json
    from ludwin.lab.experiment import TABLE

    return read_json(Path(path), TABLE)


def published() -> list[dict[str, Any]]:
    """Return the names of all published tables, experiments and studies that a job may carry out."""
    from ludwin.evolve.register import names
    from ludwin.lab.register import STUDY, TABLES
    from ludwin.library import PROBLEMS

    listed = {"reproduce": list(TABLES), "study": list(STUDY), "evolve": names(), "discover": list(PROBLEMS)}
    return [{"kind": kind, "names": found} for kind, found in listed.items()]


# ---- Derivations ----------------------------------------------------------------------------------------------------


def derivation(path: str) -> dict[str, Any]:
    """Return a derivation step by step: which clauses go, which come, and why."""
    from ludwin.discover.derivation import from_json, read_data
    from ludwin.discover.picture import draw
    from ludwin.discover.syntax import write_clause
    from ludwin.web.cleaning import clean

    data = read_data(path)
    found = from_json(data, Path(path).name)
    steps = [
        {**step, "data": {str(key): str(value) for key, value in step["data"].items()}}
        for step in found.to_json()["steps"]
    ]
    tree = draw(found, svg=True)
    return {
        "problem": found.problem,
        "entry": found.entry,
        "seed": [write_clause(one) for one in found.seed.clauses],
        "steps": steps,
        "result": [write_clause(one) for one in found.result.clauses],
        "theorem": list(data.get("theorem", [])),
        "axioms": list(data.get("axioms", [])),
        "tree": clean(tree) if tree else "",
    }


def check_game(path: str) -> dict[str, Any]:
    """Check a game file of a user's, who has agreed to run it."""
    from ludwin.web.table_worker import check

    return check(Path(path))


WORKS: dict[str, Callable[..., Any]] = {
    work.__name__: work
    for work in (
        *(listing, games, agents, source, event, event_games, event_game, film, play),
        *(runs, run, individuals, champion, compare, table, published, derivation),
        *(check_game, language, read_language, check_language),
    )
}
