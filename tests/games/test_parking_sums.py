"""Parking: charts beside the searches that they stand for, and sums of words that are tuned on them."""

import json
from pathlib import Path
from threading import Event

import pytest

import ludwin.games.parking
from ludwin import agent, load
from ludwin.errors import BadParameter
from ludwin.evolve.carrying import Stopped, carry_out
from ludwin.evolve.experiment import settle
from ludwin.evolve.register import find
from ludwin.evolve.run import create, reopen
from ludwin.games.parking.boards import cards
from ludwin.games.parking.evolve.chart import Chart, WordSum
from ludwin.games.parking.evolve.drawn import LEAST, MOST, drawn
from ludwin.games.parking.evolve.gallery import _kinds
from ludwin.games.parking.evolve.policies import problems
from ludwin.games.parking.evolve.shipped import BRED, DRAWN
from ludwin.games.parking.evolve.sums import (
    KINDS,
    SUMS,
    WORDS,
    OnCharts,
    blind,
    boards_of,
    brain,
    kind,
    on_chart,
    solver,
    words_of,
)
from ludwin.program.stream import Stream
from ludwin.search.puzzles.deepen import IDAStar, IterativeDeepening
from ludwin.search.puzzles.probes import Probing

DATA = Path(ludwin.games.parking.__file__).parent / "data"
TINY = {"population": 4, "generations": 2, "boards": 2, "other": 0, "nodes": 20_000, "yardstick_every": 2}


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    """Do not wait for the disk."""
    monkeypatch.setattr("ludwin.evolve.store.SYNCHRONOUS", "OFF")


def random_sum(number, again):
    draw = Stream(5, number)
    return [draw.normal() for _ in WORDS], (5 * draw.normal() if again else 0.0)


def lines(path):
    return [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]


def reachable(state):
    """Return the boards that can be reached, solved ones included, which are not left."""
    met, todo = {state.write().split()[0]}, [state]
    while todo:
        here = todo.pop()
        for move in here.moves():
            there = here.play(move)
            board = there.write().split()[0]
            if board not in met:
                met.add(board)
                todo.append(there)
    return met


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("increment", [7, 60])
def test_orders_enter_as_many_nodes_on_charts_as_in_the_search(increment, again):
    game = load("parking")
    for number, card in enumerate((1, 12, 26, 33)):
        weights, comes = random_sum(number, again)
        words = (*WORDS, "ComesAgain")
        search = IterativeDeepening(nodes=4_000, increment=float(increment), order="estimate")
        found = search.with_brain(brain(words, [*weights, comes])).solve(game, game.position(f"#{card}"))
        chart = Chart.of(game.position(f"#{card}"), tuple(WORDS.values()))
        assert chart.search(WordSum(weights, comes), increment, 4_000) == (found.solved, found.nodes)


@pytest.mark.parametrize(("probes", "length"), [(1, 30), (4, 60), (3, 2000)])
def test_probes_enter_as_many_nodes_on_charts_as_in_the_search(probes, length):
    game = load("parking")
    for number, card in enumerate((1, 12, 26, 33)):
        weights, comes = random_sum(number, True)
        settings = {**settle(SUMS, "standard", {}), "nodes": 4_000, "probes": probes, "probe_nodes": length}
        genome = (*weights, comes, -0.3, 4.0, *((5.5,) if probes > 1 else ()))
        found = solver(settings, genome, 60).solve(game, game.position(f"#{card}"))
        chart = Chart.of(game.position(f"#{card}"), tuple(WORDS.values()))
        sum = on_chart(words_of(settings), genome)
        probing = Probing(probes, length)
        assert chart.search(sum, 60, 4_000, probing=probing) == (found.solved, found.nodes)


@pytest.mark.parametrize("increment", [3, 20])
def test_cuts_enter_as_many_nodes_on_charts_as_in_the_search(increment):
    game = load("parking")
    for number, card in enumerate((3, 14, 40)):
        weights, again = random_sum(number, True)
        search = IDAStar(nodes=4_000, increment=float(increment), order="estimate")
        found = search.with_brain(brain((*WORDS, "ComesAgain"), [*weights, again])).solve(
            game, game.position(f"#{card}")
        )
        chart = Chart.of(game.position(f"#{card}"), tuple(WORDS.values()))
        assert chart.search(WordSum(weights, again), increment, 4_000, cuts=True) == (found.solved, found.nodes)


def test_a_chart_has_every_board_that_can_be_reached():
    state = load("parking").position("#1")
    assert len(Chart.of(state, ("blockers",)).words) == len(reachable(state))


def test_a_chart_says_of_its_first_state_what_the_words_say():
    game = load("parking")
    state = game.position("#7")
    chart = Chart.of(state, tuple(WORDS.values()))
    names = list(game.queries)
    asked = [game.function("query")(state.thaw(), 0, names.index(query), 0) for query in WORDS.values()]
    assert list(chart.words[0]) == asked


def test_boards_from_which_too_much_can_be_reached_are_refused():
    with pytest.raises(BadParameter, match="a chart has room for 50 states, more can be reached from"):
        Chart.of(load("parking").position("#2"), ("blockers",), room=50)


def test_random_boards_are_those_of_their_command():
    said = [(int(steps), int(slides), board) for steps, slides, board in lines(DRAWN)]
    assert said[:4] == drawn(4, 1) and len(said) == 200
    assert all(LEAST <= slides <= MOST for _, slides, _ in said)


