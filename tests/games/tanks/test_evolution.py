"""Robots that evolve: their language, their code, their fitness, and the runs."""

import math
import re
from itertools import pairwise
from types import SimpleNamespace

import pytest

from ludwin.arena.simulate import Stage
from ludwin.errors import BadParameter, CannotPlay
from ludwin.evolve.experiment import settle
from ludwin.evolve.plan import Plan
from ludwin.evolve.population import Child
from ludwin.games.tanks.angles import relative
from ludwin.games.tanks.evolve import AGAINST_TRIO, DUEL, TANKS, Duels, history, kind, measure_share
from ludwin.games.tanks.evolve.battles import Battles, Fought, robot
from ludwin.games.tanks.evolve.export import counted, robot_file, robot_java, semicolons
from ludwin.games.tanks.evolve.remembered import Contender, Remembering, standing
from ludwin.games.tanks.language import READS, deed, duel, finite, table
from ludwin.games.tanks.opponents.haiku import ROLES, Haiku, haiku_code
from ludwin.games.tanks.opponents.robots import Robot, code_pilot
from ludwin.library import load
from ludwin.primitives import stream, uniform
from ludwin.program.stream import Stream
from ludwin.program.text import read

SMALL = {"population": 6, "generations": 3, "rounds": 1, "judges": "fire", "adversaries": "spin-bot;crazy"}


def settings(**more):
    return settle(TANKS, "quick", {**SMALL, **more})


def programs(*texts):
    return tuple(read(table(), text) for text in texts)


def population(n, seed=1, trees=3, language="table"):
    return kind(settings(trees=trees, language=language)).begin(n, Stream(seed, 1))


def test_the_language_is_table_8_1():
    names = {primitive.name for primitive in table().primitives}
    functions = [
        "Add",
        "Sub",
        "Mul",
        "Div",
        "Abs",
        "Neg",
        "Sin",
        "Cos",
        "ArcSin",
        "ArcCos",
        "IfGreater",
        "IfPositive",
        "Fire",
    ]
    assert names == {*functions, *READS, "Constant", "Random", "Zero"}
    assert len(READS) == 11
    assert {primitive.name for primitive in table().primitives if primitive.acts} == {
        "Fire", "Random", "IfGreater", "IfPositive"}  # fmt: skip
    assert table().primitives[table().find("Constant")].draws == (-1.0, 1.0)


def view_of(seen, energy):
    """Return what a robot senses in a turn in which it has seen another one."""
    zero = dict.fromkeys(("v", "ahead", "turn", "turn_gun", "turn_radar", "heat"), 0.0)
    rows = {"a": seen["EnemyBearing"], "b": seen["EnemyDistance"], "c": seen["EnemyHeading"] + seen["Heading"]}
    rows |= {"d": seen["EnemyVelocity"], "e": seen["EnemyEnergy"]}
    return SimpleNamespace(
        **zero, time=40, round=0, x=seen["X"], y=seen["Y"], body=seen["Heading"], gun=1.0, radar=1.0, energy=energy,
        others=1, alive=1, halted=0, width=seen["MaxX"], height=seen["MaxY"], cooling=0.1, rounds=1, events=1,
        event=[1], who=[1], **{name: [value] for name, value in rows.items()})  # fmt: skip


def told(genome, seen, energy):
    """Return the orders of the machine at a sighting, when its main loop has begun."""
    pilot = code_pilot(haiku_code(genome), True, 0, 3)
    nothing = view_of(seen, energy)
    nothing.events, nothing.time = 0, 39
    pilot(nothing)
    return pilot(view_of(seen, energy))


def readable(trees, seen, energy, chance):
    """Return the orders of one sighting as the programs themselves say: by role, and the shot that counts."""
    left, shots, orders = [energy], [], {}

    def shoot(power):
        if not shots and left[0] > 0.0:  # the gun is cool for one shot
            shots.append(min(left[0], max(0.1, min(power, 3.0))))
            left[0] -= shots[0]

    def act(name, number, arguments):
        return deed(name, arguments, shoot, lambda: uniform(chance))

    for role, tree in zip(ROLES, trees, strict=False):
        orders[role] = finite(tree.evaluate(lambda name, place: left[0] if name == "Energy" else seen[name], act=act))
        if role == "fire" and orders[role] > 0.0:
            shoot(orders[role])
    return orders, shots[0] if shots else 0.0


