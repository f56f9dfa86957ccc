"""Events: the same bytes however they came about, and fair schedules."""

import json
from itertools import combinations, islice

import pytest

from ludwin import agent, load, match
from ludwin.arena.records import Record, read_header, read_records
from ludwin.arena.schedule import jobs
from ludwin.arena.standing import Standing, Tally
from ludwin.arena.stats import Sprt
from ludwin.arena.terms import Adjudication, Clock, Terms, parse_sprt, sprt_text
from ludwin.arena.tournament import tournament
from ludwin.errors import BadParameter, CannotPlay, LudwinError

NIM = load("nim")
RANDOM = agent("random")
SEVERAL = [agent(text) for text in ("random", "alphabeta:depth=2", "greedy", "alphabeta:depth=4", "random")]


def play(tmp_path, name="games.jsonl", game=NIM, agents=(RANDOM, RANDOM), **options):
    """Play an event and return its file's bytes."""
    path = tmp_path / name
    tournament(game, agents, out=path, **options)
    return path.read_bytes()


def records(path):
    return [record for _, record in read_records(path)]


# Trust


@pytest.mark.parametrize(
    ("game", "texts", "options"),
    [
        ("nim", ("random", "random"), {"games": 3000}),
        ("pig:goal=20", ("random", "uct:playouts=5"), {"games": 40, "openings": 3}),
        ("kuhn-poker", ("random", "uct:playouts=8"), {"games": 40}),
        ("pig:players=3,goal=10", ("random", "random", "random", "random"), {"games": 6}),
        ("tic-tac-toe", ("random", "greedy", "random", "random", "greedy"), {"games": 4, "format": "swiss"}),
        ("tic-tac-toe", ("random", "greedy", "random", "random", "greedy"), {"games": 4, "format": "knockout"}),
    ],
)
def test_file_is_the_same_for_one_worker_and_for_three(tmp_path, game, texts, options):
    agents = [agent(text) for text in texts]
    one = play(tmp_path, "one.jsonl", load(game), agents, workers=1, **options)
    assert one == play(tmp_path, "three.jsonl", load(game), agents, workers=3, **options)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "one.jsonl",
        "one.jsonl.log",
        "three.jsonl",
        "three.jsonl.log",
    ]


def test_file_is_the_same_in_all_modes(tmp_path):
    agents = [RANDOM, agent("alphabeta:depth=2")]
    files = [play(tmp_path, mode, load("tic-tac-toe"), agents, games=4, mode=mode) for mode in ("plain", "fast")]
    assert files[0] == files[1]


def test_match_and_tournament_play_the_same_games(tmp_path):
    one = match(NIM, RANDOM, agent("alphabeta:depth=3"), games=40, seed=5)
    tally = tournament(NIM, [RANDOM, agent("alphabeta:depth=3")], games=40, seed=5).standing.tallies[0, 1]
    assert (one.wins, one.draws, one.losses) == (tally.wins, tally.draws, tally.losses)


def test_first_line_says_all_that_the_games_depend_on(tmp_path):
    play(tmp_path, games=2, seed=3, openings=2, sprt="0,50", adjudicate="plies=9", clock="5+1", patience=4)
    header = read_header(tmp_path / "games.jsonl")
    del header["rules"], header["ludwin"]
    assert header == {
        "format": "ludwin-games",
        "version": 1,
        "game": "nim",
        "agents": ["random", "random"],
        "timed": True,
        "games": 2,
        "seed": 3,
        "event": "round-robin",
        "rounds": None,
        "openings": 2,
        "repetition": 3,
        "adjudicate": "plies=9",
        "clock": "5+1",
        "patience": 4.0,
        "sprt": "0,50",
    }
    assert Terms.from_json(header).as_json().items() <= header.items()


