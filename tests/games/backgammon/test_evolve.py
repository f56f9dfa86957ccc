"""GP-Gammon: languages, games for evolution, islands that take turns, champions that play anywhere."""

import sqlite3
import subprocess
import sys
import time

import pytest

from ludwin.errors import BadParameter, CannotPlay
from ludwin.evolve.carrying import carry_out
from ludwin.evolve.coevolve import single_elimination
from ludwin.evolve.experiment import settle
from ludwin.evolve.population import Generation, Individual
from ludwin.evolve.run import create
from ludwin.evolve.store import BadRun
from ludwin.games.backgammon.evolve.gated import GatedSums, contact_program, packaged_network, rounded
from ludwin.games.backgammon.evolve.islands import TakingTurns, turns_to_send
from ludwin.games.backgammon.evolve.learning import GATED_ISLANDS
from ludwin.games.backgammon.evolve.matches import Matches, PairedGames
from ludwin.games.backgammon.evolve.two_trees import ISLANDS, TWO_TREES, kind, player, two_trees
from ludwin.games.backgammon.evolve.uses import uses
from ludwin.games.backgammon.language import CONTACT, FUNCTIONS, PLAY, RACE
from ludwin.games.backgammon.opponents.network import NetworkBrain
from ludwin.games.backgammon.opponents.oneply import Pubeval
from ludwin.games.backgammon.opponents.td import Learner
from ludwin.library import agent, load
from ludwin.program.stream import Stream
from ludwin.program.text import read, write
from ludwin.search.afterstate import AfterState

RUNNER = (read(CONTACT, "Sub(Enemy_Pip, Player_Pip)"), read(RACE, "Player_Position[25]"))
TINY = {
    "population": 16, "islands": 4, "generations": 4, "games": 2, "migrate_every": 2, "first_migration": 2,
    "migrants": 1, "yardstick_every": 2, "yardstick_games": 4, "finalists": 1, "last": 1, "finalist_games": 4,
    "champion_games": 4, "record_games": 4, "max_depth": 4,
}  # fmt: skip
GATED_TINY = {
    **{key: value for key, value in TINY.items() if key != "max_depth"},
    **{"population": 4, "islands": 2, "terms": 2, "max_terms": 4, "first_games": 2, "lifetime": 2, "generations": 2},
}


# ---- Languages ------------------------------------------------------------------------------------------------------


def test_the_languages_have_the_words_of_tables_7_1_to_7_3():
    assert [one.name for one in FUNCTIONS] == ["Add", "Sub", "Mul", "If", "Greater", "Smaller", "And", "Or", "Not"]
    assert [len(language.primitives) - len(FUNCTIONS) for language in (CONTACT, RACE)] == [11, 2]
    assert CONTACT.fits("Query", "Float") and CONTACT.fits("Query", "Bool") and not CONTACT.fits("Float", "Bool")


def test_the_contact_tree_judges_contact_and_the_race_tree_judges_races():
    game = load("backgammon")
    one = AfterState(brain=two_trees((read(CONTACT, "1.0"), read(RACE, "2.0"))))
    values = []
    for seed in range(3):  # along a game: contact first, a race at the end
        state, stream = game.start(), Stream(seed)
        while not state.over:
            moves = state.moves()
            if state.mover >= 0 and len(moves) > 1:
                choice = one.choose(game, state, seed=0, mode="plain")
                stages = {move: state.play(move) for move in moves}
                for move, after in stages.items():
                    if not after.over:
                        rear = [next(n for n in range(26) if after.men[26 * p + n]) for p in (0, 1)]
                        assert choice.values[move] == (1.0 if sum(rear) < 25 else 2.0)
                        values.append(choice.values[move])
            state = state.play(moves[stream.below(len(moves))])
            if len(values) > 4000:
                break
    assert set(values) == {1.0, 2.0}


def test_two_trees_keep_their_text_in_the_language_that_has_both():
    made = kind(settle(TWO_TREES, "quick", {})).begin(6, Stream(3))
    for genome in made:
        assert [write(tree) for tree in two_trees(genome).trees] == [write(tree) for tree in genome]
        assert {tree.language.name for tree in two_trees(genome).trees} == {PLAY.name}


def test_uses_counts_terminals_and_locations():
    found = uses((read(CONTACT, "Add(Player_Pip, Player_Exposed[3])"), read(RACE, "Player_Position[25]")))
    assert found["terminals"] == {"Player_Exposed": 1, "Player_Pip": 1, "Player_Position": 1}
    assert found["locations"] == {"3": 1, "25": 1} and (found["general"], found["located"]) == (1, 1)


# ---- Games ----------------------------------------------------------------------------------------------------------


def test_a_tally_counts_wins_points_and_pairs():
    found = PairedGames((1.0, -2.0, 3.0, 1.0))
    assert (found.score, found.share, found.points) == (0.75, 5 / 7, 0.75)
    assert found.pairs == (0, 0, 1, 0, 1)  # one each, and both won