@pytest.mark.parametrize(("trees", "language"), [(3, "table"), (5, "table"), (3, "aim"), (3, "duel")])
def test_the_machine_computes_what_the_programs_say(trees, language):
    shots = 0
    for number, genome in enumerate(population(60, 7, trees, language)):
        stream_of = Stream(5, number)
        seen = {name: stream_of.uniform(-3.0, 3.0) for name in READS} | {"MaxX": 800.0, "MaxY": 600.0}
        seen["EnemyDistance"] = stream_of.uniform(1.0, 900.0)
        energy = stream_of.uniform(0.05, 100.0)
        seen["EnemyHeading"] = seen["EnemyHeading"] + seen["Heading"] - seen["Heading"]  # as subtraction leaves it
        seen |= {"Time": 2.5, "GunBearing": relative(seen["Heading"] - 1.0 + seen["EnemyBearing"])}  # the gun is at 1
        seen["Swing"] = 128.0 * math.sin(2.5)
        across = math.sin(seen["EnemyHeading"] - seen["EnemyBearing"])
        seen |= {"EnemyAcross": seen["EnemyVelocity"] * across, "Flank": relative(seen["EnemyBearing"] + math.pi / 2)}
        wanted, shot = readable(genome, seen, energy, [stream(3, 0)])
        found = told(genome, seen, energy)
        assert found[0] == min(max(wanted["ahead"], -1e200), 1e200)
        assert found[1] == min(max(wanted["turn"], -1e200), 1e200)
        assert found[2] == (min(max(wanted["gun"], -1e200), 1e200) or 1e200)  # 0 ends the call of the main loop
        assert found[8] == shot
        if trees == 5:
            assert found[3] == min(max(wanted["radar"], -1e200), 1e200)
        shots += shot > 0
    assert 10 < shots < 55


def test_a_branch_that_is_not_taken_does_not_fire():
    seen = dict.fromkeys(READS, 1.0)
    for text, shot in (
        ("IfPositive(Zero, Fire(3), Zero)", 0.0),
        ("IfPositive(0.5, Fire(0.7), Fire(3))", 0.7),
        ("IfGreater(Zero, Fire(0.9), Fire(3), 0.1)", 0.9),
        ("IfGreater(0.5, Zero, Fire(2), Fire(3))", 2.0),
        ("Fire(Neg(0.5))", 0.0),
        ("Add(Fire(0.6), Fire(2))", 0.6),
        ("Fire(Div(0.4, Zero))", 0.0),
    ):
        assert told(programs(text, "Zero", "0.1"), seen, 50.0)[8] == shot, text


def test_what_is_no_finite_number_becomes_no_order():
    huge = "Mul(Mul(MaxX, MaxX), Mul(MaxX, MaxX))"
    for _ in range(6):
        huge = f"Mul({huge}, {huge})"
    seen = dict.fromkeys(READS, 1.0) | {"MaxX": 800.0}
    found = told(programs(huge, f"Sub({huge}, {huge})", f"Sin({huge})"), seen, 50.0)
    assert found[:3] == (0.0, 0.0, 1e200)  # a gun's turn of 0 lets the main loop go on


def test_a_robot_fights_alike_as_programs_as_a_file_and_in_python(tmp_path):
    game = load("tanks")
    gun = "Add(Add(GunBearing, Mul(EnemyAcross, 0.07)), Fire(2))"
    aiming = tuple(read(duel(), text) for text in ("Mul(Swing, 1.5)", "Flank", gun))
    for number, genome in enumerate([aiming, *(g for g in population(40, 3) if any(t.acting for t in g))][:3]):
        path = tmp_path / f"robot{number}.py"
        path.write_text(robot_file(genome))
        forms = [Haiku(genome), Robot.of(str(path), {})]
        finals = [Stage(game, [one, robot("walls")]).play(number).final for one in forms]
        assert forms[1].text().code is not None
        assert list(finals[0].cells) == list(finals[1].cells)
    short = load("tanks", width=400, height=400, inactivity=50)
    python = Robot.of(str(tmp_path / "robot2.py"), {"python": "true"})
    runs = [Stage(short, [one, robot("tracker")]).play(2) for one in (forms[0], python)]
    assert list(runs[0].final.cells) == list(runs[1].final.cells) and runs[1].lost == ()


def test_who_scores_nothing_is_judged_by_what_it_concedes_and_an_idle_pair_is_even():
    assert Fought(0.0, 0.0).fitness == 0.5
    assert Fought(0.0, 50.0).fitness > Fought(0.0, 100.0).fitness > 0.0
    assert Fought(100.0, 50.0).fitness == 101 / 151
    assert Fought(100.0, 50.0).share == 100 / 150