@pytest.mark.parametrize("keep", [0, 1, 7, 39])
def test_resume_plays_what_is_missing_behind_a_torn_line(tmp_path, keep):
    whole = play(tmp_path, "whole.jsonl", games=40)
    lines = whole.splitlines(keepends=True)
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(b"".join(lines[: keep + 1]) + lines[keep + 1][:-9])
    tournament(NIM, (RANDOM, RANDOM), games=40, resume=torn, workers=2)
    assert torn.read_bytes() == whole


def test_resume_uses_the_games_that_waited_for_an_earlier_one(tmp_path):
    whole = play(tmp_path, "whole.jsonl", games=10)
    lines = whole.splitlines(keepends=True)
    part = tmp_path / "part.jsonl"
    part.write_bytes(b"".join(lines[:3]))
    marked = [line.replace(b'"end":"rules"', b'"end":"length"') for line in lines[5:8]]  # to know them again
    (tmp_path / "part.jsonl.ahead").write_bytes(b"".join(marked) + lines[9][:20])
    tournament(NIM, (RANDOM, RANDOM), games=10, resume=part)
    assert part.read_bytes() == b"".join([*lines[:5], *marked, *lines[8:]])
    assert not (tmp_path / "part.jsonl.ahead").exists()


def test_a_finished_event_is_resumed_to_itself(tmp_path):
    whole = play(tmp_path, games=10)
    outcome = tournament(NIM, (RANDOM, RANDOM), games=10, resume=tmp_path / "games.jsonl")
    assert outcome.standing.games == 10
    assert (tmp_path / "games.jsonl").read_bytes() == whole


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"games": 12}, "its games is 10, not 12"),
        ({"games": 10, "seed": 1}, "its seed is 0, not 1"),
        ({"games": 10, "openings": 2}, "its openings is None, not 2"),
    ],
)
def test_resume_with_other_settings_is_refused(tmp_path, options, reason):
    play(tmp_path, games=10)
    with pytest.raises(LudwinError, match=f"another event: {reason}"):
        tournament(NIM, (RANDOM, RANDOM), resume=tmp_path / "games.jsonl", **options)


def test_resume_refuses_a_file_whose_games_are_not_of_the_event(tmp_path):
    play(tmp_path, games=10)
    path = tmp_path / "games.jsonl"
    text = path.read_text()
    path.write_text(text.replace('"game":3,"pair":1,"seats":[1,0]', '"game":3,"pair":1,"seats":[0,1]'))
    with pytest.raises(LudwinError, match=r"games.jsonl:5: game 3 should be pair 1 with seats \[1, 0\]"):
        tournament(NIM, (RANDOM, RANDOM), games=10, resume=path)
    path.write_text(text + text.splitlines()[-1].replace('"game":9', '"game":10') + "\n")
    with pytest.raises(LudwinError, match=r"games.jsonl:12: the event was over before this game"):
        tournament(NIM, (RANDOM, RANDOM), games=10, resume=path)


def test_a_file_that_exists_is_not_overwritten(tmp_path):
    whole = play(tmp_path, games=2)
    with pytest.raises(LudwinError, match="exists; go on with --resume"):
        play(tmp_path, games=4)
    assert (tmp_path / "games.jsonl").read_bytes() == whole


# Sequential tests


def test_sprt_stops_at_the_first_prefix_that_decides(tmp_path):
    agents = [agent("alphabeta:depth=4"), RANDOM]
    files = [play(tmp_path, f"{w}.jsonl", agents=agents, games=2000, sprt="0,50", workers=w) for w in (1, 3)]
    assert files[0] == files[1]
    found = records(tmp_path / "1.jsonl")
    scores = [[1.0, 0.5, 0.0][[1, 0, -1].index(int(r.payoffs[r.seats.index(0)]))] for r in found]
    pairs = [sum(scores[i : i + 2]) for i in range(0, len(scores), 2)]
    assert len(found) == Sprt(0, 50).first_decision(pairs) < 2000
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"".join(files[0].splitlines(keepends=True)[:20]))
    assert tournament(NIM, agents, games=2000, sprt="0,50", resume=cut).verdict == "accept"
    assert cut.read_bytes() == files[0]


