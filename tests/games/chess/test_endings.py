"""Evolved endgame players: their games, their language, their experiment."""

from dataclasses import replace

import pytest

from ludwin.errors import BadParameter, CannotPlay
from ludwin.evolve.experiment import settle
from ludwin.evolve.minds import read_player
from ludwin.games.chess.evolve import ENDINGS, TwoWays, kind, measure, player
from ludwin.games.chess.evolve.endings import MATED, MATES, Endings, Manner, pairs_of, results_of
from ludwin.games.chess.evolve.others import Grades, against, meet, mover_of
from ludwin.games.chess.language import CONSTANTS, NAMES, language, program, role_count
from ludwin.games.chess.opponents.advised import Advised, board_values, in_threes
from ludwin.games.chess.opponents.printed import gpec190, master
from ludwin.library import agent, load
from ludwin.program.stream import Stream
from ludwin.search.programs import Programs

MASTER, RANDOM = (master(),), (program("Chance"),)


def advised(*trees):
    return Advised().with_brain(Programs(trees, "advantage" if len(trees) > 1 else ""))


def score(endings, first, second, games=200):
    jobs = pairs_of(0, 1, len(endings.names), range(1, games // 2 // len(endings.names) + 1))
    found = results_of(jobs, endings.play([first, second], jobs), 0)
    plain = {-2: 0.0, 2: 1.0}
    return sum(plain.get(one, 0.5) for one in found) / len(found)


def test_the_language_has_33_terminals_8_functions_and_six_constants():
    words = language()
    assert [one.name for one in words.primitives if one.reads] == list(NAMES) and len(NAMES) == 33
    assert sum(bool(one.takes) for one in words.primitives) == 8
    assert sorted(map(round, CONSTANTS)) == [-500, -333, -250, 250, 333, 500]
    assert [role_count(stage) for stage in ("stage1", "stage2", "stage3")] == [1, 2, 3]


@pytest.mark.parametrize("name", ["KRKR", "KQRKQR", "KPPKPP"])
def test_games_begin_where_nobody_is_attacked_and_the_seed_says_where(name):
    endings = Endings((name,))
    starts = [endings.start(0, seed) for seed in range(20)]
    assert len({start.write() for start in starts}) == 20
    assert starts[3].write() == endings.start(0, 3).write()
    for start in starts:
        assert start.mover == 0 and not any("x" in start.name(move) for move in start.moves())
        turned = load("chess").position(start.write().replace(" w ", " b "))  # refused if White were in check
        assert not any("x" in turned.name(move) for move in turned.moves())


def test_compiled_games_are_those_of_the_plain_referee_and_of_any_number_of_threads():
    endings = Endings(("KQKQ", "KRKR"), cap=30)
    jobs = pairs_of(0, 1, 2, [5, 6])
    found = endings.play([MASTER, (gpec190(),)], jobs)
    assert Endings(("KQKQ", "KRKR"), workers=2, cap=30).play([MASTER, (gpec190(),)], jobs) == found
    assert Endings(("KQKQ", "KRKR"), cap=30, mode="checked").play([MASTER, (gpec190(),)], jobs) == found


@pytest.mark.thorough
def test_compiled_games_are_those_of_plain_python():
    jobs = pairs_of(0, 1, 1, [5])[:1]
    plain = Endings(("KQKQ",), cap=6, mode="plain").play([MASTER, (gpec190(),)], jobs)
    assert plain == Endings(("KQKQ",), cap=6).play([MASTER, (gpec190(),)], jobs)


def test_a_random_evaluator_loses_to_master_and_master_is_even_with_itself():
    endings = Endings(("KRKR", "KRRKRR", "KQKQ", "KQRKQR"))
    assert 0.2 < score(endings, RANDOM, MASTER, 400) < 0.36  # measured 0.288 in 2,000 games
    assert 0.42 < score(endings, MASTER, MASTER, 400) < 0.58


def test_the_material_before_the_move_chooses_the_program_unless_told_otherwise():
    game = load("chess")
    state = game.position("8/8/6K1/8/2r1k3/R7/7q/3Q4 w - - 0 1")
    ahead, even, behind = program("1.0"), program("2.0"), program("3.0")
    choice = advised(ahead, even, behind).choose(game, state)
    assert set(choice.values.values()) == {2.0}
    taking = game.position("8/8/6K1/8/2r1k3/8/7q/2Q5 w - - 0 1")  # behind, and the rook can be taken
    after = Advised(material="after").with_brain(Programs((ahead, even, behind), "advantage"))
    found = {taking.name(move): value for move, value in after.choose(game, taking).values.items()}
    assert found["Qxc4+"] == 2.0 and set(found.values()) == {2.0, 3.0}
    assert set(advised(ahead, even, behind).choose(game, taking).values.values()) == {3.0}


def test_a_player_takes_a_mate_whatever_its_program_says_and_a_stalemate_counts_nothing():
    game = load("chess")
    mate = game.position("6k1/8/6K1/8/8/8/r7/4R3 w - - 0 1")
    assert mate.name(advised(program("Negate(IsMate)")).choose(game, mate).move) == "Re8#"
    stale = game.position("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1")
    values = {stale.name(move): one for move, one in advised(program("5.0")).choose(game, stale).values.items()}
    assert values["Qf7"] == 0.0 and values["Qf8#"] == 1.0 and values["Qf5"] == 5.0


def test_who_is_behind_takes_a_draw_if_draws_are_told_by_the_material():
    game = load("chess")
    flat = advised(program("5.0"))
    behind = game.position("8/1K6/4Q3/3k4/8/8/8/8 b - - 0 10")  # the king can take the queen, and kings alone draw
    picks = {
        draws: {behind.name(replace(flat, draws=draws).choose(game, behind, seed=k).move) for k in range(20)}
        for draws in ("zero", "standing")
    }
    assert picks["standing"] == {"Kxe6"} and "Kxe6" not in picks["zero"]
    values = replace(flat, draws="standing").choose(game, behind).values
    assert values[behind.parse("Kxe6")] == 0.0  # what people are told: a draw
    ahead = game.position("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1")
    low = replace(advised(program("-5.0")), draws="standing")
    stalemate = ahead.parse("Qf7")
    mates = {ahead.parse("Qf8#")}
    assert low.choose(game, ahead).move in mates and low.choose(game, ahead).values[stalemate] == 0.0


def test_compiled_games_mind_how_far_players_look_and_what_draws_are_worth_to_them():
    jobs = pairs_of(0, 1, 2, [5, 6])
    manners = [Manner(standing=1), Manner(plies=2)]
    games = {
        mode: Endings(("KQKQ", "KRKR"), cap=24, mode=mode).play([MASTER, MASTER], jobs, manners)
        for mode in ("fast", "checked")
    }
    assert games["fast"] == games["checked"]
    assert games["fast"] != Endings(("KQKQ", "KRKR"), cap=24).play([MASTER, MASTER], jobs)
    assert Endings(("KQKQ", "KRKR"), workers=2, cap=24).play([MASTER, MASTER], jobs, manners) == games["fast"]
    four = Endings(("KRKR", "KRRKRR", "KQKQ", "KQRKQR"))
    jobs = pairs_of(0, 1, 4, range(1, 26))
    found = results_of(jobs, four.play([MASTER, MASTER], jobs, [Manner(plies=2)]), 0)
    assert sum(one > 0 for one in found) > 1.5 * sum(one < 0 for one in found)  # measured 76 and 39


def test_fitness_counts_games_against_master_who_looks_ahead():
    settings = settle(ENDINGS, "quick", {"population": 2, "peers": 0, "ahead_games": 4, "cap": 20})
    genomes = kind(settings).begin(2, Stream(1))
    assert {detail["games"] for _, detail in TwoWays(settings, 1).score(genomes, 0, Stream(2))} == {4.0}
    assert ENDINGS.opponents(settings)[:2] == ["master looking ahead", "master"]
    assert ENDINGS.opponents(settle(ENDINGS, "quick", {}))[0] == "master"
    assert 0.0 <= measure(settings, genomes[0], "master looking ahead", 4, 1, 1).value <= 1.0


def test_engines_meet_players_from_the_same_starts_and_moves_are_graded():
    endings, grades = Endings(("KQKR",), cap=40), Grades()
    found = against(endings, advised(master()), agent("endgame"), [3], grades)
    assert found[0] in (MATES, 1, 0) and len(found) == 2 and 0 <= grades.kept <= grades.asked
    assert grades.asked - grades.kept == grades.risky - grades.held  # where nothing can be lost nothing is
    best = mover_of(agent("endgame"), endings)
    perfect = Grades()
    assert meet(endings, (best, best), 0, 3, perfect, 0) in (MATES, MATED, 0, 1, -1)
    assert perfect.kept == perfect.asked > perfect.risky == perfect.held > 0


def test_a_generation_is_scored_alike_whoever_works_and_both_players_of_a_game_are_credited():
    settings = settle(ENDINGS, "quick", {"population": 6, "peers": 3, "games": 2, "cap": 20})
    genomes = kind(settings).begin(6, Stream(1))
    alone, together = (TwoWays(settings, workers).score(genomes, 0, Stream(2)) for workers in (1, 2))
    assert alone == together and {detail["games"] for _, detail in alone} == {6.0}


def test_programs_for_who_is_behind_stay_smaller():
    settings = settle(ENDINGS, "quick", {"max_depth": 7, "behind_depth": 3})
    trees, stream = kind(settings), Stream(3)
    genomes = trees.begin(20, stream.split(0))
    for k in range(200):
        a, b = trees.cross(genomes[k % 20], genomes[(k + 7) % 20], stream.split(1, k))
        genomes[k % 20], genomes[(k + 7) % 20] = trees.mutate(a, stream.split(2, k)), b
    assert max(genome[2].depth for genome in genomes) <= 3 < max(genome[0].depth for genome in genomes) <= 7


@pytest.mark.parametrize("stage", ["stage1", "stage2", "stage3"])
def test_every_stage_of_the_language_plays(stage):
    settings = settle(ENDINGS, "quick", {"language": stage, "cap": 20})
    genome = kind(settings).begin(3, Stream(4))[2]
    assert 0.0 <= measure(settings, genome, "master", 4, 1, 1).value <= 1.0
    state = Endings(("KQRKQR",)).start(0, 1)
    assert player(settings, genome).choose(state.game, state).move in state.moves()
    assert in_threes((1, 2)) == (1, 2, 2)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"endings": ""}, "endings must name at least one"),
        ({"endings": "KQ"}, "pieces are White's and then Black's men"),
        ({"games": 3}, "must be even"),
        ({"leave_out": "IsMat"}, "did you mean 'IsMate'"),
        ({"population": 1, "elite": 0}, "at least 2"),
        ({"endings": "KRKR;KK"}, "KK is a draw from the start"),
        ({"endings": "KRKR; krkr"}, "names KRKR more than once"),
        ({"apart": 1}, "apart=1 is of form=weights and has no effect with form=trees"),
        ({"form": "sums", "breeding": "cma"}, "form=sums wants breeding=gp"),
        ({"flavour": "tactical"}, "flavour=tactical is of form=sums and form=weights"),
        ({"ahead_games": 3}, "must be even"),
    ],
)
def test_settings_that_make_no_sense_are_refused_by_name(given, said):
    settings = settle(ENDINGS, "quick", given)
    with pytest.raises((BadParameter, ValueError), match=said):
        ENDINGS.examine(settings)


