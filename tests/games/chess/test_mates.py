"""Mates: what solvers prove, what programs of the book's language say, and the pool of problems."""

import json
from collections import Counter
from random import Random

import chess as python_chess
import pytest

from ludwin import agent, load
from ludwin.cli import main
from ludwin.errors import BadParameter
from ludwin.games.chess.evolve.mates import credit
from ludwin.games.chess.opponents.mates import compose, pychess
from ludwin.games.chess.opponents.mates.champion import champion, unaided
from ludwin.games.chess.opponents.mates.compose import identity
from ludwin.games.chess.opponents.mates.language import algorithm_6_2, algorithm_6_3, searches, table
from ludwin.games.chess.opponents.mates.pool import (
    FILE,
    TEST,
    TRAINING,
    MateProblem,
    all_keys,
    is_key,
    own_rows,
    problems,
)
from ludwin.games.chess.opponents.mates.programs import ProgramAnswer, ProgramRunner, runner
from ludwin.games.chess.opponents.mates.solver import SOLVERS, MateSolver, finder, solver
from ludwin.games.chess.opponents.mates.tree import TreeBuilder
from ludwin.program.generate import ramped
from ludwin.program.stream import Stream
from ludwin.program.text import read

CHESS = load("chess")
KNOWN = {  # board-games' appendix: the complete sets of keys
    "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1": (1, "Ra8#"),
    "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1": (1, "Qf8#"),  # Qf7 is stalemate
    "7k/8/5K2/8/8/8/8/6R1 w - - 0 1": (2, "Kf7"),
    "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1": (2, "Ra6"),
    "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1": (3, "Ra6+"),
    "1k5r/pP3ppp/3p2b1/1BN1n3/1Q2P3/P1B5/KP3P1P/7q w - - 1 1": (3, "Na6+"),
}
MORPHY = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
MODES = ("plain", "checked", "fast")


@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_finds_the_known_keys_and_no_quicker_mate(name):
    for text, (n, key) in KNOWN.items():
        state = CHESS.position(text)
        found = solver(name).solve(state, n)
        assert (state.name(found.move), found.moves, found.cut) == (key, n, False)
        assert n == 1 or not solver(name).solve(state, n - 1).solved


def test_the_known_keys_are_the_only_ones():
    for text, (n, key) in KNOWN.items():
        state = CHESS.position(text)
        assert [state.name(move) for move in finder().keys(state, n)] == [key]


@pytest.mark.parametrize("name", ["deepening", "checks-pass", "df-pn"])
def test_solvers_count_the_same_boards_in_all_modes(name):
    state = CHESS.position(MORPHY)
    found = [MateSolver(name, mode).solve(state, 2) for mode in MODES]
    assert found[0] == found[1] == found[2]


def test_a_mate_on_the_hundredth_quiet_ply_counts_and_one_later_does_not():
    assert solver().solve(CHESS.position("6k1/5ppp/8/8/8/8/8/R3K3 w - - 99 90"), 1).solved
    late = CHESS.position("7k/8/5K2/8/8/8/8/6R1 w - - 98 90")  # Kf7 is the hundredth once Black has replied
    assert not solver().solve(late, 2).solved


@pytest.mark.parametrize(
    ("name", "text", "n"),
    [
        ("fewest", "8/7K/6Q1/8/3k4/8/8/4R3 w - - {} 90", 5),
        ("df-pn", "3Q4/8/8/8/6k1/4R3/K7/8 w - - {} 90", 4),
    ],
)
def test_a_proof_is_not_used_again_where_fifty_moves_end_the_game_before(name, text, n):
    """Exact mates in n without captures; a search in python-chess that has no table says the same of the second."""
    assert solver(name).solve(CHESS.position(text.format(101 - 2 * n)), n).moves == n
    late = solver(name).solve(CHESS.position(text.format(102 - 2 * n)), n)
    assert (late.solved, late.cut) == (False, False)


def test_a_solver_that_runs_out_of_boards_says_so():
    found = solver().solve(CHESS.position(MORPHY), 2, 10)
    assert (found.solved, found.cut, found.boards) == (False, True, 10)
    with pytest.raises(BadParameter, match="with n from 1 to 10, got 0"):
        solver().solve(CHESS.position(MORPHY), 0)


def test_the_tree_answers_every_reply_and_ends_in_mate():
    def walk(state, tree):
        there = state.play(state.parse(tree.move))
        assert {there.name(move) for move in there.moves()} == {reply for reply, _, _ in tree.replies}
        if not tree.replies:
            assert there.over and there.payoff(state.mover) == 1
        for _, code, answer in tree.replies:
            assert answer.moves < tree.moves
            walk(there.play(code), answer)

    for text, (n, _) in KNOWN.items():
        state = CHESS.position(text)
        walk(state, TreeBuilder(solver("deepening")).build(state, n))


