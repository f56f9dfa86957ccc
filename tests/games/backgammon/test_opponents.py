import itertools
import random
import re
import subprocess
from pathlib import Path

import pytest

from ludwin import agent, load, match
from ludwin.cli import main
from ludwin.errors import CannotPlay
from ludwin.games.backgammon.ids import position_id
from ludwin.games.backgammon.opponents.bearoff import POSITIONS, BearoffTable, bearoff_table
from ludwin.games.backgammon.opponents.gnubg import find_gnubg
from ludwin.games.backgammon.pubeval import _WEIGHTS

from .results import GAME, with_roll

DUMP = Path("/usr/games/bearoffdump")
ONE_SIDED = Path("/usr/share/gnubg/gnubg_os0.bd")
START = GAME.start().men

# Source: an independent implementation of Pubeval with bgsage's moves (values of the best opening plays).
BEST = {
    (2, 1): ("24/21", 7.09586), (3, 1): ("8/5 6/5", 10.34312), (3, 2): ("24/21 13/11", 7.22248),
    (4, 1): ("24/23 24/20", 6.77499), (4, 2): ("8/4 6/4", 9.50657), (4, 3): ("24/21 24/20", 7.15557),
    (5, 1): ("24/18", 6.77681), (5, 2): ("13/11 13/8", 7.14401), (5, 3): ("8/3 6/3", 8.44329),
    (5, 4): ("24/15", 7.39890), (6, 1): ("13/7 8/7", 8.71917), (6, 2): ("24/16", 7.27179),
    (6, 3): ("24/15", 7.39890), (6, 4): ("24/14", 7.60271), (6, 5): ("24/13", 8.01652),
}  # fmt: skip


def test_the_weights_of_pubeval_add_up_to_their_checksums():
    assert [len(weights) for weights in _WEIGHTS] == [122, 122]
    assert [round(sum(weights), 5) for weights in _WEIGHTS] == [-6.72565, -31.29905]


@pytest.mark.parametrize("roll", BEST)
def test_pubeval_plays_the_openings_that_it_is_known_for(roll):
    state = with_roll(START, 0, *roll)
    choice = agent("pubeval", GAME).choose(GAME, state)
    assert (state.name(choice.move), choice.value) == (BEST[roll][0], pytest.approx(BEST[roll][1], abs=1.1e-5))


def test_pubeval_gives_the_start_its_known_value():
    # The start with no play made is worth 6.84055: a blocked roll leaves it as it is.
    brain = agent("pubeval", GAME).searcher().brain
    from ludwin.search.seat import Sitting

    sitting = Sitting(agent("pubeval", GAME).seat(GAME), GAME, "plain")
    from ludwin.games.backgammon.opponents.oneply import pubeval_score

    sitting.choose(with_roll(START, 0, 3, 1), 0)
    assert brain is not None
    assert pubeval_score(sitting.w, GAME.start().thaw(), 0, 1) == pytest.approx(6.84055, abs=1e-5)
    sitting.w.brain.stage = 1
    assert pubeval_score(sitting.w, GAME.start().thaw(), 0, 1) == pytest.approx(9.93903, abs=1e-5)


def test_pubeval_plays_alike_in_all_modes():
    state = with_roll(START, 1, 5, 3)
    choices = [agent("pubeval", GAME).choose(GAME, state, seed=1, mode=mode) for mode in ("plain", "checked", "fast")]
    assert len({(choice.move, choice.value) for choice in choices}) == 1


def test_pubeval_beats_random_and_the_runner():
    # Known: 99.7 % and 99.5 %; 300 games leave a false alarm below one in a million.
    assert match(GAME, "pubeval", "random", games=300, seed=1).score > 0.96
    assert match(GAME, "hit-and-run", "random", games=300, seed=1).score > 0.85


