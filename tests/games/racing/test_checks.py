"""The checks that the makers of the recordings ask of every re-implementation, on our own pads and roads.

Oracle: recordings of the original simulator; the figures are those of their README (SOURCE.md).
"""

import pytest

import ludwin
from ludwin.games.racing.car import STEP
from ludwin.primitives import mix


def drive(script, track="tpad", seed=None, damage=0, fuel=150.0, **given):
    """Run one car by a script of (steps, speed or a function of v, wheel); return the states of every step."""
    world = ludwin.load("racing", track=track, random=seed is not None, fuel=fuel, **given)
    state = world.start() if seed is None else world.start().seed(seed)
    states = [state]
    for steps, speed, wheel in script:
        for _ in range(steps):
            wanted = speed(states[-1].v[0]) if callable(speed) else speed
            states.append(states[-1].tick(wheel=(wheel,), speed=(float(wanted),)))
    return states


@pytest.fixture(scope="module")
def flat_out():
    return drive([(912, 1000, 0.0)])


def test_the_car_stands_ten_feet_before_the_line_and_jumps_at_first(flat_out):
    assert (flat_out[0].x[0], flat_out[0].y[0]) == (790.0, 1000.0)
    assert flat_out[1].x[0] - flat_out[0].x[0] == pytest.approx(1.647, abs=1e-12)  # 1.5 times 20 ft/s: memory of zeros


def test_full_throttle(flat_out):
    assert flat_out[1].v[0] == 22.78101191495358
    assert flat_out[182].clock == pytest.approx(9.9918)
    assert flat_out[182].v[0] == 150.0672640328858
    assert flat_out[910].v[0] == pytest.approx(239.9526, abs=5e-5)


def test_wheels_eight_feet_a_second_faster_than_the_car():
    states = drive([(100, lambda v: v + 8.0, 0.0)])
    k = next(k for k, state in enumerate(states) if state.v[0] >= 100.0)
    low, high = states[k - 1].v[0], states[k].v[0]
    assert STEP * (k - 1 + (100.0 - low) / (high - low)) == pytest.approx(4.1435, abs=1e-4)


def test_braking():
    states = drive([(420, 150, 0.0), (40, 0, 0.0)])
    assert states[420].v[0] == pytest.approx(149.8885, abs=1e-4)
    assert -states[421].pull[0] == pytest.approx(35.6436, abs=1e-4)
    k = next(k for k in range(421, 460) if states[k].v[0] <= 101.0)
    low, high = states[k].v[0], states[k - 1].v[0]
    assert STEP * (k - 421 + (high - 101.0) / (high - low)) == pytest.approx(1.3650, abs=1e-3)


@pytest.mark.slow
def test_flat_out_for_two_minutes_and_braking_from_there():
    """Checks 4 and 5: the speed after 139.94 s, and the first deceleration from 231.441 ft/s."""
    states = drive([(2549, 1000, 0.0)])
    assert states[2549].v[0] == pytest.approx(248.3083, abs=1e-3)
    states = drive([(700, 1000, 0.0), (1, 0, 0.0)])
    assert states[700].v[0] == pytest.approx(231.441, abs=1e-3)
    assert -states[701].pull[0] == pytest.approx(38.1838, abs=1e-4)


def test_beside_the_road_it_is_slow_and_costs_damage():
    """Check 7: troad-leave from row 190 on."""
    from pathlib import Path

    from ludwin.games.racing.commands.recordings import read_recording

    path = Path(__file__).parent / "recordings" / "troad-leave-det.csv.gz"
    state = ludwin.load("racing", track="troad", random=False).start()
    states = [state]
    for (row,) in read_recording(path).steps[:196]:
        states.append(states[-1].tick(wheel=[row["out_alpha"]], speed=[row["out_vc"]]))
    assert states[191].pull[0] == pytest.approx(-47.6256, abs=1e-4)
    assert [state.damage[0] for state in states[191:196]] == [55, 90, 123, 155, 186]


def test_steady_circles():
    slow = drive([(60, 45, 0.0), (340, 45, 0.2)])[-1]
    assert slow.v[0] == pytest.approx(44.0608, abs=1e-4)
    assert slow.left_pull[0] == pytest.approx(33.4226, abs=1e-4)
    assert slow.v[0] ** 2 / slow.left_pull[0] == pytest.approx(58.085, abs=1e-3)
    fast = drive([(160, 110, 0.0), (170, 110, 0.15)])[-1]
    assert fast.v[0] == pytest.approx(108.2991, abs=1e-4)
    assert fast.v[0] ** 2 / fast.left_pull[0] == pytest.approx(347.133, abs=1e-2)


def test_a_hundred_steps_backwards_cost_everything_but_the_race():
    states = drive([(160, 110, 0.0), (240, 110, 0.15)])
    assert (states[350].damage[0], states[351].damage[0]) == (0, 30000)
    assert states[-1].out == (0,)


def test_without_fuel_the_engine_steers_off_the_road():
    states = drive([(600, 1000, 0.0)], track="troad", fuel=1.0)
    assert states[405].fuel[0] > 0.0 >= states[406].fuel[0]
    assert next(k for k, state in enumerate(states) if state.out[0]) == 563  # out in row 562: the state after it


@pytest.mark.parametrize(("seed", "draws"), [(1, (346, 130, 10982, 1090)), (7, (2424, 31604, 10557, 7276))])
def test_the_generator_of_traction(seed, draws):
    found, state = [], seed
    for _ in draws:
        state = (22695477 * state + 1) % 2**32
        found.append(state >> 16 & 0x7FFF)
    assert tuple(found) == draws
    assert ludwin.load("racing", track="tpad").start().seed(seed).traction == (22695477 * seed + 1) % 2**32


def test_random_traction_has_the_recorded_first_step():
    assert drive([(1, 1000, 0.0)], seed=7)[1].v[0] == 22.77880547295623


@pytest.mark.parametrize(("seed", "grid"), [(1, (4, 7, 8, 5, 0, 3, 2, 6, 1)), (2, (4, 1, 5, 6, 0, 8, 7, 2, 3))])
def test_a_shuffled_grid_is_the_recorded_one(seed, grid):
    state = ludwin.load("racing", track="troad", cars=9, shuffle=True).start().seed(seed)
    assert tuple(sorted(range(9), key=lambda p: state.slot[p])) == grid


def test_a_crash_dents_the_faster_car_twice_as_much():
    from pathlib import Path

    from ludwin.games.racing.commands.recordings import read_recording

    steps = read_recording(Path(__file__).parent / "recordings" / "troad-paircrash-det.csv.gz").steps
    world = ludwin.load("racing", track="troad", cars=2, random=False)
    state = world.start()
    for rows in steps[:80]:
        state = state.tick(wheel=[r["out_alpha"] for r in rows], speed=[r["out_vc"] for r in rows])
    assert state.damage == (664, 1329)
    assert state.vx == pytest.approx((90.3624, 64.0766), abs=1e-4)


def test_seeds_of_any_size_are_seeds():
    world = ludwin.load("racing", track="tpad")
    assert world.start().seed(-1).traction == world.start().seed(2**32 - 1).traction
    assert 0 <= world.start().seed(mix(3, 4)).traction < 2**32
