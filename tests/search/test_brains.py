"""Brains: every search takes every opinion, in every mode, and files name both."""

import json
import random
from pathlib import Path

import pytest

from ludwin import agent, load
from ludwin.arena.contest import compiled_table
from ludwin.cli import main
from ludwin.errors import BadParameter, CannotPlay
from ludwin.evolve.agent import load_player
from ludwin.evolve.bouts import Bouts, points
from ludwin.evolve.generic import language
from ludwin.evolve.minds import brain_data, read_brain, written
from ludwin.evolve.store import CHAMPION, BadRun, read_champion
from ludwin.formats import examine
from ludwin.games.draughts.language import LANGUAGE as CHECKERS
from ludwin.laws import check
from ludwin.play.referee import play_game
from ludwin.program.generate import ramped
from ludwin.program.stream import Stream
from ludwin.program.text import read, write
from ludwin.program.toml import to_toml
from ludwin.search.alphabeta import AlphaBeta
from ludwin.search.brain import Evaluation, Lookup, Weights
from ludwin.search.expectimax import Expectimax, Star1, Star2
from ludwin.search.greedy import Greedy
from ludwin.search.maxn import MaxN
from ludwin.search.minimax import Minimax
from ludwin.search.montecarlo.mcts import MCTS
from ludwin.search.programs import Programs, program_player
from ludwin.search.uct import UCT

MODES = ("plain", "checked", "fast")

PIG = """
QUERIES = {"my points": "float", "their points": "float", "turn total": "float"}


def query(s, p, k, a):
    if k == 2:
        return 1.0 * s.total
    return 1.0 * s.scores[p if k == 0 else 1 - p]


def stage_race(s, p):
    return 1 if s.scores[p] + s.total >= GOAL // 2 else 0
"""


def positions(game, count, seed, plies=20):
    """Return positions after random play in which a player is to move."""
    rng, found = random.Random(seed), []
    while len(found) < count:
        state = game.start()
        for _ in range(rng.randrange(plies)):
            state = state if state.over else state.play(rng.choice(state.moves()))
        while not state.over and state.mover < 0:
            state = state.play(rng.choice(state.moves()))
        if not state.over:
            found.append(state)
    return found


def programs(spoken, count, seed):
    return ramped(spoken, count, Stream(seed), low=2, high=5)


@pytest.fixture(scope="module")
def pig(tmp_path_factory):
    import ludwin.games.pig

    path = tmp_path_factory.mktemp("games") / "asked_pig.py"
    source = Path(ludwin.games.pig.__file__).read_text(encoding="utf8")
    path.write_text(source + PIG, encoding="utf8")
    return load(f"{path}:goal=20")


def champion_file(path, player, game="lose-checkers"):
    """Write a champion's file as a run does, but for the run."""
    measure = {"opponent": "random", "score": 0.5, "low": 0.0, "high": 1.0, "games": 2}
    about = {"experiment": game, "seed": 0, "settings": {}, "text": "", "size": 1, "generation": 0, "genome": None}
    data = {**CHAMPION.head, **about, "score": measure, "record": [], "game": game, "player": written(player)}
    examine(data, CHAMPION.shape)
    path.write_text(json.dumps(data), encoding="utf8")
    return data


# ---- One opinion in all searches -----------------------------------------------------------------------------


def test_searches_of_the_alpha_beta_family_agree_on_a_programs_values():
    game = load("lose-checkers")
    for number, tree in enumerate(programs(CHECKERS, 4, 1)):
        brain = Programs((tree,))
        for state in positions(game, 3, number):
            oracle = Minimax(depth=3).with_brain(brain).choose(game, state)
            for search in (
                AlphaBeta(depth=3),
                AlphaBeta(depth=3, ties="shuffle"),
                AlphaBeta(depth=3, table=12, killers="ply"),
                AlphaBeta(depth=3, pvs=1, history=1, order="value", ties="shuffle"),
                AlphaBeta(depth=3, driver="mtdf", table=10, deepen=1),
            ):
                found = search.with_brain(brain).choose(game, state, seed=number)
                assert found.value == oracle.value, (search, write(tree))


def test_shuffled_ties_are_broken_the_same_with_and_without_refinements():
    game = load("lose-checkers")
    for number, tree in enumerate(programs(CHECKERS, 4, 2)):
        for state in positions(game, 4, number):
            plain = program_player(tree, 3).choose(game, state, seed=number)
            brain = Programs((tree,))
            for more in ({"pvs": 1}, {"killers": "none", "table": 0, "nodes": 10**9, "deepen": 0}):
                same = AlphaBeta(depth=3, ties="shuffle", **more).with_brain(brain)
                assert same.choose(game, state, seed=number).value == plain.value
            assert plain.move in state.moves()