def test_players_without_programs_and_other_games_are_refused():
    with pytest.raises(CannotPlay, match="evolved:PATH,agent=advised"):
        Advised().suits(load("chess"))
    with pytest.raises(CannotPlay, match="not reversi"):
        advised(master()).suits(load("reversi"))


def test_a_champion_is_kept_in_a_file_and_plays_from_it(tmp_path):
    settings = settle(ENDINGS, "quick", {})
    genome = kind(settings).begin(3, Stream(4))[2]
    kept = read_player(ENDINGS.champion(settings, genome)["player"])
    state = Endings(("KQRKQR",)).start(0, 1)
    assert kept == player(settings, genome)
    assert kept.choose(state.game, state, seed=5) == player(settings, genome).choose(state.game, state, seed=5)
    with pytest.raises(BadParameter, match="goes into a search of ours"):
        read_player({**ENDINGS.champion(settings, genome)["player"], "agent": "process:rm"})


def exhaustive(state, depth, tree, draw=None):
    """Return what each move is worth to the mover by negamax without cuts; mates outweigh all, sooner ones more.

    A draw is worth less than opinions to the player at the root who is ahead in material, more to who is behind.
    """
    if draw is None:
        balance = balance_of(state)
        draw = 1e8 * ((balance < 0) - (balance > 0))
    found = {}
    for move in state.moves():
        there = state.play(move)
        if there.over:
            payoff = there.payoffs()[state.mover]
            found[move] = (1e9 + depth) * payoff if payoff else draw
        elif depth == 1:
            found[move] = board_values(state, move, tree)[""]
        else:
            found[move] = -max(exhaustive(there, depth - 1, tree, -draw).values())
    return found