# Programs.


def test_algorithm_6_2_solves_mates_in_two():
    work = runner(table()).load(algorithm_6_2())
    for one in problems("own", 2, TEST, 15):
        answer = work.solve(one.state, 2)
        assert answer.claims and is_key(one, answer.move)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_nested_algorithm_6_3_equals_the_exhaustive_solver(n):
    work = runner(table()).load(algorithm_6_3(n))
    positions = [CHESS.position(text) for text in KNOWN] + [one.state for one in problems("own", n, TEST, 10)]
    for state in positions:
        answer = work.solve(state, n, 10**8)
        keys = finder().keys(state, n)
        assert answer.claims == bool(keys)
        assert not keys or answer.move in keys


@pytest.mark.parametrize("language", [table(), searches()], ids=["book", "searches"])
def test_random_programs_say_the_same_in_all_modes_and_leave_the_board_as_it_was(language):
    states = [CHESS.position(text) for text in list(KNOWN)[2:4]]
    work = [ProgramRunner(language, mode) for mode in MODES]
    for tree in ramped(language, 12, Stream(5), low=2, high=5):
        for state in states:
            said = [one.load(tree).solve(state, 2, 60) for one in work]
            assert repr(said[0]) == repr(said[1]) == repr(said[2])
            assert all(one.run.get(one.w.positions, 0) == state for one in work)


def test_every_word_of_the_book_is_there():
    names = {primitive.name for primitive in table().primitives}
    assert {"IfSuicideCheck", "IfPinCloseToKingMove", "MyMoveIter", "IsDiscoveredProtectedCheck", "Or3"} <= names
    assert len([one for one in table().primitives if one.acts]) == 12
    assert len([one for one in table().primitives if one.reads]) == 12 + 7 + 2