def test_games_are_those_of_the_referee_for_any_number_of_workers():
    from ludwin.play.referee import play_game

    one, rival, seeds = player(RUNNER), Pubeval(), [4, 5, 6]
    found = Matches(1).against([one], rival, seeds)[0]
    assert Matches(2).against([one, one], rival, seeds) == [found, found]
    game = load("backgammon")
    assert found.payoffs[0] == play_game(game, [one, rival], 4).payoffs[0]
    assert found.payoffs[1] == play_game(game, [rival, one], 4).payoffs[1]
    assert Matches(1).pairs([(one, rival), (rival, one)], [4, 4]) == [found.payoffs[0], -found.payoffs[1]]


def test_a_knockout_of_128_has_127_matches_and_the_books_fitness():
    bracket = single_elimination(128, 50, lambda pairs, _: [(float(a), float(b)) for a, b in pairs], Stream(1))
    assert (bracket.matches, bracket.games, sum(bracket.fitness)) == (127, 6350, 4.5)


# ---- Islands --------------------------------------------------------------------------------------------------------


def test_each_of_fifty_islands_sends_every_tenth_generation_from_generation_ten_on():
    assert not any(turns_to_send(number, 50, 10, 10) for number in range(10))
    sent = [i for number in range(10, 20) for i in turns_to_send(number, 50, 10, 10)]
    assert sorted(sent) == list(range(50))


def test_guests_come_to_three_neighbours_and_never_take_the_place_of_the_best():
    settings = settle(ISLANDS, "paper", {"population": 40, "islands": 5, "migrants": 4, "migrate_every": 5})
    from ludwin.evolve.experiment import plan

    islands = [
        Generation(10, tuple(Individual((i, k), float(k)) for k in range(8)))  # the last is the best of its island
        for i in range(5)
    ]
    run = TakingTurns(kind(settings), None, plan(settings), 1, None)
    after = run.sent(islands, 10)  # island 0 sends to 1, 2 and 3
    guests = [[one.genome for one in island.individuals if one.origin == "migrant"] for island in after]
    assert [len(some) for some in guests] == [0, 4, 4, 4, 0]
    assert all(genome[0] == 0 for some in guests for genome in some)
    assert all(island.individuals[7].genome == (i, 7) for i, island in enumerate(after))
    assert run.sent(islands, 10) == after and run.sent(islands, 9) == list(islands)


def _run(folder, experiment, given, workers=1):
    run = create(folder, experiment, "quick", settle(experiment, "quick", given), 5)
    carry_out(run, workers=workers)
    return folder


def _rows(folder):
    link = sqlite3.connect(folder / "run.sqlite")
    found = [link.execute(f"SELECT * FROM {name} ORDER BY 1, 2, 3").fetchall() for name in ("individuals", "measures")]
    link.close()
    return found, (folder / "champion.json").read_bytes(), (folder / "report.html").read_bytes()


@pytest.mark.parametrize(
    ("experiment", "given"), [(ISLANDS, TINY), (GATED_ISLANDS, GATED_TINY)], ids=["trees", "gated"]
)
def test_one_and_two_workers_write_the_same_run(tmp_path, experiment, given):
    one, two = (_run(tmp_path / str(workers), experiment, given, workers) for workers in (1, 2))
    assert _rows(one) == _rows(two)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("experiment", "given"), [(ISLANDS, TINY), (GATED_ISLANDS, GATED_TINY)], ids=["trees", "gated"]
)
def test_an_island_run_that_was_killed_goes_on_to_the_same_bytes(tmp_path, experiment, given):
    given = {**given, "generations": 12, "yardstick_every": 4}
    whole = _run(tmp_path / "whole", experiment, given)
    words = [f"{key}={value}" for key, value in given.items()]
    command = [sys.executable, "-m", "ludwin", "evolve", experiment.name, "--seed", "5", "--preset", "quick"]
    folder = tmp_path / "killed"
    process = subprocess.Popen([*command, "--out", str(folder), "--set", *words], stderr=subprocess.DEVNULL)
    for _ in range(2000):
        time.sleep(0.01)
        if _generations(folder) > 3 or process.poll() is not None:
            break
    process.kill()  # SIGKILL
    process.wait()
    assert not (folder / "report.html").exists(), "it was too fast to be killed"
    subprocess.run([sys.executable, "-m", "ludwin", "evolve", "--resume", str(folder)], check=True, capture_output=True)
    assert _rows(folder) == _rows(whole)


def _generations(folder):
    try:
        link = sqlite3.connect(f"file:{folder / 'run.sqlite'}?mode=ro", uri=True)
        count = link.execute("SELECT count(*) FROM generations").fetchone()[0]
        link.close()
        return count
    except sqlite3.Error:
        return 0