@pytest.mark.parametrize(
    "search",
    [AlphaBeta(depth=2), AlphaBeta(depth=2, table=8, killers="ply"), Greedy(), agent("mcts:playouts=30,cut=2")],
    ids=str,
)
def test_a_champion_of_lose_checkers_means_the_same_in_every_mode(search, tmp_path):
    game = load("lose-checkers")
    tree = programs(CHECKERS, 8, 3)[7]
    champion_file(tmp_path / "champion.json", program_player(tree, 2))
    text = f'evolved:{tmp_path / "champion.json"},agent="{search}"'
    player = agent(text)
    for number, state in enumerate(positions(game, 3, 4)):
        choices = [player.choose(game, state, seed=number, mode=mode) for mode in MODES]
        assert choices[0] == choices[1] == choices[2]
        assert choices[0] == search.with_brain(Programs((tree,))).choose(game, state, seed=number)


@pytest.mark.parametrize(
    "settings",
    [
        {"cut": 0},
        {"cut": 3, "low": -20.0, "high": 20.0, "scale": 20.0},
        {"rule": "puct", "prior": "evaluation", "cut": 2},
        {"widen": 1.0},
    ],
)
def test_a_champion_of_lose_checkers_inside_mcts_means_the_same_in_every_mode(settings, tmp_path):
    game = load("lose-checkers")
    search = MCTS(playouts=40, **settings)
    other = 0
    for number, tree in enumerate(programs(CHECKERS, 4, 13)):
        champion_file(tmp_path / f"{number}.json", program_player(tree, 2))
        player = agent(f'evolved:{tmp_path / f"{number}.json"},agent="{search}"')
        for seed, state in enumerate(positions(game, 2, number)):
            choices = [player.choose(game, state, seed=seed, mode=mode) for mode in MODES]
            assert choices[0] == choices[1] == choices[2]
            assert choices[0] == search.with_brain(Programs((tree,))).choose(game, state, seed=seed)
            other += choices[0] != search.with_brain(Lookup()).choose(game, state, seed=seed)
    assert other > 0  # a brain that thinks the same of all positions plays otherwise


def test_a_cut_without_playout_backs_up_what_the_brain_says_of_the_children():
    game = load("lose-checkers")
    brain = Lookup((), 0.25)
    state = positions(game, 1, 3)[0]
    choice = MCTS(playouts=len(state.moves()), cut=0).with_brain(brain).choose(game, state, mode="plain")
    assert set(choice.visits.values()) == {1}
    for move, value in choice.values.items():  # the mover behind a move is the opponent, who has 0.25
        behind = state.play(move)
        assert behind.over or value == (0.25 if behind.mover == state.mover else -0.25)


def test_an_opinion_that_is_no_number_is_the_worst_in_mcts_too(pig):
    tree = read(language(pig), "MultERC[1e300](MultERC[1e300](turn_total))")
    for settings in ({"cut": 0}, {"rule": "puct", "prior": "evaluation"}, {"expand": "evaluation"}):
        player = MCTS(playouts=30, **settings).with_brain(Programs((tree,)))
        for state in positions(pig, 3, 1):
            choices = [player.choose(pig, state, mode=mode) for mode in MODES]
            assert choices[0] == choices[1] == choices[2]
            assert all(-1.0 <= value <= 1.0 for value in choices[0].values.values())


def test_a_brain_that_mcts_would_never_ask_is_refused():
    with pytest.raises(BadParameter, match="mcts: a brain has no effect without cut=, prior=evaluation"):
        MCTS(playouts=30).with_brain(Lookup())
    game = load("nim")  # it has no evaluation, and needs none with a brain
    with pytest.raises(CannotPlay, match="need evaluate"):
        MCTS(playouts=30, cut=0).suits(game)
    MCTS(playouts=30, cut=0).with_brain(Lookup()).suits(game)


@pytest.mark.parametrize("search", [Expectimax(depth=2), Star1(depth=2), Star2(depth=2), Greedy()])
def test_a_program_in_expectimax_on_pig_has_the_same_values_in_plain_and_fast(search, pig):
    for number, tree in enumerate(programs(language(pig), 4, 5)):
        player = search.with_brain(Programs((tree,)))
        for state in positions(pig, 2, number):
            choices = [player.choose(pig, state, seed=number, mode=mode) for mode in MODES]
            assert choices[0] == choices[1] == choices[2]
            if search.name != "greedy":
                assert all(-1.0 <= value <= 1.0 for value in choices[0].values.values())  # clipped to the payoffs


