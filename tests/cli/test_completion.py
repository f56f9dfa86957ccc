"""Completion in real shells: what they offer is what the parsers take."""

import json
import os
import pty
import re
import select
import shutil
import subprocess
import time

import pytest

from ludwin.cli import main
from ludwin.cli.completion import SHELLS, lines, names
from ludwin.cli.doors import DOORS, of_games, parser_of
from ludwin.cli.shells import script

BASH = shutil.which("bash")
needs_bash = pytest.mark.skipif(BASH is None, reason="bash is not installed")

ASK = """
source "$1"
shift
while (($#)); do
    IFS=$'\\t' read -r -d '' -a COMP_WORDS < <(printf '%s\\0' "$1")
    [[ $1 == *$'\\t' ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE= COMP_POINT=0
    _ludwin
    printf '%s\\t' "${COMPREPLY[@]}"
    printf '\\n'
    shift
done
"""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """The scripts of all shells, in files."""
    folder = tmp_path_factory.mktemp("scripts")
    known, registered = lines(), names()
    for shell in SHELLS:
        (folder / shell).write_text(script(shell, known, registered), encoding="utf8")
    return folder


@pytest.fixture
def ask(scripts, tmp_path):
    """Ask a real bash for completions of lines whose words are separated by tabs."""

    def do(*typed):
        run = subprocess.run(
            [BASH, "--norc", "-c", ASK, "bash", str(scripts / "bash"), *typed],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert run.returncode == 0 and run.stderr == "", run.stderr
        answers = [line.rstrip("\t").split("\t") for line in run.stdout.split("\n")[: len(typed)]]
        return [[] if answer == [""] else answer for answer in answers]

    return do


def words(*parts):
    return "\t".join(parts)


@needs_bash
def test_bash_completes_every_command_and_all_its_long_options(ask):
    assert ask(words("ludwin", ""))[0] == [*DOORS, *of_games(), "--help", "--version"]
    answers = ask(*(words("ludwin", name, "--") for name in DOORS))
    for name, found in zip(DOORS, answers, strict=True):
        known = [text for action in parser_of(name)._actions for text in action.option_strings if text[:2] == "--"]
        assert found == known


@needs_bash
def test_bash_completes_the_choices_of_every_option_that_has_some(ask):
    asked, expected = [], []
    for name in DOORS:
        for action in parser_of(name)._actions:
            if action.choices and action.option_strings:
                for text in action.option_strings:
                    asked += [
                        words("ludwin", name, text, ""),
                        words("ludwin", name, text, "="),
                    ]
                    expected += [list(action.choices)] * 2
                    asked.append(words("ludwin", name, text, "=", action.choices[-1][:2]))
                    expected.append([choice for choice in action.choices if choice.startswith(action.choices[-1][:2])])
                    asked.append(words("ludwin", name, f"{text}={action.choices[0]}"))  # where = breaks no words
                    expected.append([f"{text}={action.choices[0]}"])
    assert asked and ask(*asked) == expected


@needs_bash
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["ma"], ["match"]),
        (["comp"], ["compile", "completion"]),
        (["--v"], ["--version"]),
        (["play", "conn"], ["connect-four"]),
        (["play", "nim", "hu"], ["human"]),
        (["play", "nim", "human", "alph"], ["alphabeta"]),
        (["match", "nim", "--games", "4", "uct"], ["uct"]),
        (["match", "--games", "4", "--json", "ni"], ["nim"]),
        (["match", "--games", "=", "4", "ni"], ["nim"]),
        (["match", "nim", ":", "heap", "=", "5", "uct", ":", "playouts", "=", "9", "gre"], ["greedy"]),
        (["match", "nim", "uct", "--seed", "-3", "gre"], ["greedy"]),
        (["match", "nim", "--games", ""], []),
        (["moves", "nim", "x"], []),
        (["agents", "ea"], ["ea-mcts"]),
        (["evolve", "onem"], ["onemax"]),
        (["evolve", "lose"], ["lose-checkers", "lose-checkers-book", "lose-checkers-sum"]),
        (["evolve", "onemax", "--set", "a", "=", "1", "b"], []),
        (["evolve", "onemax", "--set", "a", "=", "1", "--expl"], ["--explain"]),
        (["reproduce", "lose-checkers-3.5"], ["lose-checkers-3.5"]),
        (["study", "twist-q"], ["twist-quiescence"]),
        (["discover", "nega"], ["nega-alpha-beta"]),
        (["compile", "nim", "perf"], ["perft"]),
        (["completion", "z"], ["zsh"]),
        (["bench", "li"], ["list"]),
        (["nonsense", "x"], []),
        (["nonsense", "--"], []),
        (["replay", "a"], ["a b.json"]),
        (["replay", "--trust", "./m"], ["./mine.py"]),
        (["show", "--compare", "runs/one", "ru"], ["runs"]),
        (["show", "--compare", "runs/one", "runs/t"], ["runs/two"]),
        (["show", "--compare", "runs/one", "runs/two", "a"], ["a b.json"]),
        (["evolve", "--out", "r"], ["runs"]),
        (["check", "./"], ["./mine.py", "./runs/"]),
        (["match", "./mine.py", "--out", "=", "a"], ["a b.json"]),
    ],
)
def test_bash_offers_names_and_files_where_they_belong(typed, offered, ask, tmp_path):
    for name in ("a b.json", "mine.py", "notes.txt"):
        (tmp_path / name).write_text("")
    for name in ("one", "two"):
        (tmp_path / "runs" / name).mkdir(parents=True)
    assert ask(words("ludwin", *typed)) == [offered]


