"""Parking: boards and policies that evolve, and the boards that ship."""

from pathlib import Path
from threading import Event

import pytest

import ludwin.games.parking
from ludwin import agent, load
from ludwin.cli import main
from ludwin.errors import BadParameter
from ludwin.evolve.carrying import Stopped, carry_out
from ludwin.evolve.experiment import settle
from ludwin.evolve.register import find
from ludwin.evolve.run import create, reopen
from ludwin.evolve.strategies import apart
from ludwin.games.parking.evolve.boards import BOARDS, judge
from ludwin.games.parking.evolve.component import component
from ludwin.games.parking.evolve.genome import Boards
from ludwin.games.parking.evolve.policies import POLICIES, group_of, problems, split
from ludwin.games.parking.evolve.shipped import HARD, LARGE, listed
from ludwin.games.parking.evolve.tuned import TUNED
from ludwin.program.stream import Stream

DATA = Path(ludwin.games.parking.__file__).parent / "data"
TINY = {"population": 4, "generations": 2, "boards": 2, "nodes": 2_000, "training_nodes": 1_000, "yardstick_every": 2}
TINY |= {"finalists": 1, "last": 1}


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    """Do not wait for the disk."""
    monkeypatch.setattr("ludwin.evolve.store.SYNCHRONOUS", "OFF")


@pytest.mark.parametrize("size", [6, 8])
def test_mutated_boards_are_boards(size):
    kind = Boards(size)
    board = kind.make(Stream(4))
    game = load(f"parking:size={size}")
    for step in range(60):
        before, board = board, kind.mutate(board, Stream(4, step))
        assert board != before and kind.read(kind.write(board)) == board
        assert game.position(board).write().startswith(board)


def test_a_text_that_is_no_board_is_no_genome():
    for text in ("", "X" * 36, "XX" + "." * 34, 7):
        with pytest.raises(BadParameter, match="boards: "):
            Boards(6).read(text)


def test_the_hardest_board_of_a_component_is_as_far_as_breadth_first_says():
    game = load("parking")
    bfs = agent("bfs").solving(game)
    for card in (1, 14, 40):
        found = component(game.position(f"#{card}"))
        assert len(bfs.solve(found.hardest).plan) == found.distance >= len(bfs.solve(game.position(f"#{card}")).plan)


def test_a_component_that_is_too_large_or_has_no_goal_is_worth_nothing():
    board = load("parking").position("#14").write().split()[0]
    assert (judge(board, 6, "slides", 20, 0, 1000).solved, judge(board, 6, "slides", 20, 0, 1000).moves) == (False, -2)
    shut = "....A.....A.XX..A.....B.....B.....B."
    assert judge(shut, 6, "slides", 20, 0, 1000).moves == -1


def lengths(path, size, some):
    """Return what some lines of a file say, steps and slides, and what breadth first finds."""
    told = [tuple(map(int, line.split()[:2])) for line in path.read_text("utf8").splitlines() if line[0] != "#"]
    boards = [board for board, _ in listed(path)]
    found = []
    games = [load(f"parking:size={size},cost={cost}") for cost in ("steps", "slides")]
    searches = [agent("bfs:memory=500M").solving(game) for game in games]
    for k in some(range(len(boards))):
        state = [game.position(boards[k]) for game in games]
        found.append((told[k], tuple(len(bfs.solve(s).plan) for bfs, s in zip(searches, state, strict=True))))
    return found


@pytest.mark.parametrize("step", [20, pytest.param(1, marks=pytest.mark.slow)])
def test_the_hard_boards_of_6x6_take_what_their_file_says(step):
    found = lengths(HARD, 6, lambda places: places[::step])
    assert all(told == real for told, real in found)
    assert max(slides for _, (_, slides) in found) >= 45


@pytest.mark.slow
def test_fifteen_boards_of_8x8_take_iterative_deepening_a_million_nodes():
    found = lengths(LARGE, 8, lambda places: places)
    assert len(found) >= 15 and all(told == real for told, real in found)
    game = load("parking:size=8")
    blind = agent("id:increment=20,nodes=5000000,memory=2G").solving(game)
    for board, _ in listed(LARGE):
        tried = blind.solve(game.position(board))
        assert tried.solved and tried.nodes >= 1_000_000


