"""What is remembered of a kernel's text is what gathering it anew would give, whatever lies in the cache."""

import json

import pytest

from ludwin import agent, load
from ludwin.kernel import brief, cache, text
from ludwin.kernel.specialise import _defaults, order
from ludwin.kernel.text import Kernel

AGENTS = ("uct:playouts=5", "alphabeta:depth=2", "ea-mcts:playouts=10", "expectimax:depth=1", "random")


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LUDWIN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "ludwin_seen"


def remembered(wanted):
    """Keep what is known of a text, as happens when its code is there."""
    brief.remember(wanted.new, wanted.brief)
    return wanted


def kernels():
    for name in ("nim", "pig"):
        for player in map(agent, AGENTS):
            game = load(name)
            yield game, player.seat(game).kernel


def test_a_remembered_text_names_the_same_code_as_a_gathered_one(own_cache):
    for game, kernel in kernels():
        gathered = brief.brief_of(kernel.text(_defaults(game, kernel)))
        assert order(game, kernel, "fast").brief == gathered
        remembered(order(game, kernel, "fast"))
        assert order(game, kernel, "fast").brief == gathered and not order(game, kernel, "fast").new


def test_a_warm_search_parses_no_kernel_text(own_cache, monkeypatch):
    game = load("nim")
    kernel = agent("ea-mcts:playouts=10").seat(game).kernel
    first = remembered(order(game, kernel, "fast")).name()
    monkeypatch.setattr(text, "_gather", lambda *_: pytest.fail("the text was gathered again"))
    assert order(game, kernel, "fast").name() == first


@pytest.mark.parametrize("spoilt", ["", "{", "[]", '{"source": 1}', '"text"', "\x00" * 20, "[" * 100_000])
def test_a_damaged_note_is_made_anew(own_cache, spoilt):
    game = load("nim")
    kernel = agent("uct:playouts=5").seat(game).kernel
    wanted = remembered(order(game, kernel, "fast")).brief
    (note,) = own_cache.glob("text-*")
    note.write_text(spoilt)
    assert remembered(order(game, kernel, "fast")).brief == wanted
    assert json.loads(note.read_text())["source"] == wanted.source


def test_another_function_bound_to_a_name_is_another_text(own_cache):
    game = load("nim")
    key = {
        eval_name: brief.remembered(agent(f"alphabeta:depth=2,order={eval_name}").seat(game).kernel, {})[0]
        for eval_name in ("rules", "noisy")
    }
    known = brief.remembered(Kernel("uct", agent("uct").seat(game).kernel.entry, bind={"guess": "observe"}), {})[0]
    assert known and known not in key.values()


def foreign(w):
    """A kernel of a test, or of a user's own agent."""
    return 0


def test_a_kernel_from_outside_our_rooms_is_always_read(own_cache):
    assert brief.remembered(Kernel("foreign", foreign), {}) == ("", None)
    assert (
        brief.remembered(Kernel("uct", agent("uct").seat(load("nim")).kernel.entry, bind={"guess": foreign}), {})[0]
        == ""
    )


def test_where_nothing_can_be_written_it_is_gathered_each_time(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "folder", lambda: tmp_path / "not" / "there")
    game = load("nim")
    kernel = agent("uct:playouts=5").seat(game).kernel
    assert order(game, kernel, "fast").brief == brief.brief_of(kernel.text(_defaults(game, kernel)))