def test_opinions_beyond_the_payoffs_are_clipped_and_nan_is_the_worst(pig):
    spoken = language(pig)
    state = positions(pig, 1, 8)[0]
    for text, value in (("MultERC[1000000.0](Plus(One, turn_total))", 1.0), ("MultERC[-1000000.0](One)", -1.0)):
        found = Expectimax(depth=1).with_brain(Programs((read(spoken, text),))).choose(pig, state)
        assert found.value == value


def test_a_program_in_expectimax_on_carcassonne_has_the_same_values_in_plain_and_fast():
    game = load("carcassonne:players=2,tiles=24")
    tree = read(language(game), "MultERC[0.25](Minus(Mobility, One))")
    player = Expectimax(depth=2, low=-300, high=300).with_brain(Programs((tree,)))
    rng, state = random.Random(6), game.start()
    while state.mover < 0 or len(state.moves()) > 6 or all(state.play(move).over for move in state.moves()):
        state = state.play(rng.choice(state.moves()))
        state = game.start() if state.over else state  # the end was too wide, or too near
    fast, plain = (player.choose(game, state, seed=1, mode=mode) for mode in ("fast", "plain"))
    assert fast == plain and fast.nodes > len(state.moves()) + 1


def test_max_n_asks_the_brain_for_every_player():
    game = load("li-nim")
    tree = read(language(game), "MultERC[0.125](Mobility)")
    for state in positions(game, 3, 7, plies=3):
        choices = [MaxN(depth=2).with_brain(Programs((tree,))).choose(game, state, mode=mode) for mode in MODES]
        assert choices[0] == choices[1] == choices[2]


# ---- Other brains --------------------------------------------------------------------------------------------


def test_an_evaluation_is_a_brain():
    game = load("draughts")
    for state in positions(game, 3, 9):
        named = agent("alphabeta:depth=3,eval=twist").choose(game, state)
        assert AlphaBeta(depth=3).with_brain(Evaluation("twist")).choose(game, state) == named
    with pytest.raises(CannotPlay, match="draughts has no evaluate_none"):
        AlphaBeta().with_brain(Evaluation("none")).suits(game)


def test_weights_are_the_sum_that_they_say():
    game = load("lose-checkers")
    brain = Weights((("men", 0, 1.5), ("enemy men", 0, -2.0), ("is empty", 5, 0.25)), 0.5)
    names = list(game.queries)
    query = game.function("query")
    for state in positions(game, 4, 10):
        after = [state.play(move) for move in state.moves()]

        def value(s):
            terms = (
                (weight, query(s.thaw(), s.mover, names.index(name), place)) for name, place, weight in brain.terms
            )
            return brain.bias + sum(weight * answer for weight, answer in terms)

        expected = max((value(s) if s.mover == state.mover else -value(s)) for s in after if not s.over)
        choices = [AlphaBeta(depth=1).with_brain(brain).choose(game, state, mode=mode) for mode in MODES]
        assert choices[0] == choices[1] == choices[2]
        if not choices[0].decided:
            assert choices[0].value == pytest.approx(expected)
    with pytest.raises(CannotPlay, match="has no query 'men'"):
        AlphaBeta().with_brain(brain).suits(load("connect-four"))
    with pytest.raises(CannotPlay, match="'men' has no place 3"):
        AlphaBeta().with_brain(Weights((("men", 3, 1.0),))).suits(game)
    with pytest.raises(BadParameter, match="the weight of men must be a finite number"):
        Weights((("men", 0, float("inf")),))


def test_a_table_of_solved_positions_plays_perfectly_one_ply_deep():
    game = load("tic-tac-toe")
    oracle, known, stack = AlphaBeta(depth=9), {}, [game.start().play(4)]
    while stack:
        state = stack.pop()
        if state.over or state.key() in known:
            continue
        known[state.key()] = oracle.choose(game, state).value
        stack += [state.play(move) for move in state.moves()]
    player = AlphaBeta(depth=1).with_brain(Lookup(tuple(known.items())))
    for state in positions(game, 12, 11, plies=6):  # oracle: search to the end
        if state.key() in known:
            for mode in MODES:
                assert player.choose(game, state, mode=mode).value == oracle.choose(game, state).value
    with pytest.raises(BadParameter, match="one value for each key"):
        Lookup(((1, 0.5), (1, 0.25)))


