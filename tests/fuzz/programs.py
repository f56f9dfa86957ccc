"""Random programs in plain, checked and fast mode: the three must agree to the last bit, and fault at the same line.

Why it is here. Ludwin compiles rules by a compiler of its own, and a compiler's bugs are silent. Here programs that
nobody would write (`tests/fuzz/generate.py`) run in all modes from the same states, and a twin that examines every
operation (`tests/fuzz/twin.py`) says what each mode owes. What differs is shrunk to a few lines and written into a
folder.

    python -m tests.fuzz programs --seed 1 --count 50000 --workers 2 --out /tmp/found
    python -m tests.fuzz programs --seed 1 --only 4711          # one program, its text and what came of it
    python -m tests.fuzz replay /tmp/found/1-4711-fast           # a reproducer again, after a repair

How it is built. `BATCH` programs make one rule file and are compiled together, once for each mode; `query(s, p, k,
a)` runs number k. A program that lint or the compiler refuses is taken out by its line and counted (`refused`).
Batches run in worker processes, so that a crash or an endless loop of compiled code is a finding too (`crash`,
`hang`), and memory does not grow.

What the last line counts. `fine … long`: verdicts of the twin, by run. `wrapped`: runs that left 64 bits and were
compared in fast mode with wrapped integers. `joined`: runs in which plain alone differs because it keeps a whole
number where compiled code keeps a float (see `twin`); no difference, but a gap in the promise. `mixed`: runs in
which a compiled mode ends in neither of the two ways that the twin allows for such variables; rare, and nobody's
fault as far as is known. `differences`: all else; exit 1.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from ludwin import load
from ludwin.errors import LudwinError, RuleError
from ludwin.game import Game, State
from ludwin.kernel.names import States, query
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel
from tests.fuzz.generate import HELPER, PARAMETERS, PREAMBLE, Features, Program, inputs, invent
from tests.fuzz.shrink import shrink
from tests.fuzz.twin import Twin, Verdict, alike, same

BATCH = 40  # programs of one file
INPUTS = 8  # states that each starts in
PATIENCE = 300.0  # seconds that a batch may take before it counts as hanging
RENEWAL = 25  # batches after which a worker is replaced, because compiled code is never unloaded
COMPILED = ("checked", "fast")

Cells = tuple[int | float, ...]
Case = tuple[Program, list[Cells]]  # a program and the states to run it from


# Kernel text.
def ask(states: States, k: int):  # type: ignore[no-untyped-def]
    return query(states[0], 0, k, 0)


KERNEL = Kernel("ask", ask)


@dataclass
class Difference:
    """One run in which a mode did not do what it owes."""

    program: Program
    cells: Cells
    mode: str
    expected: Verdict
    got: str

    @property
    def signature(self) -> tuple[str, str, str]:
        """What must stay the same while the program is shrunk."""
        return self.mode, self.expected.how, self.got.partition(":")[0]


def _zeros() -> dict[str, float]:  # a lambda cannot go through a pipe
    return defaultdict(float)


@dataclass
class Report:
    """What came of a batch."""

    counts: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=_zeros)


# Step 1. Files.


def wrapper(program: Program, number: int) -> list[str]:
    """Return a function that runs a program on a state and leaves its result there."""
    out = [f"def w{number}(s):", f"    r = {program.name}(s, s.i0, s.i1, s.x0, s.x1)"]
    count = {"ri": 0, "rf": 0}

    def keep(text: str, kind: Any) -> None:
        if isinstance(kind, tuple):
            for k, part in enumerate(kind[1:]):
                keep(f"{text}[{k}]", part)
            return
        place = "rf" if kind == "f" else "ri"
        if count[place] < 4:
            out.append(f"    s.{place}[{count[place]}] = {text}")
            count[place] += 1

    keep("r", program.main.returns)
    return [*out, "    return r" if program.main.returns == "f" else "    return 0.0"]


@dataclass
class File:
    """The rule file of some programs with its helper, in the author's form and in the twin's; whose line is whose."""

    main: str
    helper: str
    twin_main: str
    twin_helper: str
    owners: dict[tuple[str, int], int]  # (file name, line) -> number of the program

    @classmethod
    def of(cls, programs: list[Program]) -> File:
        """Write programs into a file."""
        imports = "".join(f", {f.name}" for p in programs for f in p.reached() if f.helper)
        texts = {"programs.py": PREAMBLE.format(imports=imports).splitlines(), "helper.py": HELPER.splitlines()}
        twins = {name: [""] * len(lines) for name, lines in texts.items()}
        owners = {}
        for number, program in enumerate(programs):
            blocks = [(f.lines(False), f.lines(True), f.helper) for f in program.reached()]
            wrapped = wrapper(program, number)
            for text, twin, helper in [*blocks, (wrapped, wrapped, False)]:
                name = "helper.py" if helper else "programs.py"
                owners.update({(name, len(texts[name]) + 1 + k): number for k in range(len(text))})
                texts[name] += [*text, "", ""]
                twins[name] += [*twin, "", ""]
        chosen = ["def query(s, p, k, a):"]
        for number in range(len(programs)):
            chosen += [f"    if k == {number}:", f"        return w{number}(s)"]
        chosen += ["    return 0.0"]
        texts["programs.py"] += chosen
        twins["programs.py"] += chosen
        joined = {
            name: "\n".join(lines) + "\n"
            for name, lines in (*texts.items(), *((f"twin {n}", t) for n, t in twins.items()))
        }
        return cls(
            joined["programs.py"], joined["helper.py"], joined["twin programs.py"], joined["twin helper.py"], owners
        )

    def write(self, folder: Path) -> Path:
        """Write the two files into a folder; return the game's path."""
        (folder / "helper.py").write_text(self.helper, encoding="utf8")
        (folder / "programs.py").write_text(self.main, encoding="utf8")
        return (folder / "programs.py").resolve()