def test_sprt_without_a_decision_goes_to_the_end():
    outcome = tournament(NIM, (RANDOM, RANDOM), games=10, sprt="0,2")
    assert (outcome.verdict, outcome.standing.games) == ("continue", 10)


# Schedules


def schedule(event, agents, games=2, rounds=None, better=lambda a, b: a < b):
    """Return the pairings of an event in which `better` says who wins both games."""
    standing, terms, seen = Standing(["?"] * agents), Terms(games=games, event=event, rounds=rounds), []
    for of_round in jobs(terms, 2, standing):
        found = list(of_round)
        assert [job.number for job in found] == list(range(sum(map(len, seen)), sum(map(len, seen)) + len(found)))
        seen.append(found)
        for job in found:
            first = better(*job.seats)
            standing.note(Record(job.number, job.pair, job.seats, (), (1, -1) if first else (-1, 1), "rules"))
    return seen


def test_round_robin_swaps_sides_within_each_pair():
    (games,) = schedule("round-robin", 4, games=4)
    assert [job.agents for job in islice(games, 0, None, 4)] == list(combinations(range(4), 2))
    for first, second in zip(games[::2], games[1::2], strict=True):
        assert (first.pair, first.seats) == (second.pair, second.seats[::-1])
        assert first.seed(7, False) == second.seed(7, False)
    assert len({job.seed(7, False) for job in games}) == len(games) // 2


def test_gauntlet_lets_the_first_meet_all_others():
    (games,) = schedule("gauntlet", 4)
    assert {job.agents for job in games} == {(0, 1), (0, 2), (0, 3)}


@pytest.mark.parametrize("agents", [2, 3, 5, 8, 13])
def test_swiss_meets_nobody_twice_and_pairs_all_but_one(agents):
    rounds = schedule("swiss", agents, rounds=max(1, agents // 2))
    met = [job.agents for games in rounds for job in games[::2]]
    assert len(met) == len(set(met))
    for games in rounds:
        playing = [k for job in games[::2] for k in job.agents]
        assert len(set(playing)) == len(playing) == agents - agents % 2


def test_swiss_gives_new_pairs_to_those_who_meet_again():
    games = [job for of_round in schedule("swiss", 2, games=4, rounds=2) for job in of_round]
    assert [job.pair for job in games] == [0, 0, 1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("agents", [2, 3, 5, 8, 11])
def test_knockout_lets_only_winners_go_on(agents):
    rounds = schedule("knockout", agents)
    assert sum(len(games) for games in rounds) == 2 * (agents - 1)
    out = set()
    for games in rounds:
        assert not out & {k for job in games for k in job.agents}
        out |= {max(job.agents) for job in games}
    assert out == set(range(1, agents))


def test_many_players_take_every_seat(tmp_path):
    agents = [RANDOM] * 4
    play(tmp_path, game=load("pig:players=3,goal=10"), agents=agents, games=3)
    found = records(tmp_path / "games.jsonl")
    assert [r.seats for r in found[:3]] == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    assert len(found) == 3 * 4


def test_the_dice_of_a_pair_are_the_same(tmp_path):
    play(tmp_path, game=load("pig:goal=30"), games=20)
    game = load("pig:goal=30")
    dice = []
    for record in records(tmp_path / "games.jsonl"):
        state, rolled = game.start(), []
        for move in record.moves:
            if state.mover < 0:
                rolled.append(move)
            state = state.play(move)
        dice.append(rolled)
    for first, second in zip(dice[::2], dice[1::2], strict=True):
        n = min(len(first), len(second))
        assert first[:n] == second[:n]


# Terms


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"games": 3}, "games must be even"),
        ({"games": 0}, "games must be even"),
        ({"format": "league"}, "format must be one of"),
        ({"sprt": "5"}, "LOW,HIGH"),
        ({"sprt": "5,x"}, "must be a number"),
        ({"sprt": "0,5,gamma=1"}, "gamma"),
        ({"clock": "-1"}, "at least 0"),
        ({"clock": "0"}, "cannot be met"),
        ({"patience": 0}, "more than 0"),
        ({"adjudicate": "moves=3"}, "give plies, win or draw"),
        ({"adjudicate": "plies=0"}, "at least 1"),
        ({"adjudicate": "plies=1.5"}, "whole number"),
        ({"repetition": 1}, "repetition must be"),
        ({"rounds": 3}, "rounds are for"),
        ({"workers": 0}, "workers must be"),
        ({"openings": "ballots"}, "ballots are the openings of draughts"),
        ({"openings": 60}, "take fewer random plies"),
        ({"openings": ["7 7"]}, "is no opening of nim"),
        ({"openings": "/nowhere/at.all"}, "cannot read openings"),
    ],
)
def test_terms_that_do_not_fit_are_refused_and_leave_no_file(tmp_path, options, reason):
    with pytest.raises(LudwinError, match=reason):
        tournament(NIM, (RANDOM, RANDOM), out=tmp_path / "games.jsonl", **options)
    assert not list(tmp_path.iterdir())