@needs_bash
def test_a_person_at_a_bash_gets_the_word_completed(scripts, tmp_path):
    (tmp_path / "a b.json").write_text("")
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(tmp_path)
        environ = {"PS1": "$ ", "TERM": "dumb", "PATH": os.environ["PATH"]}
        os.execve(BASH, ["bash", "--norc", "--noprofile", "-i"], environ)

    def expect(text, seconds=20):
        seen, end = "", time.monotonic() + seconds
        while text not in seen and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                seen += os.read(terminal, 65536).decode()
        assert text in seen, repr(seen)

    try:
        expect("$ ")
        os.write(terminal, f"source {scripts / 'bash'}; echo lo''aded\n".encode())
        expect("loaded")
        for typed, completed in (
            ("ludwin mat\t", "ludwin match "),
            ("conn\t", "connect-four"),
            (" --mode=ch\t", "--mode=checked "),
            ("--out a\t", "a\\ b.json "),
            ("nim:heap=3 --see\t", "--seed "),
        ):
            os.write(terminal, typed.encode())
            expect(completed)
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
        os.close(terminal)


@needs_bash
@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_the_quotes_of_the_script_are_balanced(shell, scripts):
    run = subprocess.run([BASH, "-n", str(scripts / shell)], capture_output=True, text=True)  # enough of zsh for that
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_shell_itself_can_read_its_script(shell, scripts):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed, so nobody has read its script but we")
    run = subprocess.run([shell, "-n", str(scripts / shell)], capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_every_command_and_long_option_stands_in_the_script(shell, scripts):
    text = (scripts / shell).read_text(encoding="utf8")
    for name in DOORS:
        if shell == "zsh":
            own = text.partition(f"\n        {name})\n")[2].partition(";;")[0]
            options = set(re.findall(r"'\*?(--[\w-]+)", own))
        else:
            own = "\n".join(line for line in text.splitlines() if f"'__ludwin_is {name}'" in line)
            options = {f"--{found}" for found in re.findall(r" -l ([\w-]+)", own)}
        known = {text for action in parser_of(name)._actions for text in action.option_strings if text[:2] == "--"}
        assert options == known, name


def test_completion_prints_one_object_for_machines(capsys):
    assert main(["completion", "bash", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["shell"] == "bash" and "complete -F _ludwin ludwin" in data["script"]
    assert main(["completion", "bash"]) == 0
    assert capsys.readouterr().out == data["script"]


def test_a_name_that_a_shell_would_execute_is_left_out(monkeypatch, scripts):
    monkeypatch.setattr("ludwin.library.games", lambda: ("nim", "$(touch x)", "a'b", "a b", "`id`"))
    assert names()["game"] == ("nim",)
