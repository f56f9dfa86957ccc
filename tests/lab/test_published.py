"""The files of published figures: each says where it was printed, and no cell is impossible."""

from pathlib import Path

import pytest

from ludwin import games
from ludwin.lab import published
from ludwin.lab.published import Published, data_of, number

PATHS = {path.stem: path for path in Path(games.__file__).parent.rglob("data/*.csv")}
FILES = sorted(PATHS)
TEXTS = {"agent", "run", "fitness", "variant", "seat", "first", "second", "game", "c", "driver", "author", "track"}
TEXTS |= {"heuristic", "unsolved", "name", "boards", "problems", "robot"}
TEXTS |= {"player", "number", "played", "reply", "move", "terminal", "benchmark", "ending"}


def rows(name):
    return published.rows(PATHS[name])


def source(name):
    return published.source(PATHS[name])


def figures(name):
    """Return the numbers of a file; # stands before mates in so many moves."""
    found = ({key: cell.removeprefix("#") for key, cell in row.items() if key not in TEXTS} for row in rows(name))
    return [{key: float(cell) for key, cell in row.items() if cell} for row in found]


def test_every_table_has_its_file():
    assert len(FILES) == 40 and {"lose_checkers_3_5", "fop_5_4", "carcassonne_6_8", "formulas_5_11"} <= set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_a_file_says_where_it_was_printed_and_has_a_number_in_every_cell(name):
    place = source(name)
    kinds = {"_text": "text of chapter", "_weights": "section", "_f4_1": "figures 4.1", "_f4_2": "figure 4.2"}
    where = next((said for end, said in kinds.items() if name.endswith(end)), "table")
    assert (where in place and place.startswith(("M. Sipper", "F. Valdez"))) or place.startswith(
        "A second reproduction"
    )
    found = figures(name)
    assert any(found) and (all(found) or "curves are lost" in PATHS[name].read_text())
    keys = [tuple(cell for key, cell in row.items() if key in TEXTS or key in ("f", "plies")) for row in rows(name)]
    assert len(set(keys)) == len(keys), "a row stands twice"


@pytest.mark.parametrize("name", FILES)
def test_deviations_are_not_negative_and_shares_lie_between_nothing_and_all(name):
    for row in figures(name):
        for key, value in row.items():
            if key.endswith(("_sd", "_pm")):
                assert value >= 0, key
            if (
                key in ("n", "N", "Q", "tied", "availability", "rate", "result", "finished")
                or name == "lose_checkers_3_5"
            ) and name != "mate_6":  # whose n are moves
                assert 0 <= value <= 1 or key in ("first", "second"), key
            if key.startswith("αβ") or key == "random":
                assert 0 <= value <= 1000 and value % 0.5 == 0, key  # points in 1000 games


@pytest.mark.parametrize(("name", "games"), [("carcassonne_6_2", 50), ("carcassonne_6_4", 10), ("carcassonne_6_8", 20)])
def test_games_won_drawn_and_lost_add_up(name, games):
    assert {int(row["won"]) + int(row["drawn"]) + int(row["lost"]) for row in rows(name)} == {games}


@pytest.mark.parametrize(("name", "agents"), [("carcassonne_6_4", 5), ("carcassonne_6_8", 7)])
def test_a_crosstable_has_every_ordered_pair_once(name, agents):
    pairs = {(row["first"], row["second"]) for row in rows(name)}
    assert len(pairs) == len(rows(name)) == agents * (agents - 1) and all(a != b for a, b in pairs)


def test_a_cell_is_a_number_or_nothing_and_a_mean_has_its_error():
    assert number("1.5") == 1.5 and number("") is None and repr(number("1")) == "1"
    assert Published(3.0, 2.0, 16).error == 0.5


def test_rows_are_values_that_a_reader_may_spoil():
    rows("lose_checkers_3_5")[0]["score"] = "1"
    assert rows("lose_checkers_3_5")[0]["score"] == "0.9665"


def test_a_file_that_is_not_in_order_is_found(tmp_path):
    (tmp_path / "a.csv").write_text("# somewhere\nx,y\n1\n")
    (tmp_path / "b.csv").write_text("x,y\n1,2\n")
    for name in ("a", "b"):
        with pytest.raises(AssertionError, match="is not in order"):
            published.rows(tmp_path / f"{name}.csv")


def test_the_data_of_a_domain_lie_in_its_folder():
    home = Path(games.__file__).parent
    assert data_of(str(home / "fop" / "tables" / "agents.py")) == home / "fop" / "data"
    domains = {path.parents[1].name for path in PATHS.values()}
    known = {
        "backgammon",
        "carcassonne",
        "chess",
        "draughts",
        "fop",
        "freecell",
        "lose_checkers",
        "parking",
        "racing",
        "reversi",
        "tanks",
    }
    assert domains == known
