"""Experiments on boards: the fixed top, every setting, programs from text, and champions that play as they were
measured.
"""

import json
import re

import pytest

from ludwin.arena.contest import table
from ludwin.cli import main
from ludwin.errors import BadParameter, CannotPlay, LudwinError
from ludwin.evolve.agent import details, load_player
from ludwin.evolve.boards import BOOK, EXPANDED, SETTINGS, compose, guide_text, top
from ludwin.evolve.bouts import points
from ludwin.evolve.carrying import carry_out
from ludwin.evolve.experiment import schema, settle
from ludwin.evolve.meetings import Term
from ludwin.evolve.run import create, reopen
from ludwin.evolve.series import create_series
from ludwin.evolve.store import BadRun, Store, read_champion
from ludwin.games.draughts.evolve import CHECKERS10
from ludwin.games.draughts.language import BOARD, LANGUAGE, SQUARES
from ludwin.games.lose_checkers.evolve import LOSE_CHECKERS, LOSE_CHECKERS_SUM
from ludwin.games.reversi.evolve import REVERSI
from ludwin.games.reversi.language import DISCS
from ludwin.library import agent, load
from ludwin.program.generate import ramped
from ludwin.program.stream import Stream
from ludwin.program.text import read, write

TINY = {
    "population": 4,
    "generations": 1,
    "fitness": "2guide3",
    "depth": 1,
    "yardstick_games": 4,
    "finalists": 1,
    "last": 1,
}
TINY |= {"finalist_games": 4, "champion_games": 40, "record_games": 2, "baseline": False, "init_high": 3}


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    """Do not wait for the disk."""
    monkeypatch.setattr("ludwin.evolve.store.SYNCHRONOUS", "OFF")


@pytest.fixture(scope="module")
def champion(tmp_path_factory):
    """Return the folder of a finished run."""
    folder = tmp_path_factory.mktemp("boards") / "run"
    carry_out(create(folder, LOSE_CHECKERS, "paper", settle(LOSE_CHECKERS, "paper", TINY), 5))
    return folder


# ---- Individuals ---------------------------------------------------------------------------------------


def test_ten_trees_hang_below_the_book_s_top():
    values = {"EnemyManCount": 3.0, "FriendlyManCount": 5.0}
    for seed in range(30):
        stream = Stream(seed)
        numbers = [float(stream.below(4)) for _ in range(10)]
        trees = [read(LANGUAGE, f"Plus({number}, Minus(EnemyManCount, EnemyManCount))") for number in numbers]
        t = [0.0, *numbers]
        expected = (t[5] if t[3] <= t[4] else t[6]) if t[1] <= t[2] else (t[9] if t[7] <= t[8] else t[10])
        assert top(trees).evaluate(lambda name, place: values["EnemyManCount"]) == expected


def test_the_top_is_written_as_the_formula():
    text = write(top([read(LANGUAGE, f"{k}.0") for k in range(1, 11)]))
    assert (
        text == "IFT(LowerEqual(1.0, 2.0), IFT(LowerEqual(3.0, 4.0), 5.0, 6.0), IFT(LowerEqual(7.0, 8.0), 9.0, 10.0))"
    )
    with pytest.raises(BadParameter, match="the fixed top takes 10 trees, got 9"):
        top([read(LANGUAGE, "One")] * 9)


def test_ten_trees_evolve_as_ten_roles():
    kind = LOSE_CHECKERS.kind(settle(LOSE_CHECKERS, "paper", {"trees": 10}))
    mother, father = kind.begin(2, Stream(1))
    assert len(mother) == 10 and compose(mother) == top(mother) and compose(mother[:1]) == mother[0]
    child = kind.mutate(mother, Stream(2))
    assert sum(a != b for a, b in zip(mother, child, strict=True)) == 1
    assert kind.read(json.loads(json.dumps(kind.write(father)))) == father