def test_payoffs_alone_are_those_of_the_whole_run():
    battles = Battles(2)
    for name in ("walls", "haiku-gambler", "sitting-duck"):
        player = Haiku(population(3)[2])
        whole = Stage(battles.game, [player, robot(name)])
        found = battles.fight(player, robot(name), [4, 9])
        assert [tuple(one) for one in found] == [whole.play(seed).payoffs for seed in (4, 9)]


@pytest.mark.parametrize(
    "more",
    [{}, {"reselect": "generation", "drawn": 1}, {"reselect": "individual", "drawn": 1}, {"phase_two": 1}, {"race": 1}],
)
def test_a_generation_is_scored_alike_by_one_and_two_workers(more):
    genomes = population(6)
    one, two = (Duels(settings(**more), workers).score(genomes, 1, Stream(4, 2)) for workers in (1, 2))
    assert one == two and len({value for value, _ in one}) > 1


def test_who_leaves_a_race_is_not_above_who_stays_and_who_stays_has_fought_more():
    genomes = population(16, 4)
    plain, raced = (Duels(settings(race=race), 1).score(genomes, 1, Stream(4, 2)) for race in (0, 2))
    order = sorted(range(16), key=lambda k: -plain[k][0])
    stayed, left = order[:4], order[4:]
    assert max(raced[k][0] for k in left) <= min(raced[k][0] for k in stayed)
    assert all(raced[k][0] <= plain[k][0] for k in left) and any(raced[k] != plain[k] for k in stayed)


def test_in_the_second_phase_robots_meet_robots_of_their_own_generation():
    genomes = population(6)
    duels = Duels(settings(phase_two=2), 1)
    assert duels.relative
    first, second = (
        duels.met([Haiku(g) for g in genomes], 1, Stream(1)),
        duels.met([Haiku(g) for g in genomes], 2, Stream(1)),
    )
    assert [one.name for one in first] == ["spin-bot", "crazy"]
    assert all(isinstance(one, Haiku) and one.programs in genomes for one in second)


def test_a_run_goes_on_from_any_generation_and_stops_when_it_no_longer_gets_better():
    chosen = settings(stagnation=1, generations=8)
    whole = list(history(chosen, "evolution", 3, 1, None))
    again = list(history(chosen, "evolution", 3, 1, whole[1]))
    assert [g.individuals for g in again] == [g.individuals for g in whole[2:]]
    last = whole[-1]
    assert last.number == 8 or last.number - last.state["record at"] == 1
    assert history(settings(stagnation=0), "evolution", 3, 1, None) is None


def test_a_champion_is_judged_by_several_robots_at_once():
    chosen = settings(judges="fire;sitting-duck")
    player = robot("walls")
    both = measure_share(chosen, player, "the judges", 20, 5, 1)
    alone = measure_share(chosen, player, "fire", 20, 5, 1)
    assert both.n == alone.n == 2 and 0.9 < both.value <= 1.0 and both.opponent == "the judges"


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({"adversaries": " ; "}, "at least one robot"),
        ({"adversaries": "walls;walls"}, "names a robot twice"),
        ({"judges": "wals"}, "no agent called"),
        ({"adversaries": "uct"}, "uct"),
    ],
)
def test_robots_that_are_none_are_refused_before_the_run(more, line):
    with pytest.raises(Exception, match=line) as error:
        TANKS.examine(settings(**more))
    assert "\n" not in str(error.value)


def test_an_exported_robot_has_four_semicolons_as_the_league_counts_and_more_trees_more():
    for genome in (*population(30, 9), *population(30, 9, language="duel")):
        java = robot_java(genome, "Ours")
        assert counted(java) == 4 and "for (" not in java and "class Ours extends AdvancedRobot" in java
    assert [semicolons(population(1, 2, trees)[0]) for trees in (3, 4, 5)] == [4, 5, 6]
    for name in ("class", "sealed", "permits"):
        with pytest.raises(BadParameter, match="word of Java"):
            robot_java(population(1)[0], name)
    for name in ("AdvancedRobot", "Double", "DoubleUnaryOperator"):  # it would be its own parent, or hide what it calls
        with pytest.raises(BadParameter, match="stands in the robot's own text"):
            robot_java(population(1)[0], name)


def test_semicolons_of_texts_comments_and_imports_do_not_count():
    assert counted('package a;\nimport b; /* ; */ class C { String s = ";"; } // ;\n') == 1


