"""A program as a picture: its tree in SVG.

The idea.  Every subtree is laid out by itself and then pushed to the right until it clears what stands to
its left, level by level; a parent stands above the middle of its children.  That is the contour
method of Reingold and Tilford, with boxes as wide as their texts.  What never runs (introns) is grey.
Where a level is crowded the tree is wide, so wide trees are laid on their side: names then need one line each.

References.  E. Reingold and J. Tilford, "Tidier drawings of trees", IEEE Transactions on Software
Engineering 7 (1981), 223-228.
"""

from collections.abc import Callable
from dataclasses import dataclass
from xml.sax.saxutils import escape

from ludwin.program.tree import Tree

SIZE = 13  # of the letters
LETTER = 0.62 * SIZE  # how wide one is, about
HEIGHT = SIZE + 9
GAP = 10  # between two boxes of a level
STEP = 54  # from one level to the next, upright
BETWEEN = 38  # from one level to the next, on its side
MARGIN = 14
WIDEST = 1400  # wider trees are laid on their side
COLOURS = {  # fill, border
    "function": ("#e8eefc", "#4a6fb5"),
    "test": ("#fdf0dc", "#b98324"),
    "input": ("#e4f5e8", "#3d8a55"),
    "action": ("#fbe3e4", "#b5484f"),
    "constant": ("#ffffff", "#888888"),
    "intron": ("#f4f4f4", "#cccccc"),
}
LEGEND = {
    "function": "number",
    "test": "truth",
    "input": "reads the position",
    "action": "acts",
    "constant": "constant",
    "intron": "intron: never runs",
}


@dataclass(frozen=True)
class _Box:
    text: str
    kind: str
    x: float  # its middle
    y: float
    width: float


def short(number: float) -> str:
    """Return a number in four figures at most, as a picture has room for.

    >>> short(3.0), short(-0.123456), short(12345.678)
    ('3', '-0.1235', '12350')
    """
    rounded = float(f"{number:.4g}")
    return str(int(rounded)) if abs(rounded) < 1e6 and rounded == int(rounded) else repr(rounded)


def label(tree: Tree, at: int) -> str:
    """Return what stands in the box of a node: its name, constant or place, and factor."""
    primitive = tree.primitive(at)
    if primitive.is_constant and primitive.has_value:
        text = short(tree.values[at])
    elif primitive.has_value:
        text = f"{primitive.name} {short(tree.values[at])}"
    elif primitive.places:
        text = f"{primitive.name} [{tree.places[at]}]"
    else:
        text = primitive.name
    return text if tree.factors[at] == 1.0 else f"{text} ×{short(tree.factors[at])}"


def kind(tree: Tree, at: int) -> str:
    """Return which sort of node it is; the picture colours by it."""
    primitive = tree.primitive(at)
    if at not in tree.live:
        return "intron"
    if primitive.acts:
        return "action"
    if primitive.reads:
        return "input"
    if not primitive.takes:
        return "constant"
    return "test" if tree.language.is_truth(primitive.returns) else "function"


def svg(tree: Tree, title: str = "") -> str:
    """Return the picture of a program as SVG text."""
    widths = [LETTER * len(label(tree, at)) + 12 for at in range(len(tree))]
    across = _layout(tree, lambda at: widths[at] / 2 + GAP / 2)
    turned = max(across[at] + widths[at] / 2 for at in range(len(tree))) > WIDEST
    top = MARGIN + (SIZE + 12 if title else 0)
    if turned:
        down = _layout(tree, lambda at: HEIGHT / 2 + 2)
        columns = _columns(tree, widths)
        boxes = [
            _Box(label(tree, at), kind(tree, at), columns[tree.levels[at]] + widths[at] / 2, top + down[at], widths[at])
            for at in range(len(tree))
        ]
    else:
        boxes = [
            _Box(
                label(tree, at),
                kind(tree, at),
                MARGIN + across[at],
                top + HEIGHT / 2 + STEP * tree.levels[at],
                widths[at],
            )
            for at in range(len(tree))
        ]
    return _page(tree, boxes, title, turned)


