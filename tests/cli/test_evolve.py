"""The commands of evolution: what they print, what they refuse, and how they stop."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ludwin.cli import main
from ludwin.evolve.experiment import settle
from ludwin.evolve.register import find
from ludwin.evolve.run import create

SMALL = ["--set", "length=20", "population=10", "generations=8", "yardstick_every=3"]


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Run a command in a folder of its own; return exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ludwin.evolve.store.SYNCHRONOUS", "OFF")

    def do(*words):
        try:
            code = main([str(word) for word in words])
        except SystemExit as stop:
            code = stop.code
        out, err = capsys.readouterr()
        return code, out, err

    return do


def test_without_a_name_the_experiments_are_listed(run):
    code, out, _ = run("evolve")
    assert code == 0 and re.search(r"^onemax  +a string of ones", out, re.M)
    names = [row["experiment"] for row in json.loads(run("evolve", "--json")[1])["experiments"]]
    assert {"onemax", "symbolic-regression"} <= set(names)


def test_explain_shows_the_settings_of_the_line_and_refuses_what_a_run_would(run):
    _, out, _ = run("evolve", "onemax", "--explain", "--set", "length=70", "--json")
    (found,) = [row for row in json.loads(out)["settings"] if row["name"] == "length"]
    assert (found["quick"], found["standard"], found["paper"], found["default"]) == (70, 70, 70, 60)
    for words, reason in (
        (["--set", "population=x"], "population must be a whole number, got 'x'"),
        (["--set", "len=3"], "onemax has no setting 'len'"),
        (["--language", "nothing.toml"], "onemax has a language of its own"),
    ):
        code, out, err = run("evolve", "onemax", "--explain", *words)
        assert code == 2 and not out and reason in err and err.count("\n") == 1


def test_explain_lists_every_setting_with_its_presets(run):
    code, out, _ = run("evolve", "onemax", "--explain")
    said = r"^length +bits of a string\n +a whole number from 1 to 100000; quick 60, standard 100, paper\s+6$"
    assert code == 0 and re.search(said, out, re.M)
    assert max(map(len, out.splitlines())) <= 110  # piped into a pager, too
    settings = json.loads(run("evolve", "onemax", "--explain", "--json")[1])["settings"]
    (found,) = [row for row in settings if row["name"] == "population"]
    assert (
        found["quick"] == 60
        and found["standard"] == 100
        and found["about"]
        and found["kind"] == "a whole number from 1 to 10000000"
    )


def test_a_run_goes_where_it_says_and_resume_shows_it_again(run, tmp_path):
    code, out, err = run("evolve", "onemax", "--seed", 4, *SMALL)
    assert code == 0 and "writing to runs/onemax-seed4" in err
    assert out.startswith("onemax (quick, seed 4): 9 generations, ")
    assert {path.name for path in (tmp_path / "runs" / "onemax-seed4").iterdir()} == {
        "settings.json",
        "run.sqlite",
        "champion.json",
        "curves.svg",
        "report.html",
        "log.jsonl",
    }
    again = run("evolve", "--resume", "runs/onemax-seed4")
    assert again[:2] == (0, out) and "is finished; this is its result" in again[2]
    code, out, err = run("evolve", "onemax", "--seed", 4, *SMALL)
    assert (code, out) == (2, "") and "holds a run already; --resume runs/onemax-seed4" in err


def test_json_is_one_object_and_nothing_else(run):
    code, out, _ = run("evolve", "onemax", *SMALL, "--baseline", "--json")
    data = json.loads(out)
    assert code == 0 and out.count("\n") == 1
    assert data["champion"]["measure"]["value"] == data["champion"]["text"].count("1") / 20
    assert data["baseline"]["evaluations"] >= data["evaluations"] and set(data["seconds"]) >= {"evolution", "baseline"}
    assert run("evolve", "onemax", *SMALL, "--no-baseline", "--out", "x", "--json")[0] == 0


def test_progress_goes_to_stderr_in_lines(run):
    _, _, err = run("evolve", "onemax", *SMALL)
    assert re.search(
        r"onemax, seed 0: generation 8 of 8: best [\d.]+  mean [\d.]+  size 20 \(mean 20\)  "
        r"different \d+/10  yardstick 0\.\d+",
        err,
    )


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["evolve", "onemx"], "no experiment called 'onemx'; did you mean 'onemax'?"),
        (["evolve", "./nothing.py"], "there is no file './nothing.py'"),
        (["evolve", "onemax", "--seeds", "10001"], "seeds must be at most 10000, got 10001"),
        (["evolve", "onemax", "--out", ""], "--out names a folder, got ''"),
        (["evolve", "onemax", "--set", "poplation=3"], "has no setting 'poplation'; did you mean 'population'?"),
        (["evolve", "onemax", "--set", "population"], "--set takes key=value, got 'population'"),
        (["evolve", "onemax", "--set", "elite=1", "--set", "elite=2"], "--set gives elite twice"),
        (["evolve", "onemax", "--set", "baseline=on", "--no-baseline"], "give one of them"),
        (["evolve", "onemax", "--preset", "huge"], "invalid choice: 'huge'"),
        (["evolve", "onemax", "--seeds", "0"], "must be at least 1"),
        (["evolve", "--resume", "nowhere"], "nowhere holds no run to go on with; begin one with --out nowhere"),
        (["evolve", "--resume", "a", "--out", "b"], "leave --out away"),
        (["runs", "nowhere"], "there is no folder nowhere"),
        (["runs", "--compare", "a", "b"], "a holds no run"),
        (["runs", "x", "--compare", "a", "b"], "leave the others away"),
        (["show", "nowhere.json"], "cannot read nowhere.json"),
        (["show", "."], "there is no run in that folder"),
    ],
)
def test_misuse_is_one_line_and_exit_2(run, tmp_path, words, reason):
    code, out, err = run(*words)
    assert (code, out) == (2, "") and reason in err and err.count("\n") == 1
    assert not list(tmp_path.iterdir())  # nothing was begun


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--set", "population=11"], "was begun with population 10, not 11"),
        (["--seed", "5"], "was begun with seed 4, not 5"),
        (["--seeds", "3"], "was begun with seeds 1, not 3"),
        (["--preset", "paper"], "was begun with preset quick, not paper"),
        (["--baseline"], "was begun with baseline off, not on"),
        (["--set", "colour=red"], "has no setting 'colour'"),
        (["symbolic-regression"], "was begun with experiment onemax, not symbolic-regression"),
    ],
)
def test_a_resume_with_other_settings_is_refused(run, words, reason):
    run("evolve", "onemax", "--seed", 4, *SMALL, "--out", "r")
    code, out, err = run("evolve", "--resume", "r", *words)
    assert (code, out) == (2, "") and reason in err and err.count("\n") == 1
    assert run("evolve", "onemax", "--resume", "r", "--seed", 4, "--set", "population=10")[0] == 0


def test_foreign_folders_are_refused(run, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("")
    code, _, err = run("evolve", "onemax", *SMALL, "--out", "mine")
    assert code == 2 and "mine is not empty, and no run of ours; give another --out" in err


def test_newer_formats_are_refused(run, tmp_path):
    run("evolve", "onemax", *SMALL, "--out", "r")
    path = tmp_path / "r" / "settings.json"
    path.write_text(path.read_text().replace('"version": 1', '"version": 2'))
    code, _, err = run("evolve", "--resume", "r")
    assert code == 2 and "was written by a newer Ludwin (version 2 of ludwin-run, this one reads up to 1)" in err
    code, out, _ = run("runs", ".")
    assert code == 0 and "newer Ludwin" in out


def test_a_language_without_a_name_is_no_file(run, tmp_path):
    code, _, err = run("evolve", "nim", "--language", "", "--out", str(tmp_path / "run"))
    assert code == 2 and "--language names a file, got ''" in err and not (tmp_path / "run").exists()


def test_seeds_make_a_series_with_a_summary(run, tmp_path):
    code, out, _ = run("evolve", "onemax", "--seed", 3, "--seeds", 2, *SMALL, "--baseline")
    folder = tmp_path / "runs" / "onemax-seed3-x2"
    assert code == 0 and {path.name for path in folder.iterdir()} == {
        "settings.json",
        "summary.json",
        "report.html",
        "seed-3",
        "seed-4",
    }
    assert "mean over seeds" in out and "measured again on fresh seeds" in out and "Mann-Whitney" in out
    again = json.loads(run("evolve", "--resume", folder, "--json")[1])
    assert [row["seed"] for row in again["runs"]] == [3, 4] and again["mean"]["seeds"] == 2
    run("evolve", "onemax", "--seed", 4, *SMALL, "--baseline", "--out", "alone")
    assert (tmp_path / "alone" / "champion.json").read_bytes() == (folder / "seed-4" / "champion.json").read_bytes()


def test_runs_lists_and_compares(run):
    assert run("runs")[1] == "no runs in runs; `ludwin evolve` makes some\n"
    words = ["symbolic-regression", "--set", "generations=3", "champion_games=100", "finalist_games=50"]
    run("evolve", *words, "population=40", "--out", "runs/few")
    run("evolve", *words, "population=80", "--seeds", 2, "--out", "runs/many")
    code, out, _ = run("runs")
    assert code == 0 and [line.split()[0] for line in out.splitlines()[1:]] == [
        "runs/few",
        "runs/many/seed-0",
        "runs/many/seed-1",
    ]
    assert len(json.loads(run("runs", "runs/many", "--json")[1])["runs"]) == 2
    create(Path("runs/begun"), find("onemax"), "quick", settle(find("onemax"), "quick", {}), 0)
    assert "no generation yet" in run("runs", "runs/begun")[1]
    shutil.rmtree("runs/begun")
    code, out, _ = run("runs", "--compare", "runs/few", "runs/many/seed-0")
    assert code == 0 and "Welch's t, two-sided: p = " in out and "it says nothing about the settings" in out
    found = json.loads(run("runs", "--compare", "runs/many", "runs/many", "--json")[1])
    assert found["test"].startswith("Mann-Whitney") and found["difference"] == 0 and found["p"] > 0.5
    code, _, err = run("runs", "--compare", "runs/few", "runs/many")
    assert code == 2 and "compare two runs or two series" in err


def test_show_takes_a_champion_apart(run, tmp_path):
    run("evolve", "symbolic-regression", "--out", "r")
    code, out, _ = run("show", "r", "--games", 50)
    assert code == 0 and "used: " in out and "argument 2 of the root" in out
    data = json.loads(run("show", "r/champion.json", "--json")[1])
    assert (
        data["experiment"] == "symbolic-regression" and data["text"] and data["depth"] >= 3 and "ablation" not in data
    )
    assert run("show", "r", "--svg", "tree.svg", "--python", "champion.py")[0] == 0
    assert ElementTree.parse(tmp_path / "tree.svg").getroot().tag.endswith("svg")
    names = {}
    exec((tmp_path / "champion.py").read_text(), names)
    assert names["evaluate"](lambda asked, place: 0.5) == pytest.approx(0.5**4 + 0.5**3 + 0.5**2 + 0.5)
    code, _, err = run("show", "r", "--svg", "no/such/folder.svg")
    assert code == 2 and "there is no folder 'no/such'" in err
    run("evolve", "onemax", *SMALL, "--out", "bits")
    for option, what in (("--svg", "picture"), ("--python", "Python form")):
        code, _, err = run("show", "bits", option, "file")
        assert code == 2 and f"champions of onemax have no {what}" in err and not (tmp_path / "file").exists()


def test_help_is_quick_and_imports_nothing_heavy(python):
    tell = "print([m for m in ('numpy', 'sqlite3', 'rich') if m in sys.modules])"
    script = (
        f"import sys\nfrom ludwin.cli import main\ntry:\n    main(['evolve', '--help'])\nexcept SystemExit:\n    {tell}"
    )
    assert python(script).splitlines()[-1] == "[]"


# ---- Stopping

needs_signals = pytest.mark.skipif(os.name != "posix", reason="needs signals of a terminal")


# Sends itself what a terminal sends on Ctrl-C, after the fifth generation.
INTERRUPTED = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # the suite may run where it is ignored
from ludwin.cli import main
from ludwin.evolve.store import Store

usual = Store.add_generation


def add_generation(self, branch, generation, kind):
    point = usual(self, branch, generation, kind)
    if generation.number == 5:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)
    return point


Store.add_generation = add_generation
sys.exit(main(sys.argv[1:]))
"""