def test_agents_that_do_not_fit_are_refused():
    with pytest.raises(BadParameter, match="2 players, got 1 agent"):
        tournament(NIM, (RANDOM,))
    with pytest.raises(CannotPlay, match="chance"):
        tournament(load("pig"), (RANDOM, agent("alphabeta")))
    with pytest.raises(BadParameter, match="multiple of 3"):
        tournament(load("pig:players=3"), (RANDOM,) * 3, games=4)
    with pytest.raises(BadParameter, match="sprt compares two agents"):
        tournament(NIM, (RANDOM,) * 3, sprt="0,5")


def test_texts_of_terms_are_read_back():
    for text in ("10", "0.5+0.25"):
        assert str(Clock.parse(text)) == text
    for text in ("plies=200", "win=0.5,draw=0.01,moves=3,after=40"):
        assert str(Adjudication.parse(text)) == text
    for text in ("0,50", "-5,5,alpha=0.1,model=logistic"):
        assert sprt_text(parse_sprt(text)) == text


def test_adjudication_by_plies_is_the_same_game_cut_short(tmp_path):
    texts = [agent("alphabeta:depth=1,ties=random"), agent("alphabeta:depth=2")]
    fast = play(tmp_path, "fast.jsonl", load("draughts"), texts, games=4, adjudicate="plies=10", openings=2)
    assert fast == play(
        tmp_path, "plain.jsonl", load("draughts"), texts, games=4, adjudicate="plies=10", openings=2, mode="plain"
    )
    assert {(len(r.moves), r.end, r.payoffs) for r in records(tmp_path / "fast.jsonl")} == {
        (10, "adjudication", (0.0, 0.0))
    }


def test_adjudication_by_value_believes_both_agents(tmp_path):
    play(tmp_path, agents=[agent("alphabeta:depth=21")] * 2, games=2, adjudicate="win=1,moves=2")
    assert [(r.end, r.payoffs, len(r.moves)) for r in records(tmp_path / "games.jsonl")] == [
        ("adjudication", (1.0, -1.0), 4)
    ] * 2


def test_a_tally_knows_its_pairs():
    tally = Tally()
    for mine in (1, 1, 0, 1, -1, -1, 1, 0):
        tally.note(mine, 0)
    assert tally.pairs == [1, 0, 0, 2, 1]
    assert (tally.wins, tally.draws, tally.losses, tally.score) == (4, 2, 2, 0.625)


def test_records_name_no_machine(tmp_path):
    play(tmp_path, games=4)
    for line in (tmp_path / "games.jsonl").read_text().splitlines():
        assert not {"workers", "path", "date", "seconds"} & set(json.loads(line))