def test_three_programs_speak_by_who_has_the_advantage():
    game = load("draughts")
    spoken = language(game)
    ahead, even, behind = (read(spoken, f"MultERC[{x}](One)") for x in ("3.0", "2.0", "1.0"))
    player = AlphaBeta(depth=1).with_brain(Programs((ahead, even, behind), "advantage"))

    def says(state, me):
        material = state.evaluate()
        value = 3.0 if material > 0 else 2.0 if material == 0 else 1.0
        return value if state.mover == me else -value

    seen = set()
    for state in positions(game, 40, 12, plies=40):
        after = [state.play(move) for move in state.moves()]
        if any(child.over for child in after):
            continue
        best = max(says(child, state.mover) for child in after)
        seen.add(abs(best))
        assert [player.choose(game, state, mode=mode).value for mode in MODES] == [best] * 3
    assert seen == {1.0, 2.0, 3.0}
    with pytest.raises(BadParameter, match="advantage chooses among 3 programs"):
        Programs((ahead, even), "advantage")
    with pytest.raises(CannotPlay, match="defines no stage_contact"):
        AlphaBeta().with_brain(Programs((ahead, even), "contact")).suits(game)


def test_a_game_says_which_program_speaks(pig):
    spoken = language(pig)
    opening, race = (read(spoken, f"MultERC[{x}](One)") for x in ("0.25", "-0.5"))
    brain = Programs((opening, race), "race")
    for number, state in enumerate(positions(pig, 6, 13)):
        choices = [Expectimax(depth=1).with_brain(brain).choose(pig, state, seed=number, mode=mode) for mode in MODES]
        assert choices[0] == choices[1] == choices[2]
    player = Expectimax(depth=1).with_brain(brain)
    near, far = pig.position("2,3:0+4"), pig.position("8,3:0+4")  # player 0 holds 6 or 12 of 20 behind the second move
    assert player.choose(pig, near, mode="plain").values[1] == 0.25
    assert player.choose(pig, far).values[1] == -0.5
    check(pig, playouts=20, seed=0)


def test_a_stage_that_is_no_number_of_a_program_is_found(tmp_path):
    import ludwin.games.nim

    path = tmp_path / "staged.py"
    source = Path(ludwin.games.nim.__file__).read_text(encoding="utf8")
    path.write_text(source + "\n\ndef stage_end(s, p):\n    return -1\n", encoding="utf8")
    with pytest.raises(Exception, match="stage_end must return the number of a program, at least 0"):
        check(load(str(path)), playouts=60, seed=0)


# ---- Texts and files -----------------------------------------------------------------------------------------


def test_the_text_of_an_evolved_agent_round_trips(tmp_path):
    tree = programs(CHECKERS, 1, 3)[0]
    champion_file(tmp_path / "c.json", program_player(tree, 2))
    for more in (
        "",
        ",depth=4",
        ",agent=greedy",
        ',agent="alphabeta:depth=5,table=16,killers=ply"',
        ",native=1,agent=alphabeta:depth=2",
    ):
        player = agent(f"evolved:{tmp_path / 'c.json'}{more}")
        assert agent(str(player)) == player and str(agent(str(player))) == str(player)
    one = agent(f'evolved:{tmp_path / "c.json"},agent="alphabeta:depth=5,table=16,killers=ply"')
    assert one.player() == AlphaBeta(depth=5, table=16, killers="ply").with_brain(Programs((tree,)))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (",agent=random", "random asks nobody's opinion"),
        (",agent=greedy,depth=3", "depth=3 has no effect with agent="),
        (",agent=evolved:x", "a brain goes into a search of ours"),
        (",agent=process:true", "a brain goes into a search of ours"),
        (",agent=./mine.py", "a brain goes into a search of ours"),
        (',agent="alphabeta:depth=5', "must end with one"),
        (",agent=alphabeta:depth=x", "depth must be a whole number"),
        (",agent=alphabeta:eval=twist", "eval=twist has no effect with a brain"),
        (",agent=nobody", "a brain goes into a search of ours"),
    ],
)
def test_a_wrong_search_for_a_brain_is_one_clear_line(tmp_path, capsys, more, message):
    champion_file(tmp_path / "c.json", program_player(programs(CHECKERS, 1, 3)[0], 2))
    assert main(["choose", "lose-checkers", f"evolved:{tmp_path / 'c.json'}{more}"]) == 2
    err = capsys.readouterr().err
    assert message in err and "Traceback" not in err