@needs_signals
def test_ctrl_c_stops_cleanly_and_says_how_to_go_on(tmp_path, python):
    words = ["onemax", "--set", "population=10", "generations=9", "length=20"]
    process = python(INTERRUPTED, "evolve", *words, "--out", "r", "--json", wait=False)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert (
        re.search(r"^ludwin: interrupted after generation 5 of 9; go on with: ludwin evolve --resume r$", err, re.M)
        and "Traceback" not in err
    )
    start = "import sys\nfrom ludwin.cli import main\nsys.exit(main(sys.argv[1:]))"
    python(start, "evolve", "--resume", "r")
    python(start, "evolve", *words, "--out", "whole")
    assert (tmp_path / "r" / "champion.json").read_bytes() == (tmp_path / "whole" / "champion.json").read_bytes()


SLEEPY = """
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from ludwin.evolve.sanity import ONEMAX


class Sleepy:
    def score(self, genomes, generation, stream):
        with ThreadPoolExecutor(2) as pool:
            print("asleep", flush=True)
            return list(pool.map(lambda genome: time.sleep(600), genomes))


SLEEPY = replace(ONEMAX, name="sleepy", fitness=lambda settings, workers: Sleepy())
"""
START = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # the suite may run where it is ignored
from ludwin.cli import main
from ludwin.evolve.register import EXPERIMENTS
EXPERIMENTS["sleepy"] = "sleepy:SLEEPY"
sys.exit(main(["evolve", "sleepy", "--out", "r"]))
"""


@needs_signals
def test_ctrl_c_does_not_wait_for_a_long_generation(tmp_path, start):
    (tmp_path / "sleepy.py").write_text(SLEEPY)
    process = start(
        [sys.executable, "-c", START], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert "asleep\n" in iter(process.stderr.readline, "")  # what a fitness prints goes there, results to stdout
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and time.monotonic() - began < 20
    assert "interrupted after no generation; go on with: ludwin evolve --resume r" in err


@needs_signals
def test_a_terminal_shows_a_live_line(tmp_path, start):
    import pty

    ours, theirs = pty.openpty()
    words = ["onemax", "--set", "population=30", "generations=100000", "--out", "r"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
    process = start(
        [sys.executable, "-m", "ludwin", "evolve", *words],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=environment,
    )
    os.close(theirs)
    text, wanted = "", re.compile(r"onemax, seed 0 .*\d+/100001 +best .*different \d+/30 +yardstick .* left")
    try:  # the run is far longer than the wait for its line, so a quick machine cannot end it first
        while not wanted.search(text):
            part = os.read(ours, 65536)
            assert part, text
            text += re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", part).decode(errors="replace")
    except OSError:  # Linux says so when the other end is closed
        pytest.fail(text)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    os.close(ours)


def test_show_measures_the_strengths_of_terminals_of_any_champion(run, tmp_path):
    run("evolve", "symbolic-regression", "--out", "r", "--set", "generations=2", "population=20", "finalist_games=20")
    code, out, _ = run("show", "r", "--strengths", "--games", 20, "--svg", "strengths.svg")
    assert code == 0 and "terminals, the strongest first" in out
    assert ElementTree.parse(tmp_path / "strengths.svg").getroot().tag.endswith("svg")
    data = json.loads(run("show", "r", "--strengths", "alone", "--games", 20, "--json")[1])
    assert data["strengths"]["terminals"][0]["alone"] and "ablation" not in data
    for words, said in ((["--strengths", "alon"], "not 'alon'"), (["--runs", 3], "--runs is for --strengths")):
        code, _, err = run("show", "r", *words)
        assert code == 2 and said in err
    code, _, err = run("show", "r", "--strengths", "--runs", 3)
    assert code == 2 and "left-out, pairs, counts" in err
    run("evolve", "onemax", "--out", "bits", "--set", "generations=2", "population=10")
    code, _, err = run("show", "bits", "--strengths")
    assert code == 2 and "champions of onemax are none" in err
