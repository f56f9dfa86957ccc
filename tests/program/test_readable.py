"""Programs for people: formulas that mean the program, tables, heat maps."""

import math
import re

import pytest

from ludwin.evolve.formulas import FORMULAS
from ludwin.games.draughts.language import LANGUAGE
from ludwin.program.generate import generate
from ludwin.program.heat import grid, maps, svg_map, text_map
from ludwin.program.readable import infix, number, reading, sums
from ludwin.program.stream import Stream
from ludwin.program.text import read
from ludwin.program.tree import join, leaf


def worth(text, values):
    """Evaluate a formula for reading as Python does."""
    names = {**values, "true": True, "false": False}
    return float(eval(re.sub(r"(\w+)\[(\d+)\]", r"\1_\2", text), {"__builtins__": {}, "abs": abs}, names))


def inputs(seed):
    stream, values = Stream(seed, 5), {}
    for one in LANGUAGE.primitives:
        if one.reads and one.places:
            values |= {f"{one.name}_{k}": bool(stream.below(2)) for k in range(one.places)}
        elif one.reads:
            values[one.name] = float(stream.below(12))
    by_query = {one.reads: one for one in LANGUAGE.primitives if one.reads}
    return values, lambda name, place: float(
        values[f"{by_query[name].name}_{place}" if by_query[name].places else by_query[name].name]
    )


@pytest.mark.parametrize("seed", range(30))
def test_a_formula_computes_what_the_program_computes(seed):
    tree = generate(LANGUAGE, 5, Stream(seed), full=bool(seed % 2))
    values, query = inputs(seed)
    exact = tree.evaluate(query)
    assert worth(infix(tree), values) == pytest.approx(exact, rel=0.01, abs=0.05)  # four digits a constant


@pytest.mark.parametrize("seed", range(30))
def test_a_formula_with_quotients_computes_what_the_program_computes(seed):
    tree = generate(FORMULAS["vladislavleva-4"].language, 4, Stream(seed), full=bool(seed % 2))
    stream = Stream(seed, 3)
    values = {f"X{k}": stream.uniform(1.0, 2.0) for k in range(1, 6)}
    exact = tree.evaluate(lambda name, place: values[name.upper()])
    assert worth(infix(tree), values) == pytest.approx(exact, rel=0.05, abs=0.1)


@pytest.mark.parametrize(
    "program, formula",
    (
        ("Div(X, Add(X, X))", "X / (X + X) if abs(X + X) > 0.001 else 1"),
        ("Mul(X, Div(X, X))", "X * (X / X if abs(X) > 0.001 else 1)"),
    ),
)
def test_a_quotient_is_written_with_what_it_divides(program, formula):
    assert infix(read(FORMULAS["koza-quartic"].language, program)) == formula


@pytest.mark.parametrize("seed", range(30))
def test_algebra_computes_what_the_program_computes(seed):
    tree = generate(LANGUAGE, 6, Stream(seed, 1), full=bool(seed % 2))
    values, query = inputs(seed)
    for one in sums(tree):
        if not one.where or worth(one.where, values):
            rows = math.fsum(
                part.coefficient * worth(part.text[1:-1] if part.text.startswith("[") else part.text, values)
                for part in one.parts
            )
            assert rows + one.constant == pytest.approx(tree.evaluate(query), rel=0.01, abs=0.05)
            break
    else:
        pytest.fail("no phase holds")


def test_numbers_have_four_digits_and_terms_are_collected():
    tree = read(
        LANGUAGE, "Minus(Plus(MultERC[1.23456](Mobility), MultERC[1](Mobility)), MultERC[4](FriendlyPieceCount))"
    )
    assert reading(tree) == "-4 FriendlyPieceCount + 2.235 Mobility"
    assert number(math.inf) == "inf" and number(0.0) == "0"


def test_squares_make_a_map_seen_from_the_mover_s_side():
    parts = [
        join(LANGUAGE, "IFT", leaf(LANGUAGE, "IsKingPiece", place=k), leaf(LANGUAGE, "ERC", value=k + 1.0),
             leaf(LANGUAGE, "Zero"))
        for k in range(4)
    ]  # fmt: skip
    tree = parts[0]
    for part in parts[1:]:
        tree = join(LANGUAGE, "Plus", tree, part)
    (found,) = [maps(one) for one in sums(tree)]
    assert found == {"IsKingPiece": {0: 1.0, 1: 2.0, 2: 3.0, 3: 4.0}}
    rows = grid(32)
    assert len(rows) == 8 and sorted(k for row in rows for k in row if k >= 0) == list(range(32))
    assert text_map(found["IsKingPiece"], rows).splitlines()[-1].split() == ["4", "3", "2", "1"]
    assert svg_map("x < y", found["IsKingPiece"], rows).count("<rect") == 64
    assert grid(7) is None and grid(50) is not None and len(grid(64)) == 8
