"""Drawings of an interval of [0, 1]."""

from ludwin.games.fop.rules import DEPTH, K, value
from ludwin.svg import Sheet

_WIDE, _HIGH, _LEFT, _TOP = 480, 180, 34, 16


def show(s):
    width = K**s.depth
    left, right = int(64 * s.index / width), max(int(64 * (s.index + 1) / width), int(64 * s.index / width) + 1)
    bar = "." * left + "#" * (right - left) + "." * (64 - right)
    middle = (s.index + 0.5) / width
    paid = f", paid {s.reward}" if s.reward >= 0 else ""
    return (
        f"{bar}\n[{s.index / width:g}, {(s.index + 1) / width:g}], middle {middle:.6g}, f there "
        f"{value(middle):.6g}{paid}"
    )


def picture(s):
    sheet = Sheet(_WIDE + _LEFT + 20, _HIGH + _TOP + 62, "function optimisation")
    width = K**s.depth
    left, right = s.index / width, (s.index + 1) / width
    parts = K if s.depth < DEPTH and s.reward < 0 else 0
    for k in range(parts):  # the moves: the parts of the interval, one of which is kept
        a, b = left + k * (right - left) / K, left + (k + 1) * (right - left) / K
        fill = ("mark", "free")[k % 2]
        word = ("left", "right")[k] if K == 2 else str(k + 1)
        x, wide = _LEFT + a * _WIDE, max((b - a) * _WIDE, 1.0)
        sheet.rect(x, _TOP, wide, _HIGH, fill, opacity=0.35, move=word, title=f"keep [{a:g}, {b:g}]")
    curve = [(k / _WIDE, value(k / _WIDE)) for k in range(_WIDE + 1)]
    points = [f"{_LEFT + x * _WIDE:.1f} {_TOP + _HIGH * (1 - y):.1f}" for x, y in curve]
    sheet.path("M" + "L".join(points), line="first", thick=1.2)
    middle = (left + right) / 2
    sheet.stroke(_LEFT + middle * _WIDE, _TOP, _LEFT + middle * _WIDE, _TOP + _HIGH, "second", thick=1.4)
    for y in (0, 0.5, 1):
        sheet.text(_LEFT - 6, _TOP + _HIGH * (1 - y), f"{y:g}", "quiet", 11, anchor="end")
    for x in (0, 0.25, 0.5, 0.75, 1):
        sheet.text(_LEFT + x * _WIDE, _TOP + _HIGH + 12, f"{x:g}", "quiet", 11)
    sheet.stroke(_LEFT, _TOP + _HIGH, _LEFT + _WIDE, _TOP + _HIGH, "line")
    paid = f", paid {s.reward}" if s.reward >= 0 else ""
    words = f"[{left:g}, {right:g}], middle {middle:.6g}, f there {value(middle):.6g}{paid}"
    sheet.text(_LEFT, _TOP + _HIGH + 38, words, size=13, anchor="start")
    return str(sheet)