def test_the_boards_of_8x8_are_different_boards():
    boards = [board for board, _ in listed(LARGE)]
    assert len(boards) == len(set(boards)) >= 15 and {len(board) for board in boards} == {64}


def test_groups_share_no_board_and_tests_none_with_training():
    assert len(problems()) == 240 == len(set().union(*(group_of(k) for k in range(1, 6))))
    for group in (1, 5):
        training, test = split(6, group)
        assert (len(training), len(test)) == (38, 10) and not set(training) & set(test)


def test_policies_evolve_alike_with_one_thread_and_two_and_after_a_stop(tmp_path):
    settings = settle(POLICIES, "quick", TINY)
    for folder, workers in (("one", 1), ("two", 2)):
        carry_out(create(tmp_path / folder, POLICIES, "quick", settings, 3), workers=workers)
    champions = [(tmp_path / folder / "champion.json").read_bytes() for folder in ("one", "two")]
    assert champions[0] == champions[1]
    stop = Event()
    stop.set()
    with pytest.raises(Stopped):
        carry_out(create(tmp_path / "stopped", POLICIES, "quick", settings, 3), stop=stop)
    assert not (tmp_path / "stopped" / "champion.json").exists()
    carry_out(reopen(tmp_path / "stopped", find))
    assert (tmp_path / "stopped" / "champion.json").read_bytes() == champions[0]


def test_excess_is_forgiven_or_counted():
    from ludwin.evolve.trials import Tried
    from ludwin.games.parking.evolve.policies import course

    worth = {way: course(settle(POLICIES, "quick", {"excess": way}), 1).worth for way in ("forgiven", "counted")}
    tried = Tried(True, 1500, 9)
    assert (worth["forgiven"](tried, 1000), worth["counted"](tried, 1000)) == (0.0, -0.5)
    with pytest.raises(BadParameter, match="excess"):
        settle(POLICIES, "quick", {"excess": "ignored"})


def test_fitness_may_be_half_by_totals_and_a_policy_may_run_out_of_patience():
    from ludwin.evolve.trials import Tried
    from ludwin.games.parking.evolve.policies import course, hand_made

    settings = settle(POLICIES, "quick", {"excess": "weighed", "patience": 0.05, "nodes": 100_000})
    training = course(settings, 1)
    found = [(Tried(True, 100, 9), 1000), (Tried(True, 1500, 9), 3000)]
    assert training.judge(found) == pytest.approx(1 - ((0.1 + 0.5) / 2 + 1600 / 4000) / 2)
    ((tried, blind),) = training.results([hand_made()], [[30]])[0]
    assert not tried.solved and tried.nodes == int(0.05 * blind)


def test_champions_say_which_generation_bred_them():
    import json

    ours, book = (POLICIES.kind(settle(POLICIES, "quick", {"hand": True, "extra": extra})) for extra in (True, False))
    ways = [{"mode": mode} for mode in TUNED] + [{"mode": "order", "recalls": True}]
    tuned = [POLICIES.kind(settle(POLICIES, "quick", {"hand": True, "relaxed": True, **way})) for way in ways]
    sums = [kind.text(kind.knows[0]) for kind in tuned]
    for path in sorted((DATA / "champions").glob("*.json")):
        data = json.loads(path.read_text("utf8"))
        if data["text"] in sums:  # evolution found nothing better than the tuned sum, and says so
            assert data["generation"] == 0
            continue
        assert data["generation"] > 0 and data["origin"] in ("crossover", "mutation", "copy", "elite", "cma")
        by_hand = [kind.text(policy) for kind in (ours, book, *tuned) for policy in kind.knows]
        assert by_hand and data["text"] not in by_hand  # an elite one is not merely what evolution began with