def test_constants_of_all_sizes_are_written_for_java():
    java = robot_java(programs("-0.25", "1e-07", "Mul(0.5, -1e-300)"), "Ours")
    assert "(-0.25)" in java and "1e-07" in java and math.isfinite(counted(java))


def test_numbers_without_end_or_meaning_are_written_for_python_and_java(tmp_path):
    genome = programs("Add(X{inf}, -inf)", "IfPositive(Add(nan, Y), Zero, 0.5)", "Mul(Fire(inf), 0.1)")
    assert "public class COUNTER " in robot_java(genome, "COUNTER")
    java = robot_java(genome, "Ours")
    assert "Double.POSITIVE_INFINITY" in java and "Double.NaN" in java and not re.search(r"\b(nan|inf)\b", java)
    (tmp_path / "robot.py").write_text(robot_file(genome))
    forms = [Haiku(genome), Robot.of(str(tmp_path / "robot.py"), {})]
    finals = [Stage(load("tanks"), [one, robot("walls")]).play(1) for one in forms]
    assert list(finals[0].final.cells) == list(finals[1].final.cells) and finals[1].lost == ()


def remembering(branch="evolution", workers=1, start=None, **more):
    small = {"population": 6, "offspring": 8, "first": 16, "generations": 3, "judges": "fire", "race": 1, "still": 0}
    chosen = settle(DUEL, "quick", {**small, "adversaries": "spin-bot;crazy", **more})
    return list(history(chosen, branch, 3, workers, start))


def test_points_are_added_up_as_long_as_a_robot_lives():
    found = remembering()
    assert [one.number for one in found] == [0, 1, 2, 3] and [one.evaluations for one in found] == [16, 24, 32, 40]
    for before, after in pairwise(found):
        for one in after.individuals:
            if one.origin == "elite":
                old = before.individuals[one.parents[0]]
                assert one.genome == old.genome and one.detail["measurements"] == old.detail["measurements"] + 1
                assert 0.0 <= one.detail["total"] - old.detail["total"] <= 1.0
    assert max(one.detail["measurements"] for one in found[-1].individuals) >= 4  # one battle, two of a race, one more


def test_a_run_that_remembers_is_the_same_with_two_workers_and_after_a_break():
    whole = remembering()
    assert [g.individuals for g in remembering(workers=2)] == [g.individuals for g in whole]
    assert [g.individuals for g in remembering(start=whole[1])] == [g.individuals for g in whole[2:]]


def test_random_search_that_remembers_has_as_many_robots_and_none_that_was_bred():
    bred, random = remembering(), remembering("baseline")
    assert bred[0].individuals == random[0].individuals
    assert [one.evaluations for one in bred] == [one.evaluations for one in random]
    assert all(one.origin in ("random", "elite") for g in random for one in g.individuals)
    assert any("mutation" in one.origin for g in bred for one in g.individuals)


def test_random_search_that_remembers_has_as_many_battles_also_while_others_go_to_school(monkeypatch):
    battles, fight = [], Battles.fight_all

    def counting(self, players, adversary, seeds):
        battles[-1] += len(players) * len(seeds)
        return fight(self, players, adversary, seeds)

    monkeypatch.setattr(Battles, "fight_all", counting)
    school = "fire;walls;ram-fire;tracker;corners;spin-bot"
    for branch in ("evolution", "baseline"):
        battles.append(0)
        found = remembering(branch, still=2, school=school, adversaries="crazy;my-first-robot")
    assert battles[0] == battles[1] > 100
    assert max(one.detail["measurements"] for one in found[2].individuals) > 3  # nothing that it knew is forgotten


def test_survivors_of_one_shape_are_few_and_the_fitness_is_drawn_to_the_mean_of_children():
    run = Remembering(
        kind(settle(DUEL, "quick", {})), Battles(1), [], [], {"same_shape": 2}, Plan(population=3), 1, False
    )
    numbers = [programs(f"Add(X, {number})", "Zero", "Fire(X)") for number in (0.1, 0.2, 0.3)]
    other = programs("Y", "Zero", "Fire(X)")
    crowd = [Contender(Child(genome, "random"), total=1.0, measured=1.0) for genome in (*numbers, other)]
    crowd[3].total = 0.5
    run.judge(crowd, 0.4)
    assert [one.fitness for one in crowd] == pytest.approx([0.55, 0.55, 0.55, 0.425])
    assert [one.child.genome for one in run.survivors(crowd, 0)] == [*numbers[:2], other]
    veteran = Contender(Child(other, "elite"), total=9.0, measured=10.0)
    run.judge([veteran], 0.4)
    assert veteran.fitness > crowd[0].fitness  # ten battles of 0.9 are more than one of 1


