"""Evaluations evolve in every game with moves: chance, more players, something hidden, one player."""

import json
import re
from pathlib import Path

import pytest

from ludwin.cli import main
from ludwin.errors import BadParameter, CannotPlay
from ludwin.evolve.experiment import settle
from ludwin.evolve.generic import declared, experiment, language
from ludwin.evolve.players import as_payoff, open_player, payoff_range, searcher
from ludwin.library import agent, load
from ludwin.program.text import read
from ludwin.program.values import reader, values

SMALL = ["population=4", "generations=1", "fitness=6rand", "finalists=1", "last=1", "against=random"]
SMALL += ["finalist_games=6", "champion_games=12", "record_games=6", "yardstick_games=6"]
PAGES = Path(__file__).parents[2] / "docs" / "how-to"
TOML = """
name = "mine"
types = ["Float"]
[primitives.Minus]
returns = "Float"
takes = ["Float", "Float"]
rule = "a - b"
[primitives.Points]
returns = "Float"
reads = "points"
places = 2
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in a folder with the games of the how-tos in it, and do not wait for the disk."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ludwin.evolve.store.SYNCHRONOUS", "OFF")
    for page, name in (("chance", "dice.py"), ("more-players", "count.py"), ("hidden-information", "fist.py")):
        text = (PAGES / f"{page}.md").read_text(encoding="utf8")
        found = re.search(rf"```python {re.escape(name)}\n(.*?)```", text, re.DOTALL)
        assert found
        Path(name).write_text(found[1], encoding="utf8")
    return tmp_path


def test_a_game_without_queries_is_read_by_its_fields(folder):
    game = load("./dice.py")
    terminals = {one.name: (one.returns, one.reads, one.places) for one in language(game).primitives if one.reads}
    assert terminals["points"] == ("Float", "points", 2) and terminals["turn_is_mine"] == ("Bool", "turn is mine", 0)
    assert set(terminals) == {"points", "turn", "turn_is_mine", "dice", "dice_is_mine", "seat", "Mobility"}
    assert "readings of its fields (it declares no QUERIES)" in experiment("./dice.py").summary


def test_an_array_with_a_place_for_each_player_is_read_from_the_asking_player_on(folder):
    game = load("./dice.py")
    states = [game.position("points=3,8 turn=0"), game.position("points=3,8 turn=1")]
    for text, expected in (("points[0]", [3.0, 8.0]), ("points[1]", [8.0, 3.0]), ("seat", [0.0, 1.0])):
        tree = read(language(game), text)
        assert [tree.evaluate(reader(state)) for state in states] == expected
        assert values(tree, game, states, mode="plain") == values(tree, game, states) == expected


def test_a_field_called_as_a_primitive_has_another_name(folder):
    Path("odd.py").write_text(Path("dice.py").read_text(encoding="utf8").replace("dice", "One"), encoding="utf8")
    assert {one.name for one in language(load("./odd.py")).primitives if one.reads == "One"} == {"field_One"}


def test_every_game_that_hides_nothing_from_opponents_has_a_search_for_its_programs(folder):
    names = ("tic-tac-toe", "./dice.py", "./count.py", "pig", "pig:players=3")
    assert [searcher(load(name)) for name in names] == ["alphabeta", "expectimax", "maxn", "expectimax", "maxn"]


def test_an_opinion_lies_between_the_payoffs_and_keeps_its_order(folder):
    game = load("./count.py")
    assert payoff_range(game) == (-2.0, 1.0)
    spoken = language(game)
    worths = [
        as_payoff(read(spoken, f"{x}"), -2.0, 1.0).evaluate(lambda name, place: 0.0)
        for x in (-1e9, -3.0, 0.0, 3.0, 1e9)
    ]
    assert worths == sorted(worths) and worths[2] == -0.5 and -2.0 <= worths[0] < worths[4] <= 1.0


def test_a_won_game_is_better_than_any_opinion(folder):
    """With one point to go every throw wins, whatever the program thinks of dice in the air."""
    game = load("./dice.py")
    wrong = read(language(game), "MultERC[1000.0](dice)")  # adores dice in the air
    state = game.position("points=19,15 turn=0")
    assert open_player(wrong, game, 2, -1.0, 1.0).choose(game, state, mode="plain").value == pytest.approx(1.0)


@pytest.mark.parametrize("mode", ["plain", "fast"])
def test_a_program_is_never_shown_what_is_hidden(folder, mode):
    """It adores the guess that is right, and yet its choice does not depend on the coins in the fist."""
    game = load("./fist.py")
    knows = read(
        language(game), "MultERC[-9.0](IFT(LowerEqual(hidden, guess), IFT(LowerEqual(guess, hidden), Zero, One), One))"
    )
    player = open_player(knows, game, 1, -1.0, 1.0)
    start = game.start()
    found = [
        [player.choose(game, start.play(coins), seed=seed, mode=mode).move for coins in (1, 2, 3)] for seed in range(9)
    ]
    assert all(len(set(moves)) == 1 for moves in found)
    assert {moves[0] for moves in found} > {1}  # another seed, other guesses


CARDS = """
from ludwin.primitives import CHANCE, draw

