"""Pictures: a derivation as a page to read, and a tree with what the derived program never looked at.

Why it is here.  A proof of eighty lines convinces; a tree in which two thirds of the leaves are grey explains.
The page stands alone: HTML with SVG inside, no scripts, nothing loaded from elsewhere.
"""

from html import escape
from random import Random

from ludwin.discover.derivation import Derivation
from ludwin.discover.interpret import Interpreter, NoAnswer
from ludwin.discover.syntax import write_clause
from ludwin.discover.trees import Node, uniform, world

WIDTH, ROW = 900, 62


def looked_at(derivation: Derivation, node: Node) -> set[int]:
    """Return the leaves (by id) that a derived program looks at."""
    seen: set[int] = set()

    def note(leaf: Node) -> float:
        seen.add(id(leaf))
        return float(leaf.value if leaf.white or "mine" not in derivation.result.preds else -leaf.value)

    names = {"eval": note, "mine": note}
    pred = derivation.result.preds[derivation.entry]
    bounds = [float("-inf"), float("inf")][: pred.modes.count("in") - 1]
    Interpreter(derivation.result, world(tuple(names.items()))).call(derivation.entry, node, *bounds)
    return seen


ALIVE = 'class="lw-fill-first" fill="#1f5f8b"'  # the page has these classes in light and dark; elsewhere `fill` holds
CUT = 'class="lw-fill-quiet" fill="#c8c8c8"'


def tree_svg(node: Node, seen: set[int], title: str) -> str:
    """Return a tree as SVG: squares maximise, circles minimise, grey is what was cut."""
    places: dict[int, tuple[float, float]] = {}
    leaves = node.leaves()
    step = WIDTH / len(leaves)
    deepest = 0

    def place(at: Node, depth: int) -> float:
        nonlocal deepest
        deepest = max(deepest, depth)
        x = (
            (leaves.index(at) + 0.5) * step
            if at.is_leaf
            else sum(xs := [place(c, depth + 1) for c in at.children]) / len(xs)
        )
        places[id(at)] = (x, 34 + depth * ROW)
        return x

    place(node, 0)
    parts: list[str] = []

    def alive(at: Node) -> bool:
        return id(at) in seen if at.is_leaf else any(alive(c) for c in at.children)

    def draw(at: Node) -> None:
        x, y = places[id(at)]
        colour = ALIVE if alive(at) else CUT
        for child in at.children:
            cx, cy = places[id(child)]
            line = 'class="lw-line-first" stroke="#1f5f8b"' if alive(child) else 'class="lw-line-line" stroke="#dddddd"'
            dash = "" if alive(child) else ' stroke-dasharray="3 3"'
            parts.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{cx:.1f}" y2="{cy:.1f}" {line}{dash}/>')
            draw(child)
        if at.is_leaf:
            parts.append(
                f'<text x="{x:.1f}" y="{y + 4:.1f}" font-size="11" text-anchor="middle" {colour}>{at.value}</text>'
            )
        elif at.white:
            parts.append(f'<rect x="{x - 6:.1f}" y="{y - 6:.1f}" width="12" height="12" {colour}/>')
        else:
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" {colour}/>')

    draw(node)
    head = f'<text x="4" y="14" font-size="13" class="lw-fill-ink" fill="#333">{escape(title)}</text>'
    height = 60 + deepest * ROW
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif">{head}{"".join(parts)}</svg>'


def draw(derivation: Derivation, *, seed: int = 1, svg: bool = False) -> str:
    """Return the picture of a derivation: a page, or only the tree as SVG."""
    binary = any(goal.name == "l" for clause in derivation.result.clauses for goal in clause.goals)
    node = uniform(Random(seed), 2 if binary else 3, 4 if binary else 3, 100)
    try:
        seen = looked_at(derivation, node)
        total = len(node.leaves())
        picture = tree_svg(
            node, seen, f"{derivation.problem}: {len(seen)} of {total} leaves looked at; squares maximise, grey is cut"
        )
    except (KeyError, NoAnswer, TypeError):
        picture = ""  # the program is not about plain trees
    if svg:
        text = f'<text x="4" y="20">{escape(derivation.problem)}: no plain tree shows it</text>'
        return picture or f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} 40">{text}</svg>'
    rows = []
    for i, step in enumerate(derivation.steps):
        gone = "".join(f'<div class="gone">{escape(write_clause(c))}</div>' for c in step.removed)
        come = "".join(f'<div class="come">{escape(write_clause(c))}</div>' for c in step.added)
        rows.append(
            f"<tr><td>{i + 1}</td><td><b>{escape(step.rule)}</b><br>{escape(step.because)}<br>"
            f"<i>{escape(step.by)}</i></td><td>{gone}{come}</td></tr>"
        )
    style = (
        "body{font-family:sans-serif;max-width:1100px;margin:2em auto}td{vertical-align:top;border-top:1px solid "
        "#ddd;padding:4px 8px}"
    )
    style += ".gone{color:#a33;text-decoration:line-through}.come{color:#174}"
    style += ".gone,.come{font-family:monospace;font-size:12px}"
    title = escape(f"{derivation.problem}: {len(derivation.steps)} steps")
    seed_text = "\n".join(escape(write_clause(c)) for c in derivation.seed.clauses)
    result = "\n".join(escape(write_clause(c)) for c in derivation.result.clauses)
    return (
        f'<!doctype html><html lang="en"><meta '
        f'charset="utf-8"><title>{title}</title><style>{style}</style><h1>{title}</h1>{picture}'
        f"<h2>The plain program</h2><pre>{seed_text}</pre><h2>The steps</h2><table>{''.join(rows)}</table>"
        f"<h2>The derived program</h2><pre>{result}</pre></html>\n"
    )