def test_boards_take_what_their_files_say():
    for path in (BRED, DRAWN):
        for cost, column in (("steps", 0), ("slides", 1)):
            game = load(f"parking:cost={cost}")
            bfs = agent("bfs").solving(game)
            for words in lines(path)[::9]:
                assert len(bfs.solve(game.position(words[2])).plan) == int(words[column])


def test_boards_that_tables_measure_are_not_among_those_of_the_training():
    measured = [frozenset(_kinds(board)) for board in {*cards(), *problems()}]
    for _, _, board in lines(BRED):
        assert all(len(frozenset(_kinds(board)) ^ other) >= 4 for other in measured)
    assert not {board for _, _, board in lines(DRAWN)} & set(cards())
    for name in KINDS:
        training, kept = boards_of(0)[name]
        assert training and kept and not set(training) & set(kept)
        assert not {text.split()[0] for text in training} & set(cards())


def test_a_sum_is_worth_on_charts_what_it_is_worth_in_searches():
    settings = settle(SUMS, "quick", {"boards": 3, "increment": 60})
    genome = kind(settings).first
    (score, facts), again = OnCharts(settings).score([genome], 0, Stream(1))[0], OnCharts(settings, 2)
    assert again.score([genome], 5, Stream(2))[0] == (score, facts)  # workers and luck change nothing
    game = load("parking")
    for name in KINDS:
        texts = boards_of(3)[name][0]
        base = blind(texts, 60, settings["nodes"])
        places = solver(settings, genome).solving(game)
        found = [places.solve(game.position(text), nodes=int(3 * n)) for text, n in zip(texts, base, strict=True)]
        shares = [one.nodes / n for one, n in zip(found, base, strict=True)]
        assert facts[f"{name}, 60, ratios"] == pytest.approx(sum(shares) / 3, rel=1e-12)


def test_sums_evolve_and_play_and_resume_to_the_same_bytes(tmp_path):
    settings = settle(SUMS, "quick", TINY)
    carry_out(create(tmp_path / "whole", SUMS, "quick", settings, 3))
    stop = Event()
    stop.set()
    with pytest.raises(Stopped):
        carry_out(create(tmp_path / "stopped", SUMS, "quick", settings, 3), stop=stop)
    carry_out(reopen(tmp_path / "stopped", find), workers=2)
    one, other = ((tmp_path / name / "champion.json").read_bytes() for name in ("whole", "stopped"))
    assert one == other
    terms = json.loads(one)["player"]["brain"]["sums"][0]["weights"]
    assert [term["query"] for term in terms] == [*WORDS.values(), "comes again"]
    found = agent(f"evolved:{tmp_path / 'whole'}").player().solve(load("parking"), load("parking").position("#1"))
    assert found.solved


def test_sums_are_readable_and_stay_within_their_bounds():
    settings = settle(SUMS, "quick", {})
    one = kind(settings)
    assert one.text(one.first).startswith("0 H1 + 0 H2") and "2 Layers" in one.text(one.first)
    assert one.read(one.write(one.first)) == one.first
    assert max(map(abs, one.bounded([5000.0] * one.length))) <= 1000.0


def test_champions_of_runs_before_orders_heeded_pairs_are_read(tmp_path):
    settings = settle(SUMS, "quick", {**TINY, "novel": False, "probes": 0, "generations": 1, "champion_games": 2})
    carry_out(create(tmp_path / "run", SUMS, "quick", settings, 3))
    said = json.loads((tmp_path / "run" / "champion.json").read_text())
    del said["settings"]["novel"]
    (tmp_path / "former.json").write_text(json.dumps(said))
    former, now = (agent(f"evolved:{tmp_path / name}").player() for name in ("former.json", "run"))
    assert former == now and former.novel == ""


def test_orders_that_heed_pairs_say_so_in_their_files(tmp_path):
    settings = settle(SUMS, "quick", TINY)
    carry_out(create(tmp_path / "run", SUMS, "quick", settings, 3))
    said = json.loads((tmp_path / "run" / "champion.json").read_text())
    weights = dict(zip(kind(settings).words, said["genome"], strict=True))
    player = agent(f"evolved:{tmp_path / 'run'}").player()
    assert (player.novel, player.fresh, player.stale) == ("stands", weights["NewPair"], weights["NothingNew"])
    assert (player.probes, player.probe_nodes, player.noise) == (20, 100, abs(weights["Noise"]))


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("parking", {"mode": "order", "probes": -1}, "probes must be at least 0"),
        ("parking-sums", {"probes": -1}, "probes must be at least 0"),
        ("parking-sums", {"probe_nodes": 0}, "probe_nodes must be at least 1"),
        ("parking", {"probes": 3}, "probes=3 has no effect with mode=ida"),
        ("parking", {"novel": True}, "novel=true has no effect with mode=ida"),
        ("parking", {"mode": "order", "noise": 2.0}, "noise=2 has no effect without probes"),
    ],
)
def test_walks_that_cannot_be_are_refused_before_a_run_begins(name, given, said, tmp_path):
    experiment = find(name)
    with pytest.raises(BadParameter, match=said):
        settings = settle(experiment, "quick", given)
        create(tmp_path / "run", experiment, "quick", settings, 1)
    assert not (tmp_path / "run").exists()