def test_programs_are_seeded_from_text():
    settings = settle(LOSE_CHECKERS, "paper", {"seed_programs": "Mobility; Minus(Mobility, PieceCount) "})
    begun = LOSE_CHECKERS.kind(settings).begin(5, Stream(1))
    assert [write(genome[0]) for genome in begun[:2]] == ["Mobility", "Minus(Mobility, PieceCount)"] and len(begun) == 5
    for given, message in (
        ({"seed_programs": "Mobilty"}, "did you mean 'Mobility'"),
        ({"seed_programs": "Plus(One)"}, "expected ',' at character 9"),
        ({"seed_programs": "One", "trees": 10}, "seed_programs are for individuals of one tree"),
        ({"trees": 3}, "trees must be 1 or 10, got 3"),
        (dict.fromkeys(("subtree", "point", "constant", "local", "shake"), 0), "must have a weight above 0"),
    ):
        with pytest.raises(BadParameter, match=message) as caught:
            LOSE_CHECKERS.kind(settle(LOSE_CHECKERS, "paper", given))
        assert "\n" not in str(caught.value)


def test_the_share_of_sums_is_that_of_the_setting():
    kind = LOSE_CHECKERS.kind(settle(LOSE_CHECKERS, "paper", {"linear": 0.5, "sum_of": "Mobility ManCount"}))
    sums = [
        genome
        for genome in kind.begin(10, Stream(1))
        if len(genome[0]) == 5
        and {"Mobility", "ManCount"} <= set(write(genome[0]).replace("(", " ").replace(")", " ").split())
    ]
    assert len(sums) == 5


# ---- Settings --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("experiment", [LOSE_CHECKERS, CHECKERS10, REVERSI], ids=lambda experiment: experiment.name)
def test_every_setting_is_accepted_from_text_and_every_preset_is_whole(experiment):
    known = schema(experiment)
    assert {setting.key for setting in SETTINGS} <= set(known)
    for key, setting in known.items():
        assert settle(experiment, "paper", {key: str(setting.default)})[key] == setting.default
        assert setting.help and "\n" not in setting.help
    for preset in ("quick", "standard", "paper"):
        settings = settle(experiment, preset, {})
        assert experiment.kind(settings).begin(3, Stream(1)) and experiment.fitness(settings, 1).parts


def test_defaults_are_the_book_s():
    settings = settle(LOSE_CHECKERS, "paper", {})
    assert {key: settings[key] for key in BOOK} == BOOK
    assert (settings["breeding"], settings["selection"], settings["one_way"], settings["elite"]) == (
        "ga",
        "duel",
        "fitter",
        0,
    )
    assert (settings["crossover"], settings["mutation"], settings["local"], settings["subtree"]) == (0.8, 0.2, 0.5, 0.5)
    assert settings["fitness"] == "50co" and settings["linear"] == settings["blend"] == 0.0


def test_languages_are_those_of_the_tables():
    def terminals(experiment, **given):
        return {
            one.name: one.places
            for one in experiment.kind(settle(experiment, "paper", given)).roles[0][1].primitives
            if not one.takes
        }

    basic = {"ERC": 0, "False": 0, "One": 0, "True": 0, "Zero": 0}
    whole = {**basic, **dict.fromkeys(BOARD, 0)}
    assert terminals(LOSE_CHECKERS) == {**whole, **dict.fromkeys(SQUARES, 32), "Mobility": 0}
    assert terminals(LOSE_CHECKERS, mobility=False, king_factor=True) == {
        **whole,
        **dict.fromkeys(SQUARES, 32),
        "KingFactor": 0,
    }
    assert terminals(CHECKERS10) == {**whole, **dict.fromkeys(SQUARES, 50), "Mobility": 0}
    assert terminals(REVERSI) == {
        **basic,
        **dict.fromkeys(DISCS, 0),
        "IsEmptySquare": 64,
        "IsFriendlyPiece": 64,
        "Mobility": 0,
    }


def test_terms_name_their_guides():
    assert guide_text(Term(2, "rand")) == "random"
    assert (
        guide_text(Term(2, "guide", 5)) == "guide:depth=5"
        and guide_text(Term(2, "floor", 4)) == "guide:depth=4,floor=0"
    )
    assert guide_text(Term(2, "guide", 5), "discs/corners") == "guide:depth=5,eval=discs/corners"


def brain(data):
    return data["player"]["brain"]


# ---- Champions --------------------------------------------------------------------------------------------