@pytest.mark.parametrize(
    ("program", "text", "score"),
    [
        ("IfMyMoveExistsSuchThat(IsMate, 1.0, -1.0)", MORPHY, -1.0),  # after a first move it is not the player's turn
        ("IfForAllOpponentMoves(IsCheck, 1.0, -1.0)", "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", 1.0),  # mate: all of none
        ("IfKingMustMove(1.0, -1.0)", "7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 1.0),
        ("MakeBestMove(IsCheck)", "7k/8/6K1/8/8/8/8/5Q2 w - - 0 1", 1000.0),
    ],
)
def test_functions_mean_what_the_table_says(program, text, score):
    assert runner(table()).load(read(table(), program)).solve(CHESS.position(text), 2).score == score


def test_what_a_filter_leaves_out_is_found_later_and_what_is_found_is_proved():
    state = CHESS.position(MORPHY)
    work = runner(searches())

    def boards(program):
        answer = work.load(read(searches(), program)).solve(state, 2)
        assert answer.claims and state.name(answer.move) == "Ra6"
        return answer.boards

    every = boards("Prove(Yes, 0.0, 0.0, Yes)")
    assert boards("Prove(Yes, 0.0, Skip, Yes)") == every  # nothing was made before nothing was left out
    assert boards("Prove(Yes, 0.0, 0.0, MoveMayCheck)") < every
    checks = boards("OrElse(Prove(IsCheck, 0.0, 0.0, Yes), Prove(Yes, 0.0, 0.0, Yes))")
    assert every < checks == boards("Prove(IsCheck, 0.0, 0.0, Yes)")
    assert not work.solve(state, 2, every).claims
    assert not work.solve(CHESS.position("8/8/8/3k4/8/8/8/R3K3 w - - 0 1"), 2).claims


def test_solving_all_as_the_baseline_does_scores_310_and_guesses_score_little():
    by_n = {n: problems("own", n, TEST, 5) for n in range(1, 6)}
    keys = {one: one.state.parse(key) for one, key in own_rows()}
    right = sum(
        credit(one, ProgramAnswer(keys[one], 1000.0, 700, False), 700, 2.0) for some in by_n.values() for one in some
    )
    assert right == 5 * (2 + 4 + 8 + 16 + 32)
    one = by_n[3][0]
    quick = ProgramAnswer(keys[one], 1000.0, 1, False)
    assert credit(one, quick, 10**6, 2.0) == 16.0  # capped at twice
    unsure = ProgramAnswer(quick.move, 5.0, 1, False)
    assert credit(one, unsure, 10**6, 2.0) == 8.0  # right, but no claim of a proof
    wrong = next(move for move in one.state.moves() if not is_key(one, move))
    assert credit(one, ProgramAnswer(wrong, 1000.0, 1, False), 10**6, 2.0) == 0.0  # a false claim


# The pool.


def test_our_problems_are_proved_unique_and_stand_once():
    rows = own_rows()
    assert len(rows) >= 3000
    counts = Counter(problem.n for problem, _ in rows)
    assert all(counts[n] >= few for n, few in {1: 500, 2: 1000, 3: 1000, 4: 400, 5: 90}.items())
    assert len({identity(problem.state) for problem, _ in rows}) == len(rows)
    for problem, key in Random(16).sample([row for row in rows if row[0].n < 5], 60):
        assert [problem.state.name(move) for move in all_keys(problem)] == [key]
        assert problem.n == 1 or not solver("fewest").solve(problem.state, problem.n - 1).solved


def keys_by_python_chess(board, n):
    """Every move that mates within n moves: no table, no order, other rules than ours."""
    found = []
    for move in list(board.legal_moves):
        board.push(move)
        if board.is_checkmate() or (
            n > 1 and not board.is_game_over() and all(answered(board, reply, n) for reply in list(board.legal_moves))
        ):
            found.append(move.uci())
        board.pop()
    return found


def answered(board, reply, n):
    board.push(reply)
    good = bool(not board.is_game_over() and keys_by_python_chess(board, n - 1))
    board.pop()
    return good


def test_python_chess_finds_the_same_keys():
    rows = own_rows()
    for n in (1, 2):
        for problem, key in Random(n).sample([row for row in rows if row[0].n == n], 12):
            state = problem.state
            board = python_chess.Board(problem.text)
            assert [state.name(state.parse(move)) for move in keys_by_python_chess(board, n)] == [key]


def test_the_command_in_the_sources_makes_the_rows_of_the_pool(tmp_path):
    """Its beginning does: what comes later is put behind what was found before."""
    assert compose.main([str(tmp_path / "first.txt"), "--seed", "1", "--starts", "30", "--games", "0"]) == 0
    first = compose.kept_rows(tmp_path / "first.txt")
    assert len(first) > 10 and set(first) <= set(compose.kept_rows(FILE))


def test_a_position_is_the_same_as_its_mirror_image_and_with_colours_exchanged():
    ways = ("k7/8/1K6/2pP4/8/8/8/7R w - c6", "7k/8/6K1/4Pp2/8/8/8/R7 w - f6", "7r/8/8/8/2Pp4/1k6/8/K7 b - c3")
    assert len({identity(CHESS.position(text)) for text in ways}) == 1
    assert identity(CHESS.position(ways[0].replace("c6", "-"))) != identity(CHESS.position(ways[0]))
    castling = ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    assert [identity(CHESS.position(text)) == identity(CHESS.position(castling[0])) for text in castling] == [
        True,
        True,
        False,
    ]


def test_training_and_test_have_nothing_in_common():
    for n in range(1, 6):
        training, test = (set(problems("own", n, part, 10**6)) for part in (TRAINING, TEST))
        assert training and test and not training & test
        assert len(training | test) == sum(problem.n == n for problem, _ in own_rows())


def test_without_pychess_its_pools_are_asked_for_in_one_line(monkeypatch, tmp_path):
    monkeypatch.setenv("LUDWIN_PYCHESS", str(tmp_path))
    with pytest.raises(BadParameter, match="the problems of pychess are not here; install Debian's package pychess"):
        pychess.problems("composed", 2)


def test_lists_of_men_and_games_are_read(monkeypatch, tmp_path):
    (tmp_path / "mate_in_2.pgn").write_text('[FEN "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"]\n')
    block = 'algebraic: \n  white: [Kc8, Ra1, Pb6]\n  black: [Ka8, Bb8, Pa7, Pb7]\nstipulation: "#2"\n'
    (tmp_path / "x.olv").write_text(block + block.replace("Kc8", "Gc8"))
    monkeypatch.setenv("LUDWIN_PYCHESS", str(tmp_path))
    assert pychess.problems("practical", 2) == pychess.problems("composed", 2) == (MORPHY,)
    assert pychess.problems("composed", 3) == pychess.problems("practical", 5) == ()


@pytest.mark.parametrize("program", [champion("composed"), champion("practical"), unaided()])
def test_the_champions_solve_what_they_never_saw(program):
    work = runner(searches()).load(program)
    for n in (2, 3):
        for one in problems("own", n, TEST, 30):
            answer = work.solve(one.state, n)
            assert answer.claims and is_key(one, answer.move)


# The command.


def test_solve_prints_the_whole_tree(capsys):
    assert main(["solve", "chess", "mate:n=2", "--from", MORPHY]) == 0
    out = capsys.readouterr().out
    assert "mate in 2, proved" in out and "1. Ra6\n1... bxa6  2. b7#\n" in out
    assert main(["solve", "chess", "mate:n=2", "--from", MORPHY, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["solved"], told["moves"], told["tree"]["move"], len(told["tree"]["replies"])) == (True, 2, "Ra6", 7)
    assert main(["solve", "chess", "mate:n=1", "--from", MORPHY]) == 0
    assert "proved: no mate within 1 moves" in capsys.readouterr().out
    assert main(["solve", "chess", "mate:n=2", "--plan", "x"]) == 2
    assert "--plan is for plans of one player" in capsys.readouterr().err


def test_who_goes_straight_to_n_does_not_say_that_a_mate_takes_n(capsys):
    one = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1"
    assert main(["solve", "chess", "mate:n=3,solver=straight", "--from", one, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["moves"], told["tree"]["moves"], told["tree"]["move"]) == (1, 1, "Ra8#")


def test_a_pool_that_is_kept_is_counted_and_what_is_new_is_sound(tmp_path):
    small, larger = tmp_path / "small.txt", tmp_path / "larger.txt"
    assert compose.main([str(small), "--seed", "3", "--starts", "8", "--games", "0"]) == 0
    more = ["--seed", "4", "--starts", "8", "--games", "0", "--keep", str(small), "--scale", "2"]
    assert compose.main([str(larger), *more]) == 0
    old, new = (compose.kept_rows(path) for path in (small, larger))
    assert old and set(old) < set(new) and len({identity(CHESS.position(text)) for *_, text in new}) == len(new)
    for _, n, key, text in set(new) - set(old):
        state = CHESS.position(text)
        assert finder().keys(state, n) == (state.parse(key),) and (
            n == 1 or not solver("fewest").solve(state, n - 1).solved
        )


@pytest.mark.parametrize("name", ["straight", "fewest-straight", "checks-straight", "checks-pass", "df-pn"])
def test_a_choice_tells_how_long_its_mate_takes_and_not_how_long_it_might(name):
    for start, moves in (("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", 1), (MORPHY, 2)):
        state = CHESS.position(start)
        choice = agent(f"mate:n=3,solver={name}").choose(CHESS, state)
        there = state.play(choice.move)
        real = 1 + max((solver("deepening").solve(there.play(m), 3).moves for m in there.moves()), default=0)
        assert (choice.depth + 1) // 2 == real >= moves and choice.decided


@pytest.mark.parametrize(("other", "reason"), [("nonsense", "no agent called"), ("human", "name an agent")])
def test_who_plays_without_a_mate_is_examined_before_the_games(capsys, other, reason):
    assert main(["match", "chess", f"mate:n=1,otherwise={other}", "random", "--games", "2"]) == 2
    assert reason in capsys.readouterr().err


def test_strengths_are_measured_of_a_search(tmp_path, capsys):
    few = ["generations=1", "population=6", "each=1", "drawn_from=2"]
    few += ["finalist_games=2", "champion_games=2", "yardstick_games=2"]
    assert main(["evolve", "mates", "--preset", "quick", "--out", str(tmp_path / "m"), "--set", *few]) == 0
    capsys.readouterr()
    assert main(["show", str(tmp_path / "m"), "--strengths", "disabled", "--games", "2", "--json"]) == 0
    assert "IsCheck" in capsys.readouterr().out


def test_a_problem_knows_its_part():
    assert MateProblem(MORPHY, 2).part in (TRAINING, TEST)


@pytest.mark.thorough
def test_the_tables_stand_beside_the_printed_numbers(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("LUDWIN_PYCHESS", str(tmp_path))  # our own pool alone
    assert main(["reproduce", "mate-6.5", "--games", "1", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    rows = [row for row in rows if "random" not in row["label"]]
    shares = [row["published"] for row in rows if row["metric"] == "ratio of totals"]
    assert [round(share, 2) for share in shares] == [1.0, 0.29, 0.56, 0.4, 0.53]  # Evolved to Win, table 6.5
    assert all(row["ours"] == 1.0 for row in rows if row["metric"] == "solved")
    assert main(["reproduce", "mate-6.1", "--games", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["rows"]
    assert {row["label"].partition(": ")[2] for row in told} == {*SOLVERS, "foresight"}
