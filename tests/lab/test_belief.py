"""Beliefs before the search: the specification's table of favourite intervals, and where they mislead."""

import pytest

from ludwin import load
from ludwin.errors import BadParameter
from ludwin.games.fop.tables import belief

# depth 1 to 7: left end of the favourite interval and its belief (spec, section 6.4)
FAVOURITES = {
    "2": [
        (0.5, 0.5140),
        (0.75, 0.5903),
        (0.375, 0.7034),
        (0.375, 0.8630),
        (0.84375, 0.9435),
        (0.859375, 0.9711),
        (0.8671875, 0.9717),
    ],
    "3": [
        (0, 0.8190),
        (0.25, 0.8196),
        (0.875, 0.8256),
        (0.875, 0.8419),
        (0.90625, 0.8475),
        (0.90625, 0.8496),
        (0.453125, 0.8596),
    ],
    "4": [
        (0.5, 0.5545),
        (0.5, 0.5553),
        (0.875, 0.6434),
        (0.0625, 0.8350),
        (0.09375, 0.9070),
        (0.09375, 0.9694),
        (0.09375, 0.9756),
    ],
    "5": [
        (0.5, 0.4178),
        (0.75, 0.4638),
        (0.875, 0.5214),
        (0.875, 0.5584),
        (0.6875, 0.6293),
        (0.09375, 0.8105),
        (0.296875, 0.8979),
    ],
}


@pytest.mark.parametrize("f", sorted(FAVOURITES))
def test_favourite_intervals_are_those_of_the_specification(f):
    game = load("fop", f=f)
    for depth, (low, mean) in enumerate(FAVOURITES[f], 1):
        best = belief.favourite(game, depth)
        assert best.low == low and best.high == low + 2.0**-depth and best.belief == pytest.approx(mean, abs=1e-3)


def test_siblings_and_the_depths_that_mislead():
    assert belief.beliefs(load("fop:f=5"))[1] == (pytest.approx(0.1978, abs=1e-3), pytest.approx(0.4178, abs=1e-3))
    assert belief.beliefs(load("fop:f=2"))[1] == (pytest.approx(0.5121, abs=1e-3), pytest.approx(0.5140, abs=1e-3))
    assert belief.misleading(load("fop:f=2"), 7) == [3, 4]
    assert belief.misleading(load("fop:f=4"), 7) == [1, 2, 3]
    assert belief.misleading(load("fop:f=5"), 6) == [1, 2, 3, 4, 5]
    left, right = belief.beliefs(load("fop"))[1]
    assert left == pytest.approx(right) == pytest.approx(0.6366, abs=1e-4)


def test_worth_is_the_maximum_and_belief_the_mean():
    game = load("fop:f=4,t=0.01")
    leaves = belief.leaf_values(game)
    assert belief.worths(game)[0] == (max(leaves),) and belief.beliefs(game)[0] == (
        pytest.approx(sum(leaves) / len(leaves)),
    )
    assert [len(row) for row in belief.beliefs(game)] == [2**depth for depth in range(8)]
    x, value = belief.optimum(load("fop:f=4"))
    assert (x, value) == (pytest.approx(0.0998, abs=1e-3), pytest.approx(0.98, abs=1e-3))


def test_other_games_have_no_beliefs():
    with pytest.raises(BadParameter, match="another game"):
        belief.leaf_values(load("nim"))
    with pytest.raises(BadParameter, match="depths 0 to 17"):
        belief.favourite(load("fop"), 18)


def test_pictures_repeat_byte_for_byte(tmp_path):
    game = load("fop:f=5,t=0.001")
    one = belief.plot_beliefs(game, tmp_path / "one.svg").read_bytes()
    assert one == belief.plot_beliefs(game, tmp_path / "two.svg").read_bytes() and b"<svg" in one
    assert belief.plot_histogram([[1, 2], [0, 3], [4, 0]], tmp_path / "h.png").read_bytes()[1:4] == b"PNG"
    assert belief.plot_results({"a": [0.1, 0.2], "b": [0.3, 0.3]}, tmp_path / "r.svg").exists()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["h.png", "one.svg", "r.svg", "two.svg"]
    with pytest.raises(BadParameter, match="a picture is a"):
        belief.plot_beliefs(game, tmp_path / "one.gif")
