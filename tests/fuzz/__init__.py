"""Fuzzers: machines that invent input for Ludwin and compare what comes out with something that knows the answer.

Run them by `python -m tests.fuzz` from the top of the repository (`--help` tells the rest). Targets:

- `programs`: random rule files; plain, checked and fast must agree to the last bit (`tests/fuzz/programs.py`).
- `choices`: every agent on every game in all modes, by both compilers (`tests/fuzz/choices.py`).
- `files`: all formats of ours, spoilt, opened by every command that reads them (`tests/fuzz_files.py`).
- `commands`: bad command lines (`tests/fuzz/commands.py`).

Forged and mutated derivations have a command of their own: `python tests/discover/mutate.py --count 3000`.

A further target is a module with `add_arguments(parser)` and `run(options) -> int` (0 fine, 1 a difference was
found) and a line in the table of `tests/fuzz/__main__.py`. Same seed, same inputs: nothing here draws from a clock
or a global generator.
"""
