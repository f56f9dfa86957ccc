"""A champion for people: formula, sums as tables, heat maps of boards, a glossary of its words.

Why it is here.  A program of a hundred nodes is an answer only if somebody can read it.  Experiments whose genomes are
programs tell these facts of a champion, in text for `ludwin show` and in HTML for the report of a run.
"""

from collections.abc import Sequence
from html import escape
from typing import Any

from ludwin.program.heat import grid, maps, svg_map, text_map
from ludwin.program.readable import NOT_EXACT, Sum, infix, number, reading, sums
from ludwin.program.simplify import simplify
from ludwin.program.tree import Tree

ROWS = 60  # of a printed table


def formulas(program: Tree) -> dict[str, Any]:
    """Return the program as people read it: its exact structure with few digits, and collected by algebra."""
    return {
        "formula": infix(simplify(program)),
        f"algebra ({NOT_EXACT})": reading(simplify(program, rounding=True)),
        "sums": [_as_json(one) for one in sums(simplify(program, rounding=True))],
        "heat maps": _text_maps(program),
        "glossary": "\n".join(f"{name}: {words}" for name, words in glossary(program).items()),
    }


def glossary(program: Tree) -> dict[str, str]:
    """Return the words that the live part of a program uses, each with its meaning."""
    used = sorted({program.nodes[at] for at in program.live})
    known = [program.language.primitives[k] for k in used]
    return {one.name: f"{one.help}{' (' + one.rule + ')' if one.rule and one.takes else ''}" for one in known}


def _as_json(one: Sum) -> dict[str, Any]:
    rows = [{"coefficient": part.coefficient, "term": part.text} for part in one.parts]
    return {"where": one.where or "always", "constant": one.constant, "rows": rows}


def _places(program: Tree) -> dict[str, int]:
    return {one.name: one.places for one in program.language.primitives}


def _text_maps(program: Tree) -> str:
    texts, places = [], _places(program)
    for one in sums(program):
        for name, weights in maps(one).items():
            rows = grid(places[name])
            if rows:
                texts.append(f"{name}{', ' + one.where if one.where else ''}\n{text_map(weights, rows)}")
    return "\n\n".join(texts)


def in_html(program: Tree) -> str:
    """Return the same as a part of a page: heat maps, tables, formulas, glossary."""
    parts, places = [], _places(program)
    simple = simplify(program, rounding=True)
    found = sums(simple)
    boards = []
    for one in found:
        for name, weights in maps(one).items():
            rows = grid(places[name])
            if rows:
                boards.append(svg_map(f"{name}{', where ' + one.where if one.where else ''}", weights, rows))
    if boards:
        parts.append('<div class="picture">' + "\n".join(boards) + "</div>")
    for one in found:
        parts.append(f"<h3>{'Where ' + escape(one.where) if one.where else 'As a sum'}</h3>")
        parts.append(_table(one))
    parts.append(f"<h3>As a formula</h3><pre>{escape(infix(simplify(program)))}</pre>")
    parts.append(f"<p>Collected by algebra, {NOT_EXACT}:</p><pre>{escape(reading(simple))}</pre>")
    words = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in glossary(program).items())
    parts.append(f"<h3>Its words</h3><dl>{words}</dl>")
    return "\n".join(parts)


def _table(one: Sum) -> str:
    drawn = set(maps(one))
    rows = [part for part in one.parts if part.terminal not in drawn or part.place < 0]
    cells = "".join(
        f'<tr><td class="number">{number(part.coefficient)}</td><td>{escape(part.text)}</td></tr>' for part in rows
    )
    if one.constant:
        cells += f'<tr><td class="number">{number(one.constant)}</td><td>(constant)</td></tr>'
    return f"<table><tr><th>weight</th><th>of</th></tr>{cells}</table>"


def sum_lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the sums that `formulas` found as lines of text."""
    lines = []
    for one in rows:
        lines.append(f"{one['where']}:")
        for row in one["rows"][:ROWS]:
            lines.append(f"  {number(row['coefficient']):>10}  {row['term']}")
        if len(one["rows"]) > ROWS:
            lines.append(f"  … and {len(one['rows']) - ROWS} more (--json has all)")
        if one["constant"]:
            lines.append(f"  {number(one['constant']):>10}  (constant)")
    return lines