def test_the_flavours_of_champions_are_told_apart_by_their_words():
    own = ("Layers", "CellsGone", "Minus", "InTheWay", "Moves")
    for path in sorted((DATA / "champions").glob("*.json")):
        text = path.read_text("utf8")
        assert any(word in text for word in own) == (not path.stem.endswith("-book"))
    game = load("parking")
    state = game.position("#30")
    for name in ("gp-parking", "gp-parking-order"):
        found = [agent(f"{name}:words={words}").solve(game, state) for words in ("ours", "book")]
        assert all(one.solved for one in found) and found[0].nodes != found[1].nodes
    with pytest.raises(BadParameter, match="words"):
        agent("gp-parking:words=mine")


def test_boards_that_slides_lead_to_one_another_share_a_niche_and_only_the_best_of_it_survives():
    kind = Boards(6)
    state = load("parking").position("#14")
    board = state.write()
    rng = Stream(3)
    for _ in range(30):
        moves = state.moves()
        state = state.play(moves[rng.below(len(moves))])
        assert kind.niche(state.write().split()[0]) == kind.niche(board)
    other = load("parking").position("#15").write()
    assert kind.niche(other) != kind.niche(board)
    slid = state.write().split()[0]
    assert apart(kind, [board, slid, other], [9.0, 9.0, 5.0], 2) == [0, 2]
    assert apart(kind, [board, slid], [9.0, 9.0], 2) == [0, 1]


def test_evolution_of_boards_can_go_on_from_those_that_ship():
    settings = settle(BOARDS, "standard", {"first": "known", "population": 20})
    begun = BOARDS.kind(settings).begin(20, Stream(1))
    assert tuple(begun[:15]) == tuple(board for board, _ in listed(LARGE))[:15] and len(set(begun)) == 20


def test_what_all_groups_train_on_is_measured_by_no_table():
    from ludwin.games.parking.boards import cards

    train, test = split(6, 0)
    bare = {text.split()[0] for text in (*train, *test)}
    assert (len(train), len(test), len(bare)) == (108, 26, 134)
    unseen = {board for number in (2, 3, 4, 5) for board in group_of(number)[-20:]}
    assert not bare & {*cards(), *unseen} and len(unseen - set(cards())) == 66


def test_easy_boards_are_on_a_shortest_way_of_hard_ones_that_are_trained_on():
    game, bfs = load("parking"), agent("bfs")
    hard, kept = split(6, 0)
    training, test = split(6, 0, True)
    assert training[:108] == hard and test[:26] == kept and (len(training), len(test)) == (162, 39)
    for board, easy in [*zip(hard[::2], training[108:], strict=True), *zip(kept[::2], test[26:], strict=True)][::6]:
        start, later = game.position(board.split()[0]), game.position(easy.split()[0])
        whole, rest = bfs.solve(game, start), bfs.solve(game, later)
        assert len(rest.plan) <= 25 and 8 <= len(rest.plan) < len(whole.plan)
        for move in whole.plan[: len(whole.plan) - len(rest.plan)]:
            start = start.play(move)
        assert start.write().split()[0] == easy.split()[0]


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("parking", {"mode": "order", "weight": 3.0}, "weight=3 has no effect with mode=order"),
        ("parking", {"size": 8, "group": 2}, "group=2 has no effect with size=8"),
        ("parking", {"every": 3}, "every=3 has no effect with way=sample"),
        ("freecell", {"way": "fixed", "every": 3}, "every=3 has no effect with way=fixed"),
        ("freecell-policy", {"way": "sample", "every": 1}, "every=1 has no effect with way=sample"),
    ],
)
def test_settings_that_would_be_ignored_are_refused(name, given, said):
    experiment = find(name)
    for preset in ("quick", "standard", "paper"):
        experiment.examine(settle(experiment, preset, {}))
        with pytest.raises(BadParameter, match=f"{name}: {said}"):
            experiment.examine(settle(experiment, preset, given))


def test_a_list_of_boards_and_their_picture_are_two_files(capsys, tmp_path):
    one = str(tmp_path / "boards.txt")
    assert main(["boards", str(tmp_path), "--out", one, "--svg", one]) == 2
    assert "--out and --svg are one file" in capsys.readouterr().err
