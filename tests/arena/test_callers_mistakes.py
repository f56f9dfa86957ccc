"""Whatever a caller gets wrong in Python is one line of a LudwinError: what, the value, the way out."""

import pytest

import ludwin

NIM = ludwin.load("nim:heap=5")
START, RANDOM = NIM.start(), ludwin.agent("random")
MISTAKES = {
    "a game that is a number": lambda: ludwin.load(3),
    "no game": lambda: ludwin.load(None),
    "a game that is a list": lambda: ludwin.load(["nim"]),
    "a parameter that is a word": lambda: ludwin.load("nim", heap="x"),
    "an unknown parameter": lambda: ludwin.load("nim", foo=1),
    "a folder": lambda: ludwin.load("/tmp"),
    "a name that no file can have": lambda: ludwin.load("a\0b"),
    "an agent that is a game": lambda: ludwin.agent(NIM),
    "no agent": lambda: ludwin.agent(None),
    "a negative budget": lambda: ludwin.agent("uct:playouts=-1"),
    "a budget that is a word": lambda: ludwin.UCT(playouts="x"),
    "a constant that is no number": lambda: ludwin.UCT(c=float("nan")),
    "a broken formula": lambda: ludwin.MCTS(formula="Q+("),
    "games that are a text": lambda: ludwin.match("nim", "random", "random", games="4"),
    "an odd number of games": lambda: ludwin.match("nim", "random", "random", games=3),
    "no workers": lambda: ludwin.match("nim", "random", "random", workers=0),
    "a mode that is none": lambda: ludwin.match("nim", "random", "random", mode="quick"),
    "a match with nobody": lambda: ludwin.match("nim", None, "random"),
    "a match of three": lambda: ludwin.match("li-nim", "random", "random"),
    "a folder that is not there": lambda: ludwin.match("nim", "random", "random", out="/nowhere/x.jsonl"),
    "a test that is none": lambda: ludwin.match("nim", "random", "random", sprt="a"),
    "a tournament of one": lambda: ludwin.tournament("nim", ["random"]),
    "a tournament of a text": lambda: ludwin.tournament("nim", "random"),
    "a move that is not legal": lambda: START.play(99),
    "a move that is a fraction": lambda: START.play(1.5),
    "no move": lambda: START.play(None),
    "a move read from a number": lambda: START.parse(3),
    "a player who is not there": lambda: START.payoff(7),
    "payoffs of a game that goes on": lambda: START.payoffs(),
    "a field that is not there": lambda: START["stones"],
    "setting a field": lambda: setattr(START, "heap", 3),
    "a position that is a number": lambda: NIM.position(3),
    "a position that cannot be read": lambda: NIM.position("junk"),
    "a field's value that is a word": lambda: NIM.state(heap="x"),
    "choosing in no game": lambda: RANDOM.choose(None, START),
    "choosing in another game": lambda: RANDOM.choose(ludwin.load("pig"), START),
    "choosing in no state": lambda: ludwin.agent("uct").choose(NIM, None),
    "a seed that is a word": lambda: RANDOM.choose(NIM, START, seed="x"),
    "a negative depth": lambda: ludwin.perft("nim", -1),
    "checking a number": lambda: ludwin.check(3),
    "rating nothing": lambda: ludwin.rate(),
    "rating what is not there": lambda: ludwin.rate("absent.jsonl"),
    "replaying a number": lambda: ludwin.replay(3),
    "no lines": lambda: ludwin.analyse("nim", "uct", lines=0),
    "moves that are not legal": lambda: ludwin.analyse("nim", "uct", moves="zz"),
    "an unknown experiment": lambda: ludwin.evolve("nonsense"),
    "an unknown setting": lambda: ludwin.evolve("onemax", settings={"foo": 1}),
    "an unknown problem": lambda: ludwin.discover("nonsense"),
    "an unknown table": lambda: ludwin.reproduce("nonsense"),
    "a range that is none": lambda: ludwin.tune("nim", "uct", "c"),
    "a plan that is a number": lambda: ludwin.tune("nim", "uct:playouts=5", "c=1..2", plan=3),
    "a folder that is a number": lambda: ludwin.tune("nim", "uct:playouts=5", "c=1..2", out=3),
    "a world that is a game": lambda: ludwin.simulate("nim", ["random"]),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_a_callers_mistake_is_one_line(mistake, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ludwin.LudwinError) as told:
        mistake()
    first, *board = str(told.value).splitlines()
    assert len(first) > 10 and "Traceback" not in first
    assert not board or "legal move" in first  # only a move that is not legal shows the board below the line


def test_the_text_of_its_game_is_enough_to_choose():
    assert RANDOM.choose("nim:heap=5", START, seed=1) == RANDOM.choose(NIM, START, seed=1)
    with pytest.raises(ludwin.LudwinError, match="chooses in a game"):
        RANDOM.choose("pig", START)
