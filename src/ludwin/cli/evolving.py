"""What `ludwin evolve` does.

Why it is here.  An evolution is the longest thing that anybody starts here, so the command says where it
writes, shows how it goes, can be stopped at any moment, and says how to go on.  The work is done in a
thread: compiled code does not hear Ctrl-C, but a waiting main thread does.
"""

import argparse
import shlex
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ludwin.cli.common import load, print_json, print_list, print_table, print_words, say
from ludwin.cli.crew import crew
from ludwin.cli.interrupts import leave
from ludwin.cli.permission import permit
from ludwin.cli.terminal import Terminal
from ludwin.errors import BadParameter
from ludwin.evolve.carrying import carry_out
from ludwin.evolve.door import result, slug
from ludwin.evolve.experiment import PRESETS, Experiment, Measure, schema, settle
from ludwin.evolve.register import CHOICE, find, is_game, names
from ludwin.evolve.report import figure, value_text
from ludwin.evolve.run import Run, create, examine, find_stored, reopen
from ludwin.evolve.series import Series, begun, carry_out_series, create_series, late_lines, read_summary, reopen_series
from ludwin.evolve.store import (
    BASELINE,
    EVOLUTION,
    LATE,
    RUN,
    SERIES,
    BadRun,
    Store,
    json_text,
    read_json,
)
from ludwin.files import write_whole
from ludwin.library import is_path, split, without
from ludwin.measure import in_one_form, plain
from ludwin.progress import duration
from ludwin.search import choice
from ludwin.trust import Permit

LANGUAGE = "language"  # the setting of games that --language fills
STACK = 2**24  # bytes: threads have little on some systems, and compiling is deep
GRACE_SECONDS = 0.6  # after Ctrl-C, for the step in hand; what is not stored then is lost, and nothing else


def evolve(options: argparse.Namespace) -> int:
    """Evolve, go on with a run, explain an experiment's settings, or list the experiments."""
    if not options.experiment and not options.resume:
        return _list(options)
    seek = seeker()
    if options.explain:
        return _explain(seek(options.experiment) if options.experiment else _stored_experiment(options, seek), options)
    if options.part:
        return _part(options, seek)
    work = _resumed(options, seek) if options.resume else _begun(options, seek)
    _say_unsealed(work)
    if work.is_finished:
        say(f"{work.folder} is finished; this is its result")
    else:
        if isinstance(work, Series) and work.is_summarised:
            gone = ", ".join(run.folder.name for run in work.runs if not run.is_finished)
            say(f"{work.folder} was finished, but {gone} is missing or not whole since; it is made again")
        how = "going on in" if options.resume else "writing to"
        say(f"{work.experiment.name} ({work.preset}, seed {work.seed}): {how} {work.folder}")
        with crew(options, options.experiment, *(options.trust or [])) as workers:
            interrupted = _carry_out(work, workers)
        if interrupted:
            rules = (
                f"{shlex.quote(options.experiment)} " if is_path((options.experiment or "").partition(":")[0]) else ""
            )
            place = shlex.quote(str(work.folder))
            say(f"interrupted after {_how_far(work)}; go on with: ludwin evolve {rules}--resume {place}")
            return _end(interrupted)
    if isinstance(work, Series):
        return series_result(work, options)
    return _run_result(work, options)


# ---- What is to be done ----------------------------------------------------------------------------


def seeker() -> Callable[[str], Experiment]:
    """Return how experiments are found: a user's game is loaded by the front desk first, which checks new files."""

    def seek(text: str) -> Experiment:
        if is_game(text):
            load(without(text, CHOICE))
        return find(text)

    return seek


def _given(options: argparse.Namespace) -> dict[str, str]:
    """Return the settings that the line gives."""
    given: dict[str, str] = {}
    for word in [word for words in options.set or [] for word in words]:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise BadParameter(f"--set takes key=value, got {word!r}")
        if key in given:
            raise BadParameter(f"--set gives {key} twice")
        given[key] = value
    if options.baseline is not None:
        if "baseline" in given:
            raise BadParameter("--set baseline and --baseline say the same; give one of them")
        given["baseline"] = "on" if options.baseline else "off"
    if getattr(options, "language", None) is not None:
        from ludwin.program.toml import load as load_language
        from ludwin.program.toml import to_toml

        if not options.language:
            raise BadParameter("--language names a file, got ''")
        if "language" in given:
            raise BadParameter("--set language and --language say the same; give one of them")
        given["language"] = to_toml(load_language(options.language))
        given.setdefault("linear", "0")  # a language of one's own need not have what weighted sums are made of
    return given