@pytest.mark.slow
def test_pubeval_against_itself_wins_gammons_as_often_as_known():
    from ludwin.arena.contest import compiled_table

    table = compiled_table(GAME, [agent("pubeval", GAME)] * 2)
    sizes = [abs(table.play(seed).payoffs[0]) for seed in range(20_000)]
    assert 0.265 < sizes.count(2) / 20_000 < 0.285  # 27.5 %, four standard errors
    assert 0.024 < sizes.count(3) / 20_000 < 0.034  # 2.9 %


def test_one_ply_players_do_not_pretend_to_know_the_cube():
    with pytest.raises(CannotPlay, match="doubling cube"):
        match("backgammon:cube=1", "pubeval", "random", games=2)
    with pytest.raises(CannotPlay, match="plays backgammon, not nim"):
        agent("pubeval", GAME).suits(load("nim"))


def test_bearing_off_takes_the_known_number_of_rolls():
    table = bearoff_table()
    assert len(table.means) == POSITIONS == 54264
    assert table.mean(1) == pytest.approx(1) and table.mean(2) == pytest.approx(1)
    assert table.mean(0, 0, 0, 0, 0, 1) == pytest.approx(1 + 9 / 36)  # 27 of 36 rolls bear a man off the sixth point
    assert table.mean(3) == pytest.approx(1 + 30 / 36)  # only a double takes three
    assert sum(table.chances(0, 0, 0, 0, 0, 15)) == pytest.approx(1)
    means = [sum(k * p for k, p in enumerate(table.chances(*men))) for men in ((5, 4, 3, 2, 1), (0, 0, 3, 0, 2, 7))]
    assert means == [pytest.approx(table.mean(5, 4, 3, 2, 1)), pytest.approx(table.mean(0, 0, 3, 0, 2, 7))]


def test_every_position_of_the_table_has_a_number_of_its_own():
    from itertools import combinations

    found = set()
    for bars in combinations(range(21), 6):  # stars and bars
        cuts = (-1, *bars)
        found.add(BearoffTable.number(tuple(b - a - 1 for a, b in itertools.pairwise(cuts))))
    assert found == set(range(POSITIONS))


def test_a_stack_on_the_ace_point_takes_what_its_recursion_and_trices_rule_say():
    table, rolls = bearoff_table(), [0.0, 1.0, 1.0]
    for men in range(3, 16):  # doubles take four men, other rolls two
        rolls.append(1 + (5 * rolls[men - 2] + rolls[max(men - 4, 0)]) / 6)
        assert table.mean(men) == pytest.approx(rolls[men], abs=1e-12)
    # W. Trice, "Backgammon Boot Camp" (2004): a stack of 2n men on the ace point has an effective count of 7n + 1 pips.
    assert [table.mean(2 * n) * 49 / 6 for n in (5, 6, 7)] == pytest.approx([36, 43, 50], abs=0.001)


@pytest.mark.skipif(not (DUMP.exists() and ONE_SIDED.exists()), reason="gnubg's bear-off tools are not installed")
@pytest.mark.parametrize(("count", "seed"), [(40, 3), pytest.param(1000, 20261118, marks=pytest.mark.slow)])
def test_bearing_off_takes_as_many_rolls_as_gnubg_says(count, seed):
    table, rng, men = bearoff_table(), random.Random(seed), []
    for _ in range(count):
        side = [0] * 6
        for _ in range(rng.randint(1, 15)):
            side[rng.randrange(6)] += 1
        men.append(side)
    for side in men:
        board = [0] * 52
        for k, number in enumerate(side, 1):
            board[25 - k] = number
        board[25] = 15 - sum(side)
        board[26:] = board[:26]
        identity = position_id(GAME.state(men=tuple(board), turn=0, stage=1, cube=1))
        text = subprocess.run([DUMP, "-p", identity, ONE_SIDED], capture_output=True, text=True, check=True).stdout
        rows = re.findall(r"^\s*(\d+)\s+([\d.]+)\s+([\d.]+)", text, re.MULTILINE)
        theirs = {int(rolls): float(chance) for rolls, chance, _ in rows}
        ours = table.chances(*side)
        pips = float(re.search(r"EPC\s+([\d.]+)", text)[1])  # the mean, in pips of 49/6 a roll, with three decimals
        assert abs(table.mean(*side) * 49 / 6 - pips) < 0.002, (side, text)
        # Its 16-bit means break near ties otherwise than exact ones do, so single chances differ in the second decimal.
        assert theirs and all(abs(100 * ours[rolls] - chance) < 0.05 for rolls, chance in theirs.items()), (side, text)


