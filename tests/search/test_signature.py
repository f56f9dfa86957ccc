"""Searches that were rewritten still choose what they chose."""

import pytest

from tests.signature import differences, known, rows

# Games whose agents compile quickly; `python -m tests.signature` compares all of them.
QUICK = ("nim", "kuhn-poker", "pig:goal=20")


@pytest.mark.parametrize("game", QUICK)
def test_every_agent_chooses_as_before_the_house_was_rebuilt(game):
    wanted = {row: known()[row] for row in known() if row[0] == game}
    found = list(rows((game,)))
    assert differences(found, wanted) == []
    assert len(found) == len(wanted) > 10, "an agent that played this game plays it no more, or a new one has no row"