def balance_of(state):
    """Return the mover's men less the other side's, as pieces are worth."""
    worth = {"p": 1, "n": 3, "b": 3, "r": 5, "q": 9}
    white = sum(worth.get(letter.lower(), 0) * (1 if letter.isupper() else -1) for letter in state.write().split()[0])
    return white if state.mover == 0 else -white


@pytest.mark.parametrize(
    ("start", "depth"),
    [
        ("8/8/8/2k5/8/8/1r6/K6R w - - 0 1", 2),
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", 2),
        ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 3),
        ("8/8/8/8/1r6/2k5/8/K7 w - - 0 1", 3),
        ("8/4K3/8/4k3/7Q/8/8/8 w - - 3 5", 2),
        ("8/8/8/8/8/1r6/2k5/K7 w - - 0 1", 2),
    ],
)
def test_who_looks_further_finds_what_a_search_without_cuts_finds(start, depth):
    game = load("chess")
    state, tree = game.position(start), master()
    wanted = exhaustive(state, depth, tree)
    best = {move for move, value in wanted.items() if value == max(wanted.values())}
    choices = [agent(f"master:depth={depth}").choose(game, state, seed=seed) for seed in range(40)]
    assert {choice.move for choice in choices} <= best
    assert len({choice.move for choice in choices}) > len(best) / 2
    assert {choice.decided for choice in choices} == {abs(max(wanted.values())) >= 1e8}
    found = choices[0]
    if not found.decided:
        assert found.value == pytest.approx(max(wanted.values()))
        drawn = {move for move, value in wanted.items() if abs(value) == 1e8}
        assert all(found.values[move] >= value - 1e-9 for move, value in wanted.items() if move not in drawn)