def _layout(tree: Tree, half: Callable[[int], float]) -> list[float]:
    """Return where each node stands along its level; `half` is how much room it needs to each side."""
    offset = [0.0] * len(tree)  # from the parent
    contours: dict[int, tuple[list[float], list[float]]] = {}
    # Step 1. From the leaves up: put the subtrees of a node side by side, close, but clear of each other.
    for at in range(len(tree) - 1, -1, -1):
        places: list[float] = []
        left: list[float] = []
        right: list[float] = []
        children = list(tree.children(at))
        for child in children:
            child_left, child_right = contours.pop(child)
            shift = max((end - start for end, start in zip(right, child_left, strict=False)), default=0.0)
            places.append(shift)
            left += [shift + x for x in child_left[len(left) :]]
            right = [shift + x for x in child_right] + right[len(child_right) :]
        middle = (places[0] + places[-1]) / 2 if places else 0.0
        for child, place in zip(children, places, strict=True):
            offset[child] = place - middle
        contours[at] = [-half(at)] + [x - middle for x in left], [half(at)] + [x - middle for x in right]
    # Step 2. From the root down: add up the offsets.
    place_of = [0.0] * len(tree)
    for at in range(len(tree)):
        for child in tree.children(at):
            place_of[child] = place_of[at] + offset[child]
    least = min(place_of[at] - half(at) for at in range(len(tree)))
    return [place - least for place in place_of]


def _columns(tree: Tree, widths: list[float]) -> list[float]:
    """Return where each level begins in a tree that lies on its side."""
    starts = [float(MARGIN)]
    for level in range(tree.depth):
        widest = max(widths[at] for at in range(len(tree)) if tree.levels[at] == level)
        starts.append(starts[-1] + widest + BETWEEN)
    return starts


def _page(tree: Tree, boxes: list[_Box], title: str, turned: bool) -> str:
    seen = [name for name in COLOURS if any(box.kind == name for box in boxes)]
    bottom = max(box.y for box in boxes) + HEIGHT / 2 + 30
    wide = max(
        [
            max(box.x + box.width / 2 for box in boxes) + MARGIN,
            2 * MARGIN + LETTER * len(title),
            60 + sum(34 + LETTER * len(LEGEND[k]) for k in seen),
        ]
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:.0f}" height="{bottom + MARGIN:.0f}" viewBox="0 0 '
        f'{wide:.0f} {bottom + MARGIN:.0f}" '
        f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="{SIZE}">',
        f"<title>{escape(title or tree.language.name)}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    if title:
        parts.append(f'<text x="{MARGIN}" y="{MARGIN + SIZE}" font-weight="bold">{escape(title)}</text>')
    edges = [(at, child) for at in range(len(tree)) for child in tree.children(at)]
    edges.sort(key=lambda edge: edge[1] in tree.live)  # what runs is drawn over what does not
    parts += [_line(boxes[at], boxes[child], turned) for at, child in edges]
    parts += [_draw(box) for box in boxes]
    x = float(MARGIN)
    for name in seen:
        fill, border = COLOURS[name]
        parts.append(
            f'<rect x="{x:.1f}" y="{bottom - 12:.1f}" width="12" height="12" rx="3" fill="{fill}" stroke="{border}"/>'
        )
        parts.append(f'<text x="{x + 17:.1f}" y="{bottom - 1:.1f}" fill="#555555">{LEGEND[name]}</text>')
        x += 34 + LETTER * len(LEGEND[name])
    return "\n".join([*parts, "</svg>"]) + "\n"


def _line(parent: _Box, child: _Box, turned: bool) -> str:
    colour = "#cccccc" if child.kind == "intron" else "#777777"
    if turned:
        x1, y1, x2, y2 = parent.x + parent.width / 2, parent.y, child.x - child.width / 2, child.y
        clear = x2 - BETWEEN  # behind the widest box of the level: nothing is in the way from there
        path = f"M{x1:.1f} {y1:.1f}H{clear:.1f}C{x2 - 4:.1f} {y1:.1f} {clear + 4:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
    else:
        path = f"M{parent.x:.1f} {parent.y + HEIGHT / 2:.1f}L{child.x:.1f} {child.y - HEIGHT / 2:.1f}"
    return f'<path d="{path}" fill="none" stroke="{colour}"/>'


def _draw(box: _Box) -> str:
    fill, border = COLOURS[box.kind]
    ink = "#999999" if box.kind == "intron" else "#111111"
    return (
        f'<rect x="{box.x - box.width / 2:.1f}" y="{box.y - HEIGHT / 2:.1f}" width="{box.width:.1f}" '
        f'height="{HEIGHT}" rx="5" fill="{fill}" stroke="{border}"/>'
        f'<text x="{box.x:.1f}" y="{box.y + SIZE * 0.35:.1f}" text-anchor="middle" '
        f'fill="{ink}">{escape(box.text)}</text>'
    )
