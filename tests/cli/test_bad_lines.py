"""A hundred bad command lines, none of which ends in a traceback, a hang or silence."""

import argparse

from tests.fuzz import commands


def test_bad_command_lines_end_with_an_exit_code_and_a_line(capsys):
    parser = argparse.ArgumentParser()
    commands.add_arguments(parser)
    assert commands.run(parser.parse_args(["--count", "100", "--seed", "2"])) == 0, capsys.readouterr().out


def test_the_fuzzer_notices_a_traceback(monkeypatch):
    def broken(words):
        raise KeyError("no such thing")

    monkeypatch.setattr("ludwin.cli.main", broken)
    assert "KeyError" in (commands.attempt(["games"]) or "")


def test_the_fuzzer_notices_misuse_without_a_word(monkeypatch):
    monkeypatch.setattr("ludwin.cli.main", lambda words: 2)
    assert "without a word" in (commands.attempt(["games"]) or "")
