"""A key that leaves out what matters is found; one that leaves out a counter of a draw rule is not blamed."""

import pytest
from laws_toys import SPOILT

from ludwin import check, load
from ludwin.errors import RuleError


def write(folder, text, key):
    path = folder / "toy.py"
    assert text.count("KEY") == 1
    path.write_text(text.replace("KEY", key), encoding="utf8")
    return str(path)


@pytest.mark.parametrize("toy", SPOILT)
def test_an_honest_key_passes(toy, tmp_path):
    text, key, _ = SPOILT[toy]
    for seed in range(3):
        check(load(write(tmp_path, text, key)), 60, seed, searches=False)


@pytest.mark.parametrize(("toy", "lack"), [(toy, lack) for toy, (_, _, lacks) in SPOILT.items() for lack in lacks])
def test_a_key_is_found_that_leaves_out(toy, lack, tmp_path):
    text, _, lacks = SPOILT[toy]
    key, words = lacks[lack]
    for seed in range(3):
        with pytest.raises(RuleError, match="two positions share the key") as caught:
            check(load(write(tmp_path, text, key)), 60, seed, searches=False)
        assert words in str(caught.value)
        assert caught.value.line == text[: text.index("def key(s)")].count("\n") + 1


# The package's own games, one part of whose key is cut out.
CUT = {
    "connect four without the second player": ("connect_four", "mix(s.discs[0], s.discs[1])", "s.discs[0]"),
    "draughts without kings": ("draughts", "4 * s.kings + s.turn", "s.turn"),
    "draughts without the turn": ("draughts", "4 * s.kings + s.turn", "4 * s.kings"),
    "draughts without one side": ("draughts", "mix(s.pieces[0], s.pieces[1])", "s.pieces[0]"),
    "pig without the points of this turn": ("pig", "mix(s.total, 4 * s.turn", "mix(0, 4 * s.turn"),
    "pig without the turn": ("pig", "4 * s.turn + 2 * s.rolling", "2 * s.rolling"),
    "pig without the die": ("pig", "4 * s.turn + 2 * s.rolling", "4 * s.turn"),
    "pig with the scores in any order": ("pig", "        h = mix(h, s.scores[p])", "        h += s.scores[p]"),
}
ADDED = {  # games without a key get one
    "nim without the turn": ("nim", "return s.heap"),
    "tic-tac-toe without the second player": ("tic_tac_toe", "return s.marks[0]"),
    "tic-tac-toe without who is who": ("tic_tac_toe", "return s.marks[0] | s.marks[1]"),
    "reversi without colours": ("reversi", "return s.discs[0] | s.discs[1]"),
    "heaps in any order": (
        "li_nim",
        "h = 0\n    for k in range(HEAPS):\n        h += s.heaps[k]\n    return 3 * h + s.turn",
    ),
}


@pytest.mark.parametrize("name", [*CUT, *ADDED])
def test_a_spoilt_key_of_our_own_games_is_found(name, tmp_path):
    if name in CUT:
        game, old, new = CUT[name]
        text = load(game).source.text
        assert text.count(old) == 1
        text = text.replace(old, new)
    else:
        game, body = ADDED[name]
        text = load(game).source.text + f"\n\ndef key(s):\n    {body}\n"
    path = tmp_path / f"{game}.py"
    path.write_text(text, encoding="utf8")
    with pytest.raises(RuleError, match="two positions share the key"):
        check(load(str(path)), 60, searches=False)