def parameters(number: int) -> dict[str, Any]:
    """Return the parameters that a file is loaded with: every other one has some set."""
    if number % 2 == 0:
        return {}
    return {
        name: values[number // 2 % len(values)]
        for name, values in PARAMETERS.items()
        if (number // 2) & 1 or name == "n"
    }


# Step 2. One batch.


def compare(
    cases: list[Case],
    variant: int,
    modes: tuple[str, ...] = COMPILED,
    sabotage: Callable[[str], str] | None = None,
    only_fine: bool = False,
) -> Report:
    """Run programs in all modes and say what differs.

    `variant` chooses the parameters of the file. `sabotage` changes the twin's text: the test that a
    wrong meaning is found uses it. With `only_fine` nothing is asked of runs that end in a fault.
    """
    report = Report()
    cases = list(cases)
    started = time.process_time()
    folder = Path(tempfile.mkdtemp(prefix="ludwin-fuzz-"))
    before = os.environ.get("LUDWIN_CACHE")
    os.environ["LUDWIN_CACHE"] = str(folder / "cache")
    try:
        while cases:
            clock = time.perf_counter()
            file = File.of([program for program, _ in cases])
            path = file.write(folder)
            try:
                game = load(str(path), **parameters(variant))
                report.seconds["load"] += time.perf_counter() - clock
                runs = {}
                for mode in ("plain", *modes):
                    clock = time.perf_counter()
                    runs[mode] = specialise(game, KERNEL, mode)
                    report.seconds[mode] += time.perf_counter() - clock
            except Exception as error:
                if not isinstance(error, RuleError):  # the compiler itself failed
                    if len(cases) == 1:
                        program, states = cases[0]
                        got = f"compiler {type(error).__name__}: {error}"
                        report.counts["differences"] += 1
                        report.differences.append(Difference(program, states[0], "compiled", Verdict("fine"), got))
                        break
                    _halves(cases, variant, modes, sabotage, only_fine, report)
                    break
                number = file.owners.get((Path(error.path or "").name, error.line or 0))
                report.refusals.append(str(error))
                report.counts["refused"] += 1
                if number is None:  # the compiler does not say whose fault it is: nobody is compared
                    if len(cases) == 1:
                        break
                    report.counts["refused"] -= 1
                    report.refusals.pop()
                    _halves(cases, variant, modes, sabotage, only_fine, report)
                    break
                del cases[number]
                continue
            texts = {str(path): file.twin_main, str(path.parent / "helper.py"): file.twin_helper}
            twin = Twin(game, {name: sabotage(text) if sabotage else text for name, text in texts.items()})
            clock = time.perf_counter()
            for number, (program, states) in enumerate(cases):
                report.counts["programs"] += 1
                for cells in states:
                    _examine(game, twin, runs, number, program, cells, report, only_fine)
            report.seconds["run"] += time.perf_counter() - clock
            break
    finally:
        if before is None:
            del os.environ["LUDWIN_CACHE"]
        else:
            os.environ["LUDWIN_CACHE"] = before
        shutil.rmtree(folder, ignore_errors=True)
    report.seconds["CPU"] += time.process_time() - started
    return report


def _halves(cases: list[Case], variant: int, modes: Any, sabotage: Any, only_fine: bool, report: Report) -> None:
    """Compare the two halves of a batch that cannot be compiled as a whole, for a reason that names no program."""
    middle = len(cases) // 2
    for half in (cases[:middle], cases[middle:]):
        merge(report, compare(half, variant, modes, sabotage, only_fine))


def merge(report: Report, other: Report) -> None:
    """Add another report to one."""
    report.counts += other.counts
    for name, seconds in other.seconds.items():
        report.seconds[name] += seconds
    report.differences += other.differences
    report.refusals += other.refusals


def _examine(
    game: Game,
    twin: Twin,
    runs: dict[str, Any],
    number: int,
    program: Program,
    cells: Cells,
    report: Report,
    only_fine: bool,
) -> None:
    """Run one program from one state in all modes."""
    verdicts = _verdicts(twin, number, cells, wrap=False)
    report.counts["runs"] += 1
    report.counts[verdicts[0].how] += 1
    endings = {verdict.how for verdict in verdicts}
    if "long" in endings or (only_fine and endings != {"fine"}):
        return
    for mode, run in runs.items():
        expected = verdicts
        if mode == "plain" and not endings <= {"fine", "raises"}:
            continue
        if mode == "fast" and "index" in endings:
            continue
        if mode == "fast" and endings & {"leaves", "inexact"}:
            expected = _verdicts(twin, number, cells, wrap=True)
            if not {verdict.how for verdict in expected} <= {"fine", "raises"}:
                continue
            report.counts["wrapped"] += 1
        found = [_disagreement(game, run, number, cells, verdict) for verdict in expected]
        got = found[0]
        if None in found or got is None:
            continue
        if mode == "plain" and verdicts[0].coerced:
            report.counts["joined"] += 1
        elif len(expected) > 1:
            report.counts["mixed"] += 1
        else:
            report.counts["differences"] += 1
            report.differences.append(Difference(program, cells, mode, expected[0], got))


def _verdicts(twin: Twin, number: int, cells: Cells, wrap: bool) -> list[Verdict]:
    """Return how a run may end: two ways if it depends on what a compiler takes for one variable."""
    strict = twin.run(number, cells, wrap)
    if not strict.coerced:
        return [strict]
    loose = twin.run(number, cells, wrap, loose=True)
    return [strict] if alike(strict, loose) else [strict, loose]


def _disagreement(game: Game, run: Any, number: int, cells: Cells, expected: Verdict) -> str | None:
    """Return what a mode did instead of what it owes, None if it did that."""
    states = run.states(1)
    run.put(states, 0, State(game, cells))
    try:
        answer = float(run(states, number))
    except RuleError as error:
        place = (error.path or "", error.line or 0)
        if expected.how == "fine":
            return f"fault: {error}"
        return None if place == expected.line else f"elsewhere: {error}"
    except (LudwinError, ArithmeticError, LookupError, NameError, TypeError, ValueError, AssertionError) as error:
        return f"raw {type(error).__name__}: {error}"
    after = run.get(states, 0).cells
    if expected.how != "fine":
        return f"no fault: {after}"
    if not same(answer, expected.answer):
        return f"answer: {answer!r}"
    for field_ in game.fields:
        for k in range(field_.offset, field_.offset + field_.cells):
            if not same(after[k], expected.cells[k]):
                return f"state: {field_.name}[{k - field_.offset}] is {after[k]!r}"
    return None


# Step 3. Findings.


def dies(difference: Difference, variant: int) -> Callable[[Program], Difference | None]:
    """Return a test whether a program still kills its process."""

    def test(program: Program) -> Difference | None:
        end = alone([(program, [difference.cells])], variant)
        return (
            Difference(program, difference.cells, "compiled", difference.expected, end)
            if isinstance(end, str)
            else None
        )

    return test


def again(difference: Difference, variant: int) -> Callable[[Program], Difference | None]:
    """Return a test whether a program still shows a difference of the same kind."""

    def test(program: Program) -> Difference | None:
        modes = (difference.mode,) if difference.mode in COMPILED else COMPILED
        found = compare([(program, [difference.cells])], variant, modes).differences
        return next((d for d in found if d.signature == difference.signature), None)

    return test


def keep(difference: Difference, variant: int, folder: Path) -> None:
    """Write a reproducer: the game with its helper, and what was expected and found."""
    folder.mkdir(parents=True, exist_ok=True)
    file = File.of([difference.program])
    file.write(folder)
    expected = difference.expected
    about = {
        "mode": difference.mode,
        "cells": [repr(v) for v in difference.cells],
        "parameters": parameters(variant),
        "expected": expected.how,
        "line": expected.line[1] if expected.line else None,
        "reason": expected.reason,
        "expected state": [repr(v) for v in expected.cells],
        "expected answer": repr(expected.answer),
        "got": re.sub(r"\S*/(\w+\.py)", r"\1", difference.got),
    }
    (folder / "about.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf8")


def replay(folder: Path) -> int:
    """Run a reproducer in all modes and print what each says; 1 if one still differs from what was expected."""
    about = json.loads((folder / "about.json").read_text(encoding="utf8"))
    number = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}

    def value(text: str) -> int | float:
        return number[text] if text in number else float(text) if set(text) & set(".e") else int(text)

    cells = tuple(map(value, about["cells"]))
    game = load(str(folder / "programs.py"), **about["parameters"])
    name = "helper.py" if "helper.py" in about["got"] else "programs.py"
    line = (str((folder / name).resolve()), about["line"]) if about["line"] else None
    expected = Verdict(
        about["expected"], line, tuple(map(value, about["expected state"])), value(about["expected answer"])
    )
    print(
        f"expected: {about['expected']} {about['reason']} {'' if line is None else f'line {line[1]}'}; "
        f"{about['mode']} did: {about['got']}"
    )
    worst = 0
    for mode in ("plain", *COMPILED):
        try:
            got = _disagreement(game, specialise(game, KERNEL, mode), 0, cells, expected)
        except RuleError as error:
            got = f"refused: {error}"
        print(f"{mode}: {got or 'as expected'}")
        worst |= got is not None and mode == about["mode"]
    return int(worst)


# Step 4. Workers.


def work(pipe: Connection, only_fine: bool) -> None:
    """Compare batches that come through a pipe until it closes."""
    out = os.open(os.devnull, os.O_WRONLY)
    os.dup2(out, 1)
    while True:
        try:
            cases, variant = pipe.recv()
        except EOFError:
            return
        report = compare(cases, variant, only_fine=only_fine)
        pipe.send(report)


class Worker:
    """A process that compares batches."""

    only_fine = False  # of all workers: `--only-fine`

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs, self.only_fine), daemon=True)
        self.process.start()
        theirs.close()
        self.batches = 0
        self.job: tuple[list[Case], int] | None = None
        self.since = 0.0

    def give(self, cases: list[Case], variant: int) -> None:
        """Hand a batch to the worker."""
        self.job, self.since = (cases, variant), time.monotonic()
        self.batches += 1
        self.pipe.send((cases, variant))

    def take(self) -> Report | str:
        """Return the report, or how the worker died."""
        try:
            return self.pipe.recv()  # type: ignore[no-any-return]
        except (EOFError, ConnectionError):
            self.process.join(5)
            return f"crash: the process ended with code {self.process.exitcode}"

    def end(self) -> None:
        """Stop the process."""
        self.pipe.close()
        if self.process.is_alive():
            self.process.kill()
        self.process.join()