def test_the_champion_plays_as_it_was_measured(champion):
    run, stored = reopen(champion, lambda text: LOSE_CHECKERS), read_champion(champion)
    genome = run.experiment.kind(run.settings).read(stored["genome"])
    game, guide = load("lose-checkers"), agent("guide:depth=3")
    for text, opponent in (
        (f"evolved:{champion}", "guide:depth=3"),
        (f"evolved:{champion},depth=2", f"guide:depth=3{EXPANDED}2"),
    ):
        measured = run.measure(genome, opponent, 40, 9)
        board = table(game, [agent(text), guide])
        seeds = [Stream(9).split(k).seed() for k in range(20)]
        won = [points(board.play(seed, rotation).payoffs, rotation) for seed in seeds for rotation in (0, 1)]
        assert measured.games == 40 and measured.opponent == opponent
        assert sum(won) / 40 == pytest.approx(measured.score, abs=1e-12)
    assert run.measure(genome, "guide:depth=3", 40, 9, workers=2) == run.measure(genome, "guide:depth=3", 40, 9)


def test_the_file_says_all_that_is_needed_to_play(champion):
    kept = load_player(champion)
    (program,) = kept.brain.trees
    assert (kept.agent.depth, kept.game) == (1, "lose-checkers") and details(str(champion)) == {
        "game": "lose-checkers",
        "agent": "alphabeta:depth=1,ties=shuffle",
        "nodes": len(program),
    }
    with Store(champion) as store:
        assert store.points("evolution")[-1].number == 1
    for path in (champion, champion / "champion.json"):
        assert agent(f"evolved:{path}").player().brain.trees == (program,)
    assert agent(f"evolved:{champion},depth=4").player().depth == 4
    text = str(agent(f"evolved:{champion},depth=4"))
    assert text == f"evolved:{champion},depth=4" and agent(text) == agent(f"evolved:file={champion},depth=4")


def test_a_champion_refuses_a_game_that_does_not_answer_it(champion):
    with pytest.raises(CannotPlay, match="connect-four"):
        agent(f"evolved:{champion}").suits(load("connect-four"))
    agent(f"evolved:{champion}").suits(load("draughts"))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda data: data.pop("player"), "plays no game by moves"),
        (
            lambda data: (data.pop("player"), data.update(experiment="tanks-duel")),
            "a champion of tanks-duel plays no game by moves; `ludwin tanks battle DIR walls` lets it fight",
        ),
        (lambda data: brain(data).pop("programs"), "'player'.brain.programs is missing"),
        (lambda data: brain(data).update(programs=["Plus(One"]), "champion.json: "),
        (lambda data: brain(data).update(programs=7), "'player'.brain.programs must be a list of at least 1, got 7"),
        (lambda data: brain(data).update(programs=[]), "'player'.brain.programs"),
        (lambda data: brain(data).update(programs=2 * brain(data)["programs"]), "a brain of 2 programs has a chooser"),
        (lambda data: brain(data).update(chooser="advantage"), "a brain of 1 programs has no chooser"),
        (lambda data: brain(data).update(language=["x"]), "'player'.brain.language must be a text, got ['x']"),
        (lambda data: brain(data).update(language="[x"), "champion.json: "),
        (lambda data: brain(data).update(kind="code"), "'player'.brain.kind must be programs, weights, table, eval"),
        (lambda data: brain(data).pop("kind"), "'player'.brain.kind is missing"),
        (lambda data: data["player"].update(brain=3), "'player'.brain must be an object, got 3"),
        (lambda data: data["player"].update(agent="alphabeta:depth=0"), "depth must be at least 1, got 0"),
        (lambda data: data["player"].update(agent="alphabeta:seconds=1"), "depends on the clock"),
        (lambda data: data["player"].update(agent="random"), "random asks nobody's opinion"),
        (lambda data: data["player"].update(agent="evolved:x"), "a brain goes into a search of ours"),
        (lambda data: data["player"].update(agent="./mine.py"), "a brain goes into a search of ours"),
        (lambda data: data["player"].update(agent="process:touch /tmp/x"), "a brain goes into a search of ours"),
        (lambda data: brain(data).update(programs=["One"]), "its player is not that of its genome"),
        (lambda data: data.update(game="reversi"), "its game is not that of its genome"),
        (lambda data: data.update(genome={"program": "Nothing"}), "its genome cannot be read"),
        (
            lambda data: data["settings"].update(population=0),
            "its genome cannot be read: population must be at least 1",
        ),
        (lambda data: data.update(player="me"), "'player' must be an object, got 'me'"),
        (
            lambda data: data.update(format="else"),
            "is no champion: it does not begin with the format 'ludwin-champion'",
        ),
    ],
)
def test_a_broken_champion_is_one_clear_line(champion, tmp_path, capsys, spoil, message):
    data = json.loads((champion / "champion.json").read_text(encoding="utf8"))
    spoil(data)
    path = tmp_path / "champion.json"
    path.write_text(json.dumps(data), encoding="utf8")
    with pytest.raises(BadRun) as caught:
        load_player(path)
    assert message in str(caught.value)
    assert main(["match", "lose-checkers", f"evolved:{path}", "random", "--games", "2"]) == 2
    err = capsys.readouterr().err.strip().splitlines()
    assert len([line for line in err if "Traceback" in line]) == 0 and message in err[-1]


