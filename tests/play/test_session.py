"""A game in progress, without a terminal: what happens, what is told, who may see what."""

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

import ludwin.play
from ludwin import CHANCE, Agent, Choice, agent, load
from ludwin.errors import BadParameter, CannotPlay, GameOver, IllegalMove
from ludwin.play.clock import Clock, Stopwatch
from ludwin.play.events import GameEnded, HintGiven, MoveMade, NatureDrew, TakenBack, Thinking
from ludwin.play.referee import Referee, play_game
from ludwin.play.seats import seats
from ludwin.play.session import NotUnderstood, PlaySession, open_session

NIM = load("nim:heap=9")
KUHN = load("kuhn-poker")


@dataclass(frozen=True)
class First(Agent):
    """Plays the first move."""

    name: ClassVar[str] = "first"

    def choose(self, game, state, *, seed=0, mode="fast"):
        return Choice(move=state.moves()[0], value=0.25, nodes=2)


def begin(text, agents=(), **more):
    game = load(text) if isinstance(text, str) else text
    chosen = [None if one == "human" else agent(one) if isinstance(one, str) else one for one in agents]
    return open_session(game, chosen, **{"mode": "plain", **more})


def to_the_end(session):
    """Play a person's first legal move each time; return all events."""
    events = []
    while session.end is None:
        events += session.until_person()
        if session.awaits is not None:
            events.append(session.move(next(iter(session.legal(session.viewer).values()))))
    return [*events, *session.until_person()] if not isinstance(events[-1], GameEnded) else events


# What happens


def test_a_session_tells_a_game_as_plain_values():
    session = begin("nim:heap=3", [First()])
    assert list(session.until_person()) == [] and session.awaits == 0
    assert session.move(1) == MoveMade(ply=0, player=0, code=1, move="1")
    first = First()
    choice = Choice(move=1, value=0.25, nodes=2)
    assert list(session.until_person()) == [Thinking(1, 1, first), MoveMade(1, 1, 1, "1", choice)]
    session.move(1)
    assert list(session.until_person()) == [GameEnded("rules", (1.0, -1.0))]
    assert session.end == "rules" and session.payoffs == (1.0, -1.0) and session.awaits is None


@pytest.mark.parametrize("text", ["nim", "pig:goal=20", "kuhn-poker", "li-nim", "tic-tac-toe"])
def test_agents_among_themselves_play_the_game_of_a_match(text):
    game = load(text)
    chosen = ["uct:playouts=8", *["random"] * (game.players - 1)]
    for seed in (0, 7):
        session = begin(game, chosen, seed=seed)
        events = list(session.until_person())
        played = play_game(game, [agent(one) for one in chosen], seed, mode="plain")
        made = [event.code for event in events if isinstance(event, MoveMade | NatureDrew)]
        assert made == list(played.moves) and events[-1] == GameEnded(played.end, played.payoffs)
        assert [event.player for event in events if isinstance(event, Thinking)] == [
            event.player for event in events if isinstance(event, MoveMade)
        ]


def test_taking_back_goes_to_the_persons_last_move_and_all_comes_again():
    session = begin("pig:goal=40", ["random"], seed=4)
    list(session.until_person())
    session.move(0)
    before = [event for event in session.until_person() if isinstance(event, NatureDrew)]
    assert session.undo() == TakenBack(0, 1 + len(before)) and session.ply == 0
    session.move(0)
    assert [event for event in session.until_person() if isinstance(event, NatureDrew)] == before
    session.undo()
    assert session.undo() is None


def test_a_hint_is_a_choice_for_the_mover():
    session = begin(NIM, ["random"])
    hint = session.hint(None, agent("alphabeta:depth=9"))
    assert isinstance(hint, HintGiven) and (hint.player, hint.code, hint.move, hint.choice.decided) == (0, 1, "1", True)
    assert str(session.hint(None).agent) == "uct"  # what random thinks helps nobody
    assert str(begin(NIM, ["greedy"]).adviser()) == "greedy"
    with pytest.raises(CannotPlay, match="games of chance"):
        begin("pig").hint(None, agent("alphabeta"))


def test_whoever_resigns_has_lost_and_nothing_can_be_done_then():
    session = begin(NIM, [First()])
    assert session.resign() == GameEnded("resignation", None, 0)
    assert session.payoffs is None and session.record()["payoffs"] is None
    for act in (session.step, session.resign, session.leave, lambda: session.move(1), lambda: session.hint(None)):
        with pytest.raises(GameOver, match="has ended"):
            act()
    assert session.undo() is None and list(session.until_person()) == [GameEnded("resignation", None, 0)]


def test_moves_are_only_made_by_whose_turn_it_is():
    session = begin(NIM, [First(), None])
    with pytest.raises(IllegalMove, match="not for a person"):
        session.move(1)
    list(session.until_person())
    with pytest.raises(IllegalMove, match="player 1 to move, a person"):
        session.step()
    with pytest.raises(IllegalMove, match="'17' is not a legal move"):
        session.move(17)
    assert session.ply == 1


def test_a_text_means_its_move_or_is_refused():
    session = begin("tic-tac-toe")
    assert session.understand("b2", None) == session.legal(None)["b2"]
    with pytest.raises(IllegalMove, match="'a' may mean a1 or a2 or a3"):
        session.understand("a", None)
    with pytest.raises(NotUnderstood, match="a move is a square"):
        session.understand("d4", None)
    assert begin("pig").understand("R", None) == 0


def test_how_an_agent_thinks_is_the_doors_business():
    asked = []
    session = begin(NIM, [First(), First()])
    session.think = lambda who, work: (asked.append(str(who)), work())[1]
    session.step()
    session.hint(None)
    assert asked == ["first", "first"]


# Clocks


