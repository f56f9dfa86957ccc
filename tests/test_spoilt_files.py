"""Files of all formats, changed at random: no traceback, no hang, one line of misuse, and nothing that they name is
run.
"""

import pytest

from fuzz_files import KINDS, run  # isort: skip


def test_spoilt_files_of_every_format_are_refused_or_read():
    assert run(1, 2 * len(KINDS)) == []


@pytest.mark.thorough
def test_more_spoilt_files_of_every_format_are_refused_or_read():
    assert run(3, 6 * len(KINDS)) == []


@pytest.mark.slow
def test_a_thousand_and_more_spoilt_files_are_refused_or_read():
    assert run(2, 120 * len(KINDS)) == []