def test_a_missing_champion_says_how_one_is_made(tmp_path, capsys):
    assert main(["match", "lose-checkers", f"evolved:{tmp_path / 'none'}", "random", "--games", "2"]) == 2
    assert "`ludwin evolve lose-checkers` makes one" in capsys.readouterr().err
    assert main(["match", "lose-checkers", "evolved", "random", "--games", "2"]) == 2
    assert "evolved:PATH,depth=3" in capsys.readouterr().err


def test_parts_can_be_taken_away_from_every_program():
    settings = settle(LOSE_CHECKERS, "paper", {})
    for genome in [(tree,) for tree in ramped(LANGUAGE, 40, Stream(3), low=2, high=5)]:
        for name, rest in LOSE_CHECKERS.parts(settings, genome):
            assert not rest[0].faults() and rest != genome, name
            if name.startswith("all "):
                assert name[4:] not in {rest[0].primitive(at).name for at in range(len(rest[0]))}


# ---- Settings that no run can be made of -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"fitness": "some games"}, "cannot read 'somegames'"),
        ({"fitness": "4guide0"}, "'4guide0' lacks the depth of the guide"),
        ({"fitness": "4knockout", "population": 6}, "a power of two, got 6"),
        ({"fitness": "4co", "population": 1}, "at least 2 is needed, got 1"),
        ({"against": "nobody"}, "no agent called 'nobody'"),
        ({"against": "guide:eval=nix"}, "has no evaluate_nix"),
        ({"against": "expectimax:eval=nix"}, "nix"),
        ({"against": "uct:seconds=1"}, "depends on the clock"),
        ({"against": f"random{EXPANDED}x"}, "comes a whole number from 1"),
        ({"against": f"random{EXPANDED}0"}, "comes a whole number from 1"),
        ({"init_low": 4, "init_high": 3}, "init_low must be at most init_high and max_depth, got 4, 3 and 14"),
        ({"max_depth": 1}, "init_low must be at most init_high and max_depth, got 2, 3 and 1"),
        ({"sum_of": "Plus"}, "Plus does not read the position"),
        ({"sum_of": "Nix"}, "has no 'Nix'"),
        ({"breeding": "steady"}, "must not be relative"),
        ({"linear": 1.0, "trees": 10}, "too large to play"),
        ({"seed_programs": "Plus("}, "program: "),
    ],
)
def test_what_cannot_run_is_refused_before_there_is_a_folder(tmp_path, given, message):
    settings = settle(LOSE_CHECKERS, "paper", {**TINY, "rounds": 2, **given})
    for begin in (
        lambda folder: create(folder, LOSE_CHECKERS, "paper", settings, 1),
        lambda folder: create_series(folder, LOSE_CHECKERS, "paper", settings, 1, 2),
    ):
        with pytest.raises(LudwinError, match=re.escape(message)):
            begin(tmp_path / "run")
        assert not (tmp_path / "run").exists()


def test_presets_of_sums_do_without_mobility():
    settings = settle(LOSE_CHECKERS_SUM, "quick", {"mobility": "off"})
    [tree] = LOSE_CHECKERS_SUM.kind(settings).make(Stream(1))
    assert "Mobility" in settings["sum_of"] and "ManCount" in write(tree) and "Mobility" not in write(tree)