PAYOFF_SUM = 0
FIELDS = {"card": 2, "dealt": int, "said": int, "turn": int, "over": int, "folded": int}
MAX_MOVES = 6
MAX_PLIES = 4

def setup(s):
    s.turn = 0

def mover(s):
    return CHANCE if s.dealt < 2 else s.turn

def moves(s, out):
    if s.over == 1:
        return 0
    n = 0
    if s.dealt < 2:
        for c in range(1, 7):
            if s.dealt == 0 or c != s.card[0]:
                out[n] = c
                n += 1
        return n
    out[0] = 0
    out[1] = 1
    return 2

def play(s, m):
    if s.dealt < 2:
        s.card[s.dealt] = m
        s.dealt += 1
    else:
        if m == 0:
            s.folded = s.turn + 1
        if m == 0 or s.said == 1:
            s.over = 1
        s.said += m
        s.turn = 1 - s.turn

def payoff(s, p):
    if s.folded > 0:
        return -1 if s.folded == p + 1 else 1
    return 2 if (s.card[0] > s.card[1]) == (p == 0) else -2

def observe(s, p, rng):
    if s.dealt == 2 and s.over == 0:
        c = 1 + draw(rng, 5)
        s.card[1 - p] = c + 1 if c >= s.card[p] else c
"""


@pytest.mark.parametrize("name", ["kuhn-poker", "./cards.py"])
def test_games_with_something_hidden_evolve_and_their_champions_play(folder, capsys, name):
    Path("cards.py").write_text('"""High card: bid or fold."""' + CARDS, encoding="utf8")
    assert main(["evolve", name, "--seed", "1", "--out", "run", "--json", "--set", "worlds=3", *SMALL]) == 0
    assert json.loads(capsys.readouterr().out)["champion"]["generation"] in (0, 1)
    game = load(name)
    state = game.start()
    while state.mover < 0:
        state = state.play(state.moves()[-1])
    found = agent("evolved:run")
    assert found.player().name == "pimc" and found.player().worlds == 3
    assert found.choose(game, state, mode="plain").move in state.moves()


HOP = '''"""Hop: 3 forward or 2 back on a line of 40; the goal is the far end."""
PLAYERS = 1
FIELDS = {"at": int}
MAX_MOVES = 2
MAX_PLIES = 400

def setup(s):
    s.at = 0

def mover(s):
    return 0

def moves(s, out):
    n = 0
    if s.at == 40:
        return 0
    if s.at + 3 <= 42:
        out[n] = 3
        n += 1
    if s.at >= 2:
        out[n] = -2
        n += 1
    return n

def play(s, m):
    s.at += m

def payoff(s, p):
    return 1 if s.at == 40 else 0

def solved(s):
    return s.at == 40
'''
FEW = ["population=6", "generations=1", "instances=4", "finalists=1", "last=1", "finalist_games=4", "champion_games=6"]


@pytest.mark.parametrize(
    ("name", "more", "metric"),
    [
        ("tiles", ["budget=200", "walk=12"], "nodes"),
        ("./hop.py", ["goal=length", "solver=astar:weight=2", "selection=lexicase"], "length of plans"),
        ("./hop.py", ["goal=solved", "budget=12"], "instances solved"),
    ],
)
def test_puzzles_evolve_estimates_for_a_solver(folder, capsys, name, more, metric):
    Path("hop.py").write_text(HOP, encoding="utf8")
    words = ["--out", "run", "--json", "--set", "yardstick_games=3", *FEW, *more]
    assert main(["evolve", name, "--seed", "1", *words]) == 0
    assert json.loads(capsys.readouterr().out)["champion"]["measure"]["metric"] == metric
    assert main(["solve", name, "evolved:run", "--mode", "plain", "--json"]) in (0, 1)
    assert json.loads(capsys.readouterr().out)["game"] == load(name).name


def test_a_program_that_knows_the_way_guides_a_solver_straight_to_the_goal(folder):
    from ludwin.evolve.alone import Puzzling

    Path("hop.py").write_text(HOP, encoding="utf8")
    game = load("./hop.py")
    spoken = language(game)
    far = [game.position(f"at={at}") for at in (1, 4)]
    right, wrong = (read(spoken, text) for text in ("at", "MultERC[-1.0](at)"))
    assert Puzzling(game, "best-first", 1000, "nodes", 9).results(right, far) < [60.0, 60.0]
    good, bad = (sum(Puzzling(game, "best-first", 1000, "nodes", 9).results(tree, far)) for tree in (right, wrong))
    assert good < bad


def test_a_game_for_points_counts_its_payoff(folder, capsys):
    words = ["--out", "run", "--json", "--set", "yardstick_games=3", *FEW]
    assert main(["evolve", "fop", "--seed", "1", *words]) == 0
    assert json.loads(capsys.readouterr().out)["champion"]["measure"]["metric"] == "payoff"


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"solver": "alphabeta"}, "solver=alphabeta does not solve puzzles; try best-first"),
        ({"solver": "bfs"}, "takes no brain"),
        ({"solver": "evolved:x"}, "a brain goes into a search of ours|no champion"),
        ({"goal": "node"}, "did you mean 'nodes'"),
    ],
)
def test_a_solver_that_asks_nobody_is_refused(folder, settings, reason):
    found = experiment("tiles")
    with pytest.raises((BadParameter, CannotPlay), match=reason):
        found.examine(settle(found, "quick", settings))


def test_a_puzzle_that_begins_at_its_goal_and_never_leaves_it_is_refused(folder):
    Path("done.py").write_text(HOP.replace("s.at = 0", "s.at = 40"), encoding="utf8")
    with pytest.raises(CannotPlay, match="random walks from its start end where nothing is left to do"):
        experiment("./done.py")


@pytest.mark.parametrize("name", ["dice", "count"])
def test_a_user_s_game_evolves_and_its_champion_plays(folder, capsys, name):
    assert main(["evolve", f"./{name}.py", "--seed", "1", "--out", "run", "--json", "--set", *SMALL]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [row["opponent"] for row in data["champion"]["record"]] == ["uct:playouts=200"]
    game = load(f"./{name}.py")
    assert agent("evolved:run").choose(game, game.start(), mode="plain").move in game.start().moves()
    assert main(["show", "run", "--trust", f"./{name}.py"]) == 0


def test_a_language_from_a_file_is_kept_with_the_run(folder, capsys):
    Path("mine.toml").write_text(TOML, encoding="utf8")
    words = ["--seed", "1", "--out", "run", "--json", "--set", *SMALL]
    assert main(["evolve", "./dice.py", "--language", "mine.toml", *words]) == 0
    program = json.loads(capsys.readouterr().out)["champion"]["text"]
    assert set(re.findall(r"[A-Za-z]+", program)) <= {"Minus", "Points"}
    Path("mine.toml").unlink()
    assert main(["evolve", "./dice.py", "--resume", "run", "--json"]) == 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (('reads = "points"', 'reads = "pints"'), r"Points reads 'pints', which \./dice\.py does not answer"),
        (("places = 2", "places = 3"), r"Points has 3 places, and 'points' of \./dice\.py has 2"),
        (('rule = "a - b"', 'acts = "shoot"'), r"Minus acts, and what judges positions can only compute"),
    ],
)
def test_a_language_that_the_game_cannot_answer_is_refused(folder, change, reason):
    with pytest.raises(BadParameter, match=reason):
        declared(load("./dice.py"), TOML.replace(*change))


def test_a_language_is_for_games_that_have_none_of_their_own(folder, capsys):
    Path("mine.toml").write_text(TOML, encoding="utf8")
    assert main(["evolve", "onemax", "--language", "mine.toml", "--out", "run"]) == 2
    assert "onemax has a language of its own" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "fitness", "reason"),
    [
        ("dice", "20guide3", "guides are for games of alpha-beta, and ./dice.py is none; try 20uct50"),
        ("count", "20co", "co is for two players; ./count.py takes rand and uct"),
        ("dice", "20uct", "lacks the number of its playouts, as in 20uct50"),
    ],
)
def test_a_fitness_that_cannot_be_played_is_refused_at_once(folder, name, fitness, reason):
    found = experiment(f"./{name}.py")
    with pytest.raises(BadParameter, match=re.escape(reason)):
        found.examine(settle(found, "quick", {"fitness": fitness}))


@pytest.mark.parametrize("name", ("dice", "count"))
def test_terms_are_refused_at_once_where_alpha_beta_does_not_play(folder, name):
    found = experiment(f"./{name}.py")
    with pytest.raises(BadParameter, match=re.escape(f"breeding=terms is for games of alpha-beta, and ./{name}.py")):
        found.examine(settle(found, "quick", {"breeding": "terms", "elite": 0}))


def test_two_games_that_are_read_by_different_fields_do_not_share_what_is_remembered_of_a_kernel(folder):
    """The same kernel, the same default names, other texts of `query`: once the second game found the first's text."""
    Path("cards.py").write_text('"""High card: bid or fold."""' + CARDS, encoding="utf8")
    for name in ("./dice.py", "./count.py", "./cards.py"):
        game = load(name)
        state = game.start()
        while state.mover < 0:
            state = state.play(state.moves()[0])
        tree = read(language(game), "turn")
        assert values(tree, game, [state]) == [float(state.mover)]