@pytest.mark.parametrize("depth", [2, 3])
def test_who_looks_further_and_is_ahead_does_not_take_a_stalemate_for_the_better_half(depth):
    game = load("chess")
    state, flat = game.position("7k/8/8/8/8/8/8/K4Q2 w - - 0 1"), program("100.0" if depth == 2 else "-100.0")
    ahead = [replace(advised(flat), depth=depth).choose(game, state, seed=seed) for seed in range(30)]
    stalemate = state.parse("Qf7")
    assert stalemate not in {one.move for one in ahead} and ahead[0].values[stalemate] == 0.0
    assert ahead[0].value == -100.0  # opinions below the 0 of a draw: the other side's are seen from here


def test_one_ply_is_the_books_player_and_a_search_takes_the_quickest_mate():
    game = load("chess")
    assert agent("master") == agent("master:depth=1") and agent("master").depth == 1
    state = game.position("6k1/5ppp/8/8/8/8/8/R3K2Q w - - 0 1")
    assert {agent(f"master:depth={d}").choose(game, state).values[state.parse("Ra8#")] for d in (1, 2, 3)} == {1.0}
    for depth in (1, 2, 3):
        assert state.play(agent(f"master:depth={depth}").choose(game, state, seed=depth).move).over
    plain, fast = (agent("master:depth=2").choose(game, state, seed=3, mode=mode) for mode in ("plain", "fast"))
    assert (plain.move, plain.values, plain.nodes) == (fast.move, fast.values, fast.nodes)
    with pytest.raises(BadParameter, match="depth"):
        agent("master:depth=7")