class Time:
    """Time as the test wants it."""

    seconds = 0.0

    def __call__(self):
        return self.seconds


def timed(clock="10+2"):
    now = Time()
    session = PlaySession(
        Referee(NIM, 0), seats(NIM, [First()]), mode="plain", watch=Stopwatch(Clock.parse(clock), now)
    )
    return session, now


def test_a_persons_time_runs_while_the_game_waits_for_them():
    session, now = timed()
    now.seconds = 100
    assert session.watch.left(0) == 10  # nobody was asked yet
    list(session.until_person())
    now.seconds += 4
    assert session.watch.left(0) == 6 and session.check_clock() is None
    session.move(1)
    assert session.watch.left(0) == 8  # the move adds two seconds
    now.seconds += 50  # an agent's time is its own affair
    assert session.watch.left(0) == 8
    list(session.until_person())
    now.seconds += 3
    session.undo()
    assert session.watch.left(0) == 3  # what a move added goes with it, what was used stays used


def test_whoever_overdraws_their_time_has_lost():
    session, now = timed("5")
    list(session.until_person())
    now.seconds += 5
    assert session.check_clock() is None
    now.seconds += 0.1
    assert session.check_clock() == GameEnded("time", None, 0)
    assert session.end == "time" and session.loser == 0


@pytest.mark.parametrize("text", ["", "x", "-1", "0", "nan", "inf", "1+", "1+x", "1e999"])
def test_a_clock_that_cannot_run_is_refused(text):
    with pytest.raises(BadParameter, match="clock"):
        Clock.parse(text)


# Secrets


def kuhn(cards, player=0, history=""):
    chosen = [None, First()] if player == 0 else [First(), None]
    return PlaySession(Referee(KUHN, 0, KUHN.position(f"{cards}:{history}")), chosen, mode="plain")


@pytest.mark.parametrize("player", [0, 1])
def test_a_view_is_the_same_value_whatever_is_hidden(player):
    for mine, others in (("J", "QK"), ("Q", "JK"), ("K", "JQ")):
        for history in ("", "p", "b", "pb"):
            views = set()
            for other in others:
                cards = mine + other if player == 0 else other + mine
                views.add(kuhn(cards, player, history).view(player))
            assert len(views) == 1
            (view,) = views
            assert view.hidden and view.position is None and f"player {player}: {mine}" in view.text
            assert f"player {1 - player}: ?" in view.text
            assert not view.moves or view.mover == player


def test_an_event_is_told_to_each_player_as_far_as_they_may_know_it():
    session = begin("kuhn-poker", ["human", First()], seed=1)
    drawn = [event for event in session.until_person() if isinstance(event, NatureDrew)]
    for player, event in enumerate(drawn):  # the first card is the first player's
        own, other = session.seen(event, player), session.seen(event, 1 - player)
        assert own == event and own.move in "JQK"
        assert (other.move, other.code, other.ply) == (None, None, event.ply)
        assert session.seen(event, None) == event
    made = session.move(session.legal(0)["check"])
    assert session.seen(made, 1).move == "check"
    answer = next(event for event in session.until_person() if isinstance(event, MoveMade))
    assert answer.choice is not None


def test_reasons_and_advice_stay_with_their_owner():
    session = kuhn("QK", 0, "")
    hint = session.hint(0)
    assert session.seen(hint, 0) == hint and session.seen(hint, 1) is None and session.seen(hint, None) == hint
    session.move(session.legal(0)["check"])
    answer = session.step()
    if session.end is None:
        assert session.seen(answer, 0).choice is None
    open_game = begin(NIM, [First()])
    open_game.move(1)
    answer = open_game.step()
    assert open_game.seen(answer, 0) == answer and answer.choice.value == 0.25


def test_people_with_secrets_need_screens_of_their_own():
    with pytest.raises(CannotPlay, match="several people at one screen"):
        open_session(KUHN, [None, None])
    taken = seats(KUHN, [None, None], one_screen=False)
    session = PlaySession(Referee(KUHN, 3), taken, mode="plain", one_screen=False)
    list(session.until_person())
    mine, other = session.view(0), session.view(1)
    assert mine.hidden and other.hidden and mine.text != other.text and mine.moves and not other.moves


def test_everything_is_shown_when_the_game_is_over():
    session = kuhn("QK")
    to_the_end(session)
    view = session.view(0)
    assert not view.hidden and view.position == session.state.write() and "K" in view.text and None not in view.history


@pytest.mark.parametrize("text", ["nim", "pig:goal=15", "kuhn-poker", "li-nim", "connect-four", "reversi"])
@pytest.mark.parametrize("seed", [1, 2])
def test_every_event_of_every_game_can_be_told_and_every_view_drawn(text, seed):
    session = begin(text, seed=seed, agents=["human", *["random"] * (load(text).players - 1)])
    plies = 0
    while session.end is None:
        for event in session.until_person():
            for player in (None, *range(session.game.players)):
                assert session.seen(event, player) is not None
            plies += isinstance(event, MoveMade | NatureDrew)
        if session.awaits is not None:
            view = session.view(session.awaits)
            assert view.ply == session.ply and view.moves and len(view.history) == view.ply
            assert {code for _, code in view.moves} == set(session.state.moves())
            session.move(view.moves[seed % len(view.moves)][1])
            plies += 1
    assert plies == session.ply and session.view(0).payoffs == session.payoffs
    assert all(state.mover != CHANCE for state in session.referee.states[-1:])


# The house


def test_there_is_no_terminal_in_it():
    folder = Path(ludwin.play.__file__).parent
    for path in folder.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf8"))
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.split(".")[0] not in ("argparse", "rich", "readline", "sys", "shutil"), f"{path}: {name}"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("print", "input"), f"{path}:{node.lineno}"