def test_a_brain_is_no_text(capsys):
    assert main(["choose", "nim", "alphabeta:brain=mine"]) == 2
    assert "evolved:PATH,agent=alphabeta" in capsys.readouterr().err


def test_every_kind_of_brain_comes_back_from_its_file(tmp_path):
    trees = tuple(programs(CHECKERS, 3, 14))
    for brain in (
        Programs(trees[:1]),
        Programs(trees, "advantage"),
        Programs(trees[:2], "contact"),
        Weights((("men", 0, 1.5), ("is empty", 7, -0.25)), 2.0),
        Lookup(((5, 0.5), (-(2**63), -1.0)), 0.125),
        Evaluation("twist"),
    ):
        assert read_brain(json.loads(json.dumps(brain_data(brain)))) == brain
        data = champion_file(tmp_path / "c.json", AlphaBeta(depth=3, table=8).with_brain(brain))
        assert data["player"]["agent"] == "alphabeta:depth=3,table=8"
        assert load_player(tmp_path / "c.json").agent == AlphaBeta(depth=3, table=8).with_brain(brain)


def test_champions_of_version_1_still_play(tmp_path):
    tree = programs(CHECKERS, 2, 15)[1]
    new = program_player(tree, 3)
    data = champion_file(tmp_path / "c.json", new)
    old = {"game": "lose-checkers", "depth": 3, "language": to_toml(tree.language), "program": write(tree)}
    del data["game"]
    (tmp_path / "old.json").write_text(json.dumps({**data, "version": 1, "player": old}), encoding="utf8")
    assert load_player(tmp_path / "old.json") == load_player(tmp_path / "c.json")
    assert read_champion(tmp_path / "old.json")["version"] == 2
    for spoil, message in (({"depth": 0}, "'player'.depth must be"), ({"program": 7}, "'player'.program must be")):
        bad = {**data, "version": 1, "player": {**old, **spoil}}
        (tmp_path / "bad.json").write_text(json.dumps(bad), encoding="utf8")
        with pytest.raises(BadRun, match=message):
            load_player(tmp_path / "bad.json")


# ---- Fitness by play with any agent --------------------------------------------------------------------------


def by_referee(game, player, opponent, seed, seat):
    seats = [opponent] * game.players
    seats[seat] = player
    return points(play_game(game, seats, seed, mode="plain").payoffs, seat)


def weighing(genome):
    return Expectimax(depth=1).with_brain(Weights((("my points", 0, genome[0]), ("turn total", 0, genome[1])), 0.0))


def test_games_of_chance_are_played_by_any_factory(pig):
    opponent = agent("random")
    genomes = [(0.01, 0.02), (-0.01, 0.03), (0.0, -0.05)]
    found = Bouts(pig, weighing).all_against(genomes, opponent, range(3))
    for genome, won in zip(genomes, found, strict=True):
        expected = [by_referee(pig, weighing(genome), opponent, seed, seat) for seed in range(3) for seat in (0, 1)]
        assert [bout.points for bout in won] == expected
    assert Bouts(pig, weighing, workers=2).all_against(genomes, opponent, range(3)) == found


def test_players_of_one_kind_share_a_table(pig):
    bouts = Bouts(pig, weighing)
    first = bouts._table((0.01, 0.02), agent("random"))
    assert bouts._table((0.5, 0.25), agent("random")) is first
    assert compiled_table(pig, [weighing((0.5, 0.25)), agent("random")]).play(4).moves == first.play(4).moves


def test_hidden_information_and_many_players_need_no_special_case():
    poker = load("kuhn-poker")
    found = Bouts(poker, lambda c: UCT(playouts=20, c=c)).against(0.5, agent("random"), range(3))
    assert [bout.points for bout in found] == [
        by_referee(poker, UCT(playouts=20, c=0.5), agent("random"), seed, seat) for seed in range(3) for seat in (0, 1)
    ]
    heaps = load("li-nim")
    found = Bouts(heaps, lambda depth: MaxN(depth=depth)).against(2, agent("random"), range(2))
    assert len(found) == 2 * heaps.players
    assert [bout.points for bout in found] == [
        by_referee(heaps, MaxN(depth=2), agent("random"), seed, seat) for seed in range(2) for seat in range(3)
    ]
    with pytest.raises(BadParameter, match="has one player"):
        Bouts(load("fop"), lambda c: UCT(c=c))