def test_settings_that_cannot_be_played_are_refused():
    with pytest.raises(BadParameter, match="power of two, got 12"):
        TWO_TREES.examine(settle(TWO_TREES, "quick", {"population": 12}))
    with pytest.raises(BadParameter, match="games must be even"):
        TWO_TREES.examine(settle(TWO_TREES, "quick", {"games": 3}))
    with pytest.raises(BadParameter, match="terms must be at most max_terms"):
        GATED_ISLANDS.examine(settle(GATED_ISLANDS, "quick", {"terms": 30, "max_terms": 20}))
    with pytest.raises(BadParameter, match="random search does not learn"):
        GATED_ISLANDS.examine(settle(GATED_ISLANDS, "quick", {"baseline": True}))


# ---- Gated sums -----------------------------------------------------------------------------------------------------


def test_gated_sums_are_a_program_of_the_books_contact_language():
    game = load("backgammon")
    network = rounded(Learner.begin(2, 4).network)
    program = read(CONTACT, contact_program(network))
    state = game.start().play("6-2")
    sums = AfterState(brain=two_trees((program, read(RACE, "0.0")))).choose(game, state, mode="plain").values
    chances = AfterState(brain=NetworkBrain(network)).choose(game, state, mode="plain").values
    assert sorted(sums, key=sums.get) == sorted(chances, key=chances.get)  # a chance grows with the sum


def test_parents_of_a_crossover_both_speak_half_as_loud():
    kind = GatedSums(1, 10)
    a, b = kind.begin(2, Stream(1))
    both, mixed = kind.cross(a, b, Stream(2))
    assert (both.hidden, mixed.hidden) == (2, 2)
    assert kind.cross(both, both, Stream(2))[1].hidden == 2  # half of the terms of each
    game, state = load("backgammon"), load("backgammon").start().play("3-1")
    values = [
        AfterState(brain=two_trees((read(CONTACT, contact_program(one)), read(RACE, "0.0"))))
        .choose(game, state, mode="plain")
        .values
        for one in (a, b, both)
    ]
    for move in values[0]:
        assert values[2][move] == pytest.approx((values[0][move] + values[1][move]) / 2, abs=0.01)  # four decimals


def test_gated_sums_are_read_as_they_were_written_and_keep_their_limits():
    kind = GatedSums(3, 5)
    g = kind.begin(1, Stream(1))[0]
    for k in range(20):
        assert kind.read(kind.write(g)) == g and 1 <= g.hidden <= 5
        g = kind.mutate(g, Stream(2, k))
    assert kind.cross(g, g, Stream(3))[0].hidden <= 5
    for wrong in (
        {},
        {"terms": 2, "weights": "AAAA"},
        {"terms": 999, "weights": ""},
        {"terms": True, "weights": ""},
        3,
    ):
        with pytest.raises(BadParameter, match="gated sums"):
            kind.read(wrong)
    assert GatedSums(3, 90, packaged=True).begin(2, Stream(1))[0] == rounded(packaged_network())


# ---- Champions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("experiment", "given"), [(ISLANDS, TINY), (GATED_ISLANDS, GATED_TINY)], ids=["trees", "gated"]
)
def test_a_champion_plays_from_its_file_alone(tmp_path, experiment, given):
    folder = _run(tmp_path / "run", experiment, {**given, "generations": 0})
    alone = tmp_path / "alone.json"
    alone.write_bytes((folder / "champion.json").read_bytes())
    game, state = load("backgammon"), load("backgammon").start().play("3-1")
    found = [agent(f"evolved:{path}").choose(game, state, seed=1, mode="plain") for path in (folder, alone)]
    assert found[0] == found[1] and found[0].move in state.moves()
    with pytest.raises(CannotPlay):
        agent(f"evolved:{alone}").suits(load("connect-four"))


def test_a_gated_champion_looks_two_plies_ahead_in_another_search(tmp_path):
    folder = _run(tmp_path / "run", GATED_ISLANDS, {**GATED_TINY, "generations": 0})
    deeper = agent(f'evolved:{folder / "champion.json"},agent="star2:depth=2,low=-1,high=1"').player()
    assert deeper.brain.anywhere and not agent(f"evolved:{folder}").player().brain.anywhere
    assert deeper.brain.network == agent(f"evolved:{folder}").player().brain.network


def test_a_forged_network_is_refused(tmp_path):
    folder = _run(tmp_path / "run", GATED_ISLANDS, {**GATED_TINY, "generations": 0})
    text = (folder / "champion.json").read_text(encoding="utf8")
    for old, new in (
        ('"hidden":', '"hidden": 1, "was":'),
        ("backgammon-network", "backgammon-nets"),
        ('"top"', '"tip"'),
    ):
        path = tmp_path / "forged.json"
        path.write_text(text.replace(old, new, 1), encoding="utf8")
        with pytest.raises(BadRun):
            agent(f"evolved:{path}").player()