def _settled(experiment: Experiment, preset: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return the settings of a preset with those that the line gives. Raises BadParameter."""
    if options.language is not None and LANGUAGE not in schema(experiment):
        raise BadParameter(f"{experiment.name} has a language of its own; --language is for games such as ./mygame.py")
    return settle(experiment, preset, _given(options))


def _begun(options: argparse.Namespace, seek: Callable[[str], Experiment]) -> Run | Series:
    experiment = seek(options.experiment)
    preset, seed = options.preset or PRESETS[0], options.seed or 0
    if options.out == "":
        raise BadParameter("--out names a folder, got ''")
    settings = _settled(experiment, preset, options)
    if (options.seeds or 1) > 1:
        folder = Path(options.out or f"runs/{slug(experiment.name)}-seed{seed}-x{options.seeds}")
        return create_series(folder, experiment, preset, settings, seed, options.seeds)
    return create(Path(options.out or f"runs/{slug(experiment.name)}-seed{seed}"), experiment, preset, settings, seed)


def _part(options: argparse.Namespace, seek: Callable[[str], Experiment]) -> int:
    """Carry out a share of the seeds of a series, in a folder of its own."""
    from ludwin.cli.parting import demand_out, holding, tell

    if not options.experiment or (options.seeds or 1) < 2:
        raise BadParameter("--part shares out the seeds of a series: name an EXPERIMENT and --seeds N")
    experiment = seek(options.experiment)
    preset, seed = options.preset or PRESETS[0], options.seed or 0
    options.out = options.out or f"runs/{slug(experiment.name)}-seed{seed}-x{options.seeds}"
    settings = _settled(experiment, preset, options)
    examine(experiment, settings)
    with holding(options, demand_out(options), "evolve") as (part, own):
        series = Series(own, experiment, preset, settings, seed, options.seeds)
        text = json_text({**SERIES.head, **series.about()})
        if not (own / "settings.json").exists():
            write_whole(own / "settings.json", text)
        elif (own / "settings.json").read_bytes() != text.encode():
            raise BadRun(f"{own} holds another series or other settings; give another --out")
        share = [run for index, run in enumerate(series.runs) if part.owns(index)]
        for planned in share:
            run = begun(series, planned)
            interrupted = None if run.is_finished else _carry_out(run, options.workers or 1)
            if interrupted:
                say("interrupted; the same line goes on")
                raise SystemExit(_end(interrupted))
    return tell(options, part, own, f"{len(share)} of {series.seeds} seeds")


def _resumed(options: argparse.Namespace, seek: Callable[[str], Experiment]) -> Run | Series:
    """Return the stored run or series. Raises BadRun where the line asks for something else."""
    if options.out:
        raise BadParameter("--resume goes on in its own folder; leave --out away")
    folder = Path(options.resume)
    if not (folder / "settings.json").is_file():
        raise BadRun(f"{folder} holds no run to go on with; begin one with --out {folder}")
    is_series = read_json(folder / "settings.json", RUN, SERIES)["format"] == SERIES.name
    work: Run | Series = (
        reopen_series(folder, seek, _permit(options)) if is_series else reopen(folder, seek, _permit(options))
    )
    own: dict[str, Any] = {
        "experiment": work.experiment.name,
        "preset": work.preset,
        "seed": work.seed,
        "seeds": getattr(work, "seeds", 1),
    }
    asked: dict[str, Any] = {"experiment": options.experiment and seek(options.experiment).name}
    asked |= {name: getattr(options, name) for name in ("preset", "seed", "seeds")}
    known = schema(work.experiment)
    for key, text in _given(options).items():
        if key not in known:
            settle(work.experiment, work.preset, {key: text})
        own[key], asked[key] = work.settings[key], known[key].read(text)
    for key, value in asked.items():
        if value is not None and value != own[key]:
            raise BadRun(
                f"{folder} was begun with {key} {value_text(own[key])}, not {value_text(value)}; leave it away to go "
                f"on, or give another --out"
            )
    return work


def _permit(options: argparse.Namespace) -> Permit:
    """Return which rules may run that a run's folder names: those that the line trusts, or names as EXPERIMENT."""
    named = split(options.experiment)[0] if options.experiment else ""
    trusted = [*(options.trust or []), *([named] if is_path(named) else [])]
    return permit(argparse.Namespace(trust=trusted))


def _stored_experiment(options: argparse.Namespace, seek: Callable[[str], Experiment]) -> Experiment:
    path = Path(options.resume) / "settings.json"
    return find_stored(path, read_json(path, RUN, SERIES), seek, _permit(options))


def _say_unsealed(work: Run | Series) -> None:
    """Say that edits of an older run would not be noticed."""
    for run in work.runs if isinstance(work, Series) else [work]:
        if (run.folder / "run.sqlite").is_file():
            with Store(run.folder) as store:
                if not store.is_sealed:
                    say(f"{run.folder} was begun before runs were sealed, so edits of its files would not be noticed")


# ---- Doing it ----------------------------------------------------------------------------------------


def _carry_out(work: Run | Series, workers: int) -> threading.Event | None:
    """Do the work in a thread. Return None when it is done; if it was interrupted, the event that says when the thread
    has ended.
    """
    stop, ended = (
        threading.Event(),
        threading.Event(),
    )  # Thread.join, once interrupted, takes a thread for dead (Python 3.11)
    failed: list[BaseException] = []

    def run() -> None:
        try:
            if isinstance(work, Series):
                carry_out_series(work, workers=workers, progress=progress, stop=stop)
            else:
                carry_out(work, workers=workers, progress=progress, stop=stop)
        except BaseException as error:
            failed.append(error)
        finally:
            ended.set()

    with Terminal() as progress, choice.aside():  # what a user's functions print is no result
        usual = threading.stack_size(STACK)
        threading.Thread(target=run, daemon=True).start()
        threading.stack_size(usual)
        try:
            while not ended.wait(0.1):  # a wait without an end cannot be interrupted on Windows
                pass
        except KeyboardInterrupt:
            stop.set()
            with suppress(KeyboardInterrupt):  # a second one means: at once
                ended.wait(GRACE_SECONDS)
            return ended
    if failed:
        raise failed[0]
    return None


def _end(ended: threading.Event) -> int:
    """End after an interruption; where the step in hand goes on, with the process, which would wait for its threads."""
    if not ended.is_set():
        leave()
    return 130


def _how_far(work: Run | Series) -> str:
    """Return the last stored generation, in words."""
    if isinstance(work, Series):
        done = sum(run.is_finished for run in work.runs)
        return f"{done} of {work.seeds} runs"
    if not (work.folder / "run.sqlite").is_file():
        return "no generation"
    with Store(work.folder) as store:
        points, late = store.points(EVOLUTION), store.points(LATE)
    if late:
        return f"generation {late[-1].number} of tuning for depth {work.settings['late_depth']}"
    return f"generation {points[-1].number} of {work.settings['generations']}" if points else "no generation"


# ---- What came out --------------------------------------------------------------------------------------


def _run_result(run: Run, options: argparse.Namespace) -> int:
    data = result(run)
    if options.json:
        print_json(in_one_form(data))
        return 0
    champion = data["champion"]
    print(
        f"{data['experiment']} ({data['preset']}, seed {data['seed']}): {data['generations']} generations, "
        f"{effort(data)}"
    )
    print(
        f"  champion of generation {champion['generation']}, size {champion['size']}: {score_text(champion['score'])}"
    )
    for measure in champion["record"]:
        print(f"    {score_text(measure)}")
    if "late" in data:
        print(f"  tuned for depth {data['late']['depth']}, size {data['late']['size']}:")
        for measure in data["late"]["measures"]:
            print(f"    {score_text(measure)}")
    if data["baseline"]:
        print(f"  random search, {effort(data['baseline'])}: {score_text(data['baseline']['score'])}")
    spent = data["seconds"].pop(BASELINE, 0.0)
    print(
        f"  {duration(sum(data['seconds'].values()))} in all"
        + (f", and {duration(spent)} for random search" if spent else "")
    )
    rules = (
        f" --trust {shlex.quote(split(options.experiment)[0])}"
        if options.experiment and is_path(split(options.experiment)[0])
        else ""
    )
    place = shlex.quote(str(run.folder))
    print(f"  {run.folder}/report.html shows it, `ludwin show {place}{rules}` takes the champion apart")
    return 0


def effort(data: dict[str, Any]) -> str:
    """Return what a search has cost: evaluations, and games where they are what it may cost."""
    games = f" and {data['games']:,} games" if "games" in data else ""
    return f"{data['evaluations']:,} evaluations{games}"


def score_text(data: dict[str, Any]) -> str:
    measure = Measure.from_json(data)
    if not measure.is_score:
        samples = f", {measure.n:,} sample{'s' * (measure.n != 1)}" if measure.n else ""
        return f"{measure} on {measure.opponent}{samples}" if measure.opponent else str(measure)
    games = f", {measure.games:,} games" if measure.games else ""
    if measure.is_repetitive:
        games += f" of which {measure.distinct:,} differ, worth {measure.effective:.0f}"
    return f"score {measure} against {measure.opponent}{games}"


def series_result(series: Series, options: argparse.Namespace) -> int:
    summary = read_summary(series)
    if options.json:
        known = {key: value for key, value in summary.items() if key not in ("format", "version")}
        print_json(in_one_form({**known, "folder": str(series.folder)}))
        return 0
    last = series.seed + series.seeds - 1
    print(f"{series.experiment.name} ({series.preset}, seeds {series.seed} to {last})")
    for row in summary["runs"]:
        beside = f"; random search {figure(Measure.from_json(row['baseline']))}" if row.get("baseline") else ""
        print(f"  seed {row['seed']}: {score_text(row)}{beside}")
    mean, best = summary["mean"], summary["best"]
    print(f"  mean over seeds {plain(mean['value'])} [{plain(mean['low'])}, {plain(mean['high'])}]")
    print(f"  best, seed {best['seed']}, measured again on fresh seeds: {score_text(best)}")
    for line in late_lines(summary):
        print(f"  {line}")
    if "baseline" in summary:
        beside = summary["baseline"]
        print(
            f"  random search: mean {plain(beside['mean']['value'])}; {beside['test']['name']}: p = "
            f"{beside['test']['p']:.3g}"
        )
    print(f"  {series.folder}/report.html shows it")
    return 0


# ---- Lists and explanations ----------------------------------------------------------------------------


def _list(options: argparse.Namespace) -> int:
    rows = [(name, find(name).summary) for name in names()]
    if options.json:
        print_json({"experiments": [{"experiment": name, "about": about} for name, about in rows]})
        return 0
    print_table("experiments", ["experiment", "what evolves"], [list(row) for row in rows])
    say(
        "any game for two or more is one, too: `ludwin evolve ./mygame.py`; `ludwin evolve NAME --explain` lists the "
        "settings"
    )
    return 0


def _explain(experiment: Experiment, options: argparse.Namespace) -> int:
    chosen = {preset: _settled(experiment, preset, options) for preset in PRESETS}
    if _given(options):
        examine(experiment, chosen[options.preset or PRESETS[0]])
    known = schema(experiment)
    if options.json:
        settings = [
            {
                "name": key,
                "kind": one.kind,
                "about": one.help,
                "default": one.default,
                **{preset: chosen[preset][key] for preset in PRESETS},
            }
            for key, one in known.items()
        ]
        print_json({"experiment": experiment.name, "about": experiment.summary, "settings": settings})
        return 0
    print_words(f"{experiment.name}: {experiment.summary}")
    print_list([(key, one.help, _said(one.kind, [chosen[p][key] for p in PRESETS])) for key, one in known.items()])
    return 0


def _in_a_line(text: str) -> str:
    return f"{text.splitlines()[0]} …" if "\n" in text else text


def _said(kind: str, values: Sequence[Any]) -> str:
    """Return what a setting may be, and what it is in each preset."""
    told = [_in_a_line(value_text(value)) for value in values]
    if len(set(told)) == 1:
        return f"{kind}; {told[0] or 'empty'} in every preset"
    return f"{kind}; " + ", ".join(f"{preset} {text or 'empty'}" for preset, text in zip(PRESETS, told, strict=True))