def alone(cases: list[Case], variant: int, patience: float = 60.0) -> Report | str:
    """Compare a batch in a process of its own; return its report, or how the process died."""
    worker = Worker()
    try:
        worker.give(cases, variant)
        if not worker.pipe.poll(patience):
            return f"hang: no answer in {patience:.0f} s"
        return worker.take()
    finally:
        worker.end()


def culprits(cases: list[Case], variant: int) -> Iterator[Difference]:
    """Yield the programs that make a worker crash or hang, with the state in which they do."""
    end = alone(cases, variant)
    if isinstance(end, Report):
        return
    if len(cases) > 1:
        middle = len(cases) // 2
        yield from culprits(cases[:middle], variant)
        yield from culprits(cases[middle:], variant)
        return
    program, states = cases[0]
    for cells in states:
        end = alone([(program, [cells])], variant)
        if isinstance(end, str):
            yield Difference(program, cells, "compiled", Verdict("fine"), end)
            return


def probe() -> Features:
    """Find out which parts of the language the compiler at hand has."""
    text = PREAMBLE.format(imports="")
    folder = Path(tempfile.mkdtemp(prefix="ludwin-fuzz-"))
    (folder / "helper.py").write_text(HELPER, encoding="utf8")

    def faults(body: str) -> bool | None:
        path = folder / f"probe{len(body)}.py"
        path.write_text(text + body, encoding="utf8")
        try:
            game = load(str(path))
            run = specialise(game, KERNEL, "fast")
            states = run.states(1)
            run.put(states, 0, game.start())
            run(states, 0)
        except RuleError as error:
            return True if "compiled:" not in str(error) and error.line else None
        return False

    try:
        circle = "def f(n: int):\n    return 0 if n < 1 else g(n - 1)\n\n\n"
        circle += "def g(n: int):\n    return 0 if n < 1 else f(n - 1)\n\n\n"
        mutual = faults(circle + "def query(s, p, k, a):\n    return 1.0 * f(3)\n")
        unbound = faults("def query(s, p, k, a):\n    for i in range(s.i0):\n        k = i\n    return 1.0 * i\n")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Features(mutual=mutual is False, unbound=unbound is True)


