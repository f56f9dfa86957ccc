"""No clock runs while something is compiled, verified or started: with an empty cache, too, nobody forfeits for it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fuzz_files import build

DERIVATION = Path(__file__).parents[1] / "discover" / "fixtures" / "version2" / "alpha-beta.json"
CLOCK = "1"

# Plays one game on a clock at a desk with an empty cache, and prints what is compiled before the game and during it.
SCRIPT = """
import sys
from ludwin import agent, load
from ludwin.arena.desk import Desk
from ludwin.arena.schedule import Job
from ludwin.arena.terms import Clock, Terms
from ludwin.discover import agent as deriving
from ludwin.kernel import specialise
said = []
specialise.announce = said.append
game, player = load(sys.argv[1]), agent(sys.argv[2])
desk = Desk(game, (player, agent("random")), Terms(games=2, clock=Clock(60.0)))
desk.warm((0, 1))
before, verified = len(said), len(deriving._compared)
record = desk.play(Job(0, (0, 1), 0, 0))
print(before > 0, len(said) - before, len(deriving._compared) - verified, record.end)
"""


@pytest.fixture(scope="module")
def champion(tmp_path_factory):
    """The file of a champion that plays lose checkers."""
    folder = tmp_path_factory.mktemp("champion")
    build(folder)
    return folder / "player.json"


@pytest.mark.parametrize(
    ("text", "game"),
    [("derived:{derivation},depth=3", "tic-tac-toe"), ("evolved:{champion},depth=1,native=1", "lose-checkers")],
    ids=["derived", "evolved"],
)
def test_agents_from_data_files_compile_and_verify_nothing_while_a_clock_runs(champion, python, text, game):
    player = text.format(derivation=DERIVATION, champion=champion)
    assert python(SCRIPT, game, player) == "True 0 0 rules"


def test_they_do_not_forfeit_on_a_clock_with_an_empty_cache(champion, tmp_path):
    player = f"evolved:{champion},depth=1,native=1"
    words = ["match", "lose-checkers", player, "random", "--games", "2", "--clock", "3", "--json", "--workers", "2"]
    done = subprocess.run(
        [sys.executable, "-m", "ludwin", *words],
        capture_output=True,
        text=True,
        timeout=200,
        env={**os.environ, "LUDWIN_CACHE": str(tmp_path / "cache")},
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["forfeits"] == [0, 0], done.stdout


def test_a_user_s_agent_may_take_its_time_before_the_clock_runs(tmp_path, monkeypatch):
    from ludwin import match

    monkeypatch.chdir(tmp_path)
    Path("slow.py").write_text("""import time
from ludwin import Agent, Choice

class Slow(Agent):
    def warm(self, game, mode="fast"):
        time.sleep(1.2)
    def choose(self, game, state, *, seed=0, mode="fast"):
        return Choice(state.moves()[0], 0.0, 1)
""")
    assert match("nim", "./slow.py", "random", games=2, clock=CLOCK).forfeits == (0, 0)


def test_an_agent_that_never_gets_ready_forfeits(tmp_path, monkeypatch):
    from ludwin import match
    from ludwin.arena import desk

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(desk, "READY", 0.5)
    Path("never.py").write_text("""import time
from ludwin import Agent

class Never(Agent):
    def warm(self, game, mode="fast"):
        time.sleep(60)
""")
    result = match("nim", "random", "./never.py", games=2, patience=0.2)
    assert result.forfeits == (0, 2) and result.reasons[1] == "not ready within 0.5 s"