@pytest.mark.parametrize("more", [{"reselect": "generation"}, {"phase_two": 2}, {"islands": 2}])
def test_what_needs_scores_of_one_generation_is_refused(more):
    with pytest.raises(BadParameter, match="adds up points over generations"):
        TANKS.examine(settle(DUEL, "quick", more))


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({"first": 3, "population": 4}, "first must be at least the population of 4"),
        ({"still": 9, "generations": 3}, "still must be at most the 3 generations"),
        ({"generations": 0}, "still must be at most the 0 generations"),
        ({"breeding": "cma", "growth": True}, "without breeding, growth: set breeding=ga growth=false"),
        ({"stop_at": 0.5}, "without stop_at"),
        ({"selection": "lexicase"}, "selection=lexicase does not go with it"),
        ({"school": " ; "}, "school must name at least one robot"),
        ({"school": "walls;walls"}, "school names a robot twice"),
    ],
)
def test_settings_without_sense_or_effect_are_refused_before_the_run(more, line):
    with pytest.raises(BadParameter, match=line) as error:
        DUEL.examine(settle(DUEL, "quick", more))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("experiment", [DUEL, AGAINST_TRIO])
@pytest.mark.parametrize("preset", ["quick", "standard", "paper"])
def test_every_preset_of_remembered_points_can_be_run(experiment, preset):
    experiment.examine(settle(experiment, preset, {}))


def test_first_robots_beyond_number_are_refused_by_the_setting():
    with pytest.raises(BadParameter, match="first must be at most"):
        settle(DUEL, "quick", {"first": 10**11})


def test_one_robot_and_as_many_children_go_on_for_generations():
    found = remembering(population=1, offspring=0, first=2)
    assert [len(one.individuals) for one in found] == [1, 1, 1, 1]
    assert [one.evaluations for one in found] == [2, 3, 4, 5]


def test_an_adversary_that_is_no_robot_is_itself_and_not_who_was_there_before():
    battles, player = Battles(1), robot("spin-bot")
    battles.fight(player, robot("walls"), [1])
    for name in ("hold", "random"):
        alone = Stage(battles.game, [player, robot(name)])
        assert battles.fight(player, robot(name), [1, 2]) == [Fought(*alone.payoffs(seed)) for seed in (1, 2)]
    again = battles.fight(player, robot("walls"), [1])
    assert again == Battles(1).fight(player, robot("walls"), [1])


def test_a_program_too_long_for_the_machine_is_told_in_one_line():
    long = "Sin(X)"
    for _ in range(11):
        long = f"Add({long}, {long})"
    with pytest.raises(CannotPlay, match="nodes is too long for the machine of robots") as error:
        Battles(1).fight(Haiku(programs(long, "Zero", "Zero")), robot("walls"), [1])
    assert "\n" not in str(error.value)


def test_those_who_breed_for_the_league_do_not_meet_its_judges():
    chosen = settle(DUEL, "standard", {})
    judges = set(chosen["judges"].split(";"))
    assert not judges & {*chosen["adversaries"].split(";"), *chosen["school"].split(";")}


def test_before_they_drive_robots_stand_and_only_their_guns_vary():
    found = remembering(still=2, school="fire", population=20)
    run = Remembering(
        kind(settle(DUEL, "quick", {})), Battles(1), [], [], {}, Plan(crossover=0.5, mutation=1.0), 1, False
    )
    children = [run.child(found[0].individuals, lambda chance: 3, Stream(9, k), 2) for k in range(20)]
    assert all(one.genome[:2] == found[0].individuals[3].genome[:2] for one in children)
    assert len({one.genome[2] for one in children}) > 10
    assert len({one.genome[2] for one in found[1].individuals} - {one.genome[2] for one in found[0].individuals}) > 2
    guns = {one.genome[2] for one in found[1].individuals}
    released = [one for one in found[2].individuals if one.origin == "random drive"]
    assert released and all(one.genome[2] in guns for one in released)
    assert all(one.detail["measurements"] <= 3 for one in found[2].individuals)  # points of those who stood are gone
    still = standing(found[0].individuals[0].genome)
    assert [len(tree) for tree in still[:2]] == [1, 1] and still[2] == found[0].individuals[0].genome[2]
