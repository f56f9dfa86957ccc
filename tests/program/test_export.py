"""An exported program is plain Python with the same bits; a picture shows every node."""

import ast
import xml.etree.ElementTree as ET

import pytest
from program_worlds import ARITHMETIC, CHECKERS, bits, guesses, programs

from ludwin.program.draw import kind, label, short, svg
from ludwin.program.export import python
from ludwin.program.text import read


def evaluate(text):
    space = {}
    exec(compile(text, "<exported>", "exec"), space)
    return space["evaluate"]


@pytest.mark.parametrize("language", [CHECKERS, ARITHMETIC], ids=lambda language: language.name)
def test_the_module_has_the_same_bits_and_does_not_need_us(language):
    for i, tree in enumerate(programs(language, 250, 1, depths=(1, 6))):
        text = python(tree, "lose-checkers", ["seed 7"])
        imported = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
        assert all(ast.unparse(node) == "import math" for node in imported) and "ludwin" not in text
        function = evaluate(text)
        for k in range(4):
            inputs = guesses(10 * i + k)
            assert bits([function(inputs)]) == bits([tree.evaluate(inputs)]), text


def test_it_reads_like_a_program():
    tree = read(
        CHECKERS,
        "IFT(LowerEqual(Mobility, 3.5), Plus(ManCount, 0.25), NullJ(MultERC[2.0](KingCount), IFT(True, One, "
        "EnemyManCount)))",
    )
    assert python(tree, "lose-checkers", ["seed 7"]).endswith("""

def evaluate(read):
    mobility = float(read('mobility', 0))
    men = float(read('men', 0))
    kings = float(read('kings', 0))
    if mobility <= 3.5:
        value = men + 0.25
    else:
        value = kings * 2.0
    return value
""")
    head = python(tree, "lose-checkers", ["seed 7"]).splitlines()
    assert head[:2] == ["# An evolved program for lose-checkers.", "# seed 7"] and any(
        "'mobility': the number of legal moves" in line for line in head
    )


def test_a_note_cannot_become_code():
    text = python(read(CHECKERS, "One"), "x\nimport os", ["a\nraise SystemExit"])
    assert [type(node) for node in ast.parse(text).body] == [ast.FunctionDef]


@pytest.mark.parametrize("levels", [40, 41, 99, 190])
@pytest.mark.parametrize(("before", "after"), [("", ", ManCount)"), ("ManCount, ", ")")], ids=["then", "else"])
def test_conditionals_one_in_the_other_are_deeper_than_python_indents(levels, before, after):
    head = f"IFT(LowerEqual(Mobility, 3.5), {before}"
    tree = read(CHECKERS, head * levels + "MultERC[2.0](KingCount)" + after * levels)
    function = evaluate(python(tree, "lose-checkers"))
    for k in range(8):
        inputs = guesses(k)
        assert bits([function(inputs)]) == bits([tree.evaluate(inputs)])


# The picture.


def drawn(tree, title=""):
    root = ET.fromstring(svg(tree, title))
    space = "{http://www.w3.org/2000/svg}"
    boxes = [rect for rect in root.iter(f"{space}rect") if rect.get("height") == "22"]
    texts = [text.text for text in root.iter(f"{space}text")]
    return root, boxes, texts


@pytest.mark.parametrize("depths", [(0, 2), (4, 6), (9, 9)])
def test_every_node_has_its_box_and_none_overlap(depths):
    for tree in programs(CHECKERS, 12, 2, depths=depths, grow=0.8):
        root, boxes, texts = drawn(tree)
        assert len(boxes) == len(tree)
        assert sorted(texts)[0] is not None and all(texts.count(label(tree, at)) >= 1 for at in range(len(tree)))
        spans = [tuple(float(box.get(name)) for name in ("x", "y", "width", "height")) for box in boxes]
        for x, y, width, height in spans:
            assert (
                x >= 0 and y >= 0 and x + width <= float(root.get("width")) and y + height <= float(root.get("height"))
            )
        for i, (x, y, width, height) in enumerate(spans):
            for other_x, other_y, other_width, other_height in spans[:i]:
                apart = (
                    x >= other_x + other_width
                    or other_x >= x + width
                    or y >= other_y + other_height
                    or other_y >= y + height
                )
                assert apart, "two boxes overlap"


def test_introns_are_grey_and_texts_are_escaped():
    tree = read(CHECKERS, "NullJ(MultERC[0.123456]{1.5}(IFT(IsManPiece[3], One, -2.0)), Mobility)")
    _, boxes, texts = drawn(tree, "A <champion> & its tree")
    assert [kind(tree, at) for at in range(len(tree))] == [
        "function",
        "function",
        "function",
        "input",
        "constant",
        "constant",
        "intron",
    ]
    assert boxes[6].get("fill") == "#f4f4f4" and boxes[0].get("fill") != "#f4f4f4"
    assert {"A <champion> & its tree", "MultERC 0.1235 ×1.5", "IsManPiece [3]", "-2", "intron: never runs"} <= set(
        texts
    )
    assert short(float("inf")) == "inf"