def test_the_player_with_tables_bears_off_as_they_say():
    state = GAME.position("XGID=-A---A---------------aa---:0:0:1:41:0:0:0:0:6".replace("-A---A", "-A--A-"))
    player = agent("bearoff", GAME)
    choice = player.choose(GAME, state)
    assert state.play(choice.move).over  # 4/off 1/off
    assert match(GAME, "bearoff", "pubeval", games=40, seed=1).games == 40


@pytest.mark.skipif(find_gnubg() is None, reason="gnubg is not installed: apt install gnubg")
def test_gnubg_plays_whole_games_with_cube_and_match_and_is_ended():
    state = with_roll(START, 1, 3, 1)
    gnubg = agent("gnubg", GAME)
    assert state.name(gnubg.choose(GAME, state).move) == "8/5 6/5"  # the best opening play of all
    gnubg.leave()
    played = match("backgammon:match=1", "gnubg", "random", games=2, seed=1)
    assert played.wins == 2 and played.forfeits == (0, 0)
    game = load("backgammon:cube=1")
    ahead = game.position("XGID=-BBBCCC-----------cccc----:0:0:1:D:0:0:0:0:6")
    assert ahead.name(agent("gnubg", game).choose(game, ahead).move) == "drop"
    agent("gnubg", game).leave()
    from ludwin.games.backgammon.opponents import gnubg as engines

    assert not engines._engines


@pytest.mark.skipif(find_gnubg() is None, reason="gnubg is not installed: apt install gnubg")
def test_a_gnubg_that_dies_is_told_in_one_line():
    from ludwin.errors import Misbehaved
    from ludwin.games.backgammon.opponents import gnubg as engines

    player, state = agent("gnubg", GAME), with_roll(START, 0, 5, 2)
    player.choose(GAME, state)
    engine = next(iter(engines._engines.values()))
    folder = Path(engine.folder)
    engine.process.kill()
    engine.process.wait()
    with pytest.raises(Misbehaved, match="gnubg"):
        player.choose(GAME, state)
    assert not engines._engines and not folder.exists()
    player.choose(GAME, state)  # and the next question starts another
    player.leave()


def test_bgsage_plays_its_first_move():
    pytest.importorskip("bgsage", reason="bgsage is not installed: pip install bgsage")
    state = with_roll(START, 0, 3, 1)
    assert state.name(agent("bgsage", GAME).choose(GAME, state).move) == "8/5 6/5"


@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 3\n", "#!/bin/sh\nexec <&-\nsleep 0.2\nexit 3\n"])
def test_a_gnubg_that_ends_as_it_begins_is_told_in_one_line(text, tmp_path, monkeypatch, capfd):
    program = tmp_path / "gnubg"
    program.write_text(text)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert main(["choose", "backgammon", "gnubg", "--moves", "3-1", "--mode", "plain"]) == 2
    assert "gnubg ended with code 3" in capfd.readouterr().err.splitlines()[-1]


def test_a_folder_whose_name_is_too_long_for_a_socket_is_told_at_once(tmp_path, monkeypatch, capfd):
    program = tmp_path / "gnubg"
    program.write_text("#!/bin/sh\nsleep 20\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / ("d" * 120)))
    (tmp_path / ("d" * 120)).mkdir()
    assert main(["choose", "backgammon", "gnubg", "--moves", "3-1", "--mode", "plain"]) == 2
    assert "set TMPDIR to a folder with a shorter name" in capfd.readouterr().err
    assert list((tmp_path / ("d" * 120)).iterdir()) == []