# Step 5. The command.


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Tell the command line what this target takes."""
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, help="how many programs (1000 unless --minutes is given)")
    parser.add_argument("--minutes", type=float, help="stop after so many minutes")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--batch", type=int, default=BATCH, help=f"programs of one file ({BATCH})")
    parser.add_argument("--out", type=Path, default=Path("fuzz-found"), help="folder for reproducers (fuzz-found)")
    parser.add_argument(
        "--most", type=int, default=10, help="differences to shrink and write; the rest are counted (10)"
    )
    parser.add_argument("--only", type=int, help="show one program and compare it alone")
    parser.add_argument("--first", type=int, default=0, help="number of the first program (0)")
    parser.add_argument("--only-fine", action="store_true", help="ask nothing of runs that end in a fault")
    parser.add_argument("--shrink-seconds", type=float, default=60.0, help="time for each reproducer (60)")


def case(seed: int, number: int, features: Features) -> Case:
    """Return a program and its states."""
    return invent(seed, number, features), inputs(seed, number, INPUTS)


def run(options: argparse.Namespace) -> int:
    """Do what the command line says."""
    Worker.only_fine = options.only_fine
    features = probe()
    print(
        f"the compiler has mutual recursion: {features.mutual}; notices unbound variables: {features.unbound}",
        flush=True,
    )
    if options.only is not None:
        return show(options.seed, options.only, features, options.batch)
    total, found = Report(), 0
    clock = time.monotonic()
    shown: Counter[tuple[str, ...]] = Counter()
    told: set[str] = set()
    last = 0.0
    for report, variant in batches(options, features):
        merge(total, report)
        for difference in report.differences:
            shown[difference.signature] += 1
            if found < options.most and shown[difference.signature] <= 20 and difference.program.name not in told:
                told.add(difference.program.name)
                found += 1
                _tell(difference, variant, options)
        total.differences.clear()
        spent = time.monotonic() - clock
        if spent - last > 10:
            last = spent
            print(f"{_line(total)} | {total.counts['programs'] / spent:.1f} programs a second", flush=True)
    spent = time.monotonic() - clock
    for reason, count in Counter(_gist(r) for r in total.refusals).most_common(12):
        print(f"refused {count}: {reason}")
    for signature, count in shown.most_common():
        print(f"{count} differences: {', '.join(signature)}")
    parts = ", ".join(f"{name} {seconds:.1f}" for name, seconds in total.seconds.items())
    each = 1000 * total.seconds["CPU"] / max(1, total.counts["programs"])
    print(f"seconds in workers: {parts}; {each:.0f} ms of CPU a program")
    print(f"{_line(total)} | {spent:.0f} s, {total.counts['programs'] / spent:.1f} programs a second")
    return 1 if total.counts["differences"] else 0


def _tell(difference: Difference, variant: int, options: argparse.Namespace) -> None:
    print(
        f"DIFFERENCE in {difference.program.name}, {difference.mode}: {difference.expected.how} expected, got "
        f"{difference.got}",
        flush=True,
    )
    test = (
        dies(difference, variant)
        if difference.mode == "compiled" and "compiler" not in difference.got
        else again(difference, variant)
    )
    small = shrink(difference.program, test, options.shrink_seconds)
    kept = test(small) or difference
    folder = options.out / f"{options.seed}-{difference.program.name}-{difference.mode}"
    keep(kept, variant, folder)
    print(f"  written to {folder}", flush=True)


def _gist(refusal: str) -> str:
    """Return a refusal without its place and names."""
    words = refusal.split(": ", 1)[-1]
    return words[:110]


def _line(report: Report) -> str:
    order = (
        "programs",
        "refused",
        "runs",
        "fine",
        "raises",
        "leaves",
        "index",
        "inexact",
        "long",
        "wrapped",
        "joined",
        "mixed",
        "differences",
    )
    return " ".join(f"{name} {report.counts[name]}" for name in order)


def batches(options: argparse.Namespace, features: Features) -> Iterator[tuple[Report, int]]:
    """Yield the reports of all batches, with the variant of each, in the order in which they are done."""
    count = options.count if options.count is not None else 10**9 if options.minutes else 1000
    end = time.monotonic() + options.minutes * 60 if options.minutes else float("inf")
    first, stop = options.first, options.first + count
    workers: list[Worker] = []
    numbers = iter(range(first, stop, options.batch))

    def feed(worker: Worker) -> bool:
        start = next(numbers, None) if time.monotonic() < end else None
        if start is None:
            worker.end()
            return False
        members = range(start, min(start + options.batch, stop))
        worker.give([case(options.seed, number, features) for number in members], start // options.batch)
        return True

    try:
        for _ in range(max(1, options.workers)):
            worker = Worker()
            if feed(worker):
                workers.append(worker)
        while workers:
            ready = wait([worker.pipe for worker in workers], timeout=1.0)
            for worker in list(workers):
                late = time.monotonic() - worker.since > PATIENCE
                if worker.pipe not in ready and not late:
                    continue
                end_ = worker.take() if worker.pipe in ready else "hang"
                assert worker.job is not None
                cases, variant = worker.job
                workers.remove(worker)
                if isinstance(end_, Report):
                    yield end_, variant
                else:
                    report = Report(differences=list(culprits(cases, variant)))
                    report.counts["differences"] = max(1, len(report.differences))
                    print(f"a worker died in batch {variant}: {end_}", flush=True)
                    yield report, variant
                if isinstance(end_, str) or worker.batches >= RENEWAL:
                    worker.end()
                    worker = Worker()
                if feed(worker):
                    workers.append(worker)
    finally:
        for worker in workers:
            worker.end()


def show(seed: int, number: int, features: Features, batch: int) -> int:
    """Print one program, the verdict of the twin from each state, and what differs."""
    program, states = case(seed, number, features)
    for function in program.reached():
        print("\n".join(function.lines(False)) + "\n")
    end = alone([(program, states)], number // batch)
    if isinstance(end, str):
        print(end)
        return 1
    for refusal in end.refusals:
        print(f"refused: {refusal}")
    for difference in end.differences:
        print(f"{difference.mode}: {difference.expected} expected, got {difference.got}\n  from {difference.cells}")
    print(_line(end))
    return 1 if end.differences else 0


if __name__ == "__main__":
    sys.exit("run python -m tests.fuzz programs")