def test_the_most_points_of_three_players_are_those_of_seeds_played_from_each_seat(folder):
    three = experiment("pig:players=3")
    assert three.most({**settle(three, "quick", {}), "fitness": "40uct50"}) == 39
    pig = experiment("pig")
    assert pig.most({**settle(pig, "quick", {}), "fitness": "40uct50+10rand"}) == 50
    assert pig.most({**settle(pig, "quick", {}), "fitness": "40uct50+10co"}) is None


def test_repeated_rounds_of_three_players_are_one_sample():
    made = experiment("li-nim")
    settings = settle(made, "quick", {"against": "maxn:depth=1"})
    kind = made.kind(settings)
    zero = kind.read({"program": "Zero"})
    same = made.measure(settings, zero, "maxn:depth=1", 30, 1, 1)
    assert (same.n, same.has_interval) == (1, False)
    fresh = made.measure(settings, zero, "random", 30, 1, 1)
    assert fresh.n == 10 and fresh.has_interval


def test_a_language_of_ones_own_has_no_flavour(folder):
    made = experiment("./dice.py")
    settings = settle(made, "quick", {"language": TOML, "flavour": "tactical"})
    with pytest.raises(BadParameter, match="flavour=tactical is of the game's own language"):
        made.kind(settings)
    own = settle(made, "quick", {})
    text = made.export(own, made.kind(own).read({"program": "Zero"}))
    assert "for the player who is asked about, whoever moves" in text and "dice.py" in text


