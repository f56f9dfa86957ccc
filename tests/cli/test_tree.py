"""`ludwin tree`: figures, JSON, pictures, and what is refused."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from ludwin.cli import doors
from ludwin.errors import BadParameter


def run(*words):
    """Run the command in plain mode."""
    module, options = doors.read(["tree", *words, "--seed", "3", "--mode", "plain"])
    assert module.run(options) == 0


def test_figures_name_the_moves_of_the_most_visited_line(capsys):
    run("fop:f=5,t=0.01", "mcts:playouts=200", "--from", "2:3")
    said = capsys.readouterr().out
    assert "200 playouts, " in said and "ends of the game" in said
    assert "most visited line: " in said and ("left (" in said or "right (" in said)


def test_json_holds_the_whole_tree_and_the_evolution(capsys):
    run("fop:t=0.01", "ea-mcts:playouts=200,generations=1,samples=10", "--json")
    out = capsys.readouterr().out
    data = json.loads(out)
    assert data["visits"][0] == 200 and len(data["parents"]) == data["nodes"] and data["agent"].startswith("ea-mcts:")
    assert len(data["evolution"]["individuals"]) == 5
    assert out.count("\n") == 1


def test_pictures_are_complete_files(tmp_path, capsys):
    for name in ("tree.svg", "tree.png"):
        run("tic-tac-toe", "mcts:playouts=100", "--svg", str(tmp_path / name), "--nodes", "20")
    assert ElementTree.parse(tmp_path / "tree.svg").getroot().tag.endswith("svg")
    assert (tmp_path / "tree.png").read_bytes()[1:4] == b"PNG"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["tree.png", "tree.svg"]
    assert f"drawn to {tmp_path / 'tree.png'}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("nim", "alphabeta"), "grows no statistical tree"),
        (("kuhn-poker", "uct", "--moves", "K J"), "16 worlds of kuhn-poker"),
        (("nim", "mcts", "--nodes", "0"), "at least 1"),
        (("nim", "mcts", "--svg", "tree.gif"), "ends with .svg or .png"),
        (("nim", "mcts", "--svg", "nowhere/tree.svg"), "there is no folder 'nowhere' to write 'tree.svg' to"),
    ],
)
def test_nonsense_is_refused_with_a_reason(words, reason):
    with pytest.raises(BadParameter, match=reason):
        run(*words)