def test_a_share_of_instances_solved_has_an_interval_even_if_it_is_none(folder):
    made = experiment("tiles")
    settings = settle(made, "quick", {"goal": "solved", "budget": 2, "walk": 30, "instances": 2})
    zero = made.kind(settings).read({"program": "Zero"})
    found = made.measure(settings, zero, made.opponents(settings)[0], 20, 1, 1)
    assert (found.value, found.low, found.n) == (0.0, 0.0, 20) and 0.1 < found.high < 0.2  # Clopper and Pearson: 0.168


def test_a_result_does_not_know_by_which_path_its_game_was_named(folder):
    (folder / "below").mkdir()
    for typed, out in (("./dice.py", "a"), (str(folder / "below" / ".." / "dice.py"), "b")):
        assert main(["evolve", typed, "--seed", "1", "--out", out, "--set", *SMALL]) == 0
    for name in ("settings.json", "champion.json", "report.html"):
        assert Path("a", name).read_bytes() == Path("b", name).read_bytes()
        assert "./dice.py" not in Path("a", name).read_text(encoding="utf8")
    made, text = experiment("./dice.py"), {}
    for one in (made, experiment(str(folder / "dice.py"))):
        settings = settle(one, "quick", {})
        text[one.name] = one.export(settings, one.kind(settings).read({"program": "Zero"}))
    assert len(text) == 1
