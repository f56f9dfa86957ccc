"""Words that several doors understand, spelled once.

Why it is here.  A user who has learnt `--preset quick` or `--mode checked` from one command knows them for all.
"""

MODES = ("plain", "checked", "fast")  # how rules and searches are run; slowest and most careful first
EVENTS = ("round-robin", "gauntlet", "swiss", "knockout")  # who meets whom
PRESETS = ("quick", "standard", "paper")  # how much work a run is
VERDICTS = ("reproduced", "beaten", "below", "differs", "measured")  # what a row of a table says


def aligned(columns: list[str], rows: list[list[str]], right: tuple[int, ...] = ()) -> str:
    """Return a table as text in columns, those of `right` numbers; nothing is ever cut.

    >>> print(aligned(["agent", "score"], [["uct", "0.7"], ["random", "0.25"]], right=(1,)))
    agent   score
    uct       0.7
    random   0.25
    """
    widths = [max(len(row[i]) for row in [columns, *rows]) for i in range(len(columns))]
    lines = []
    for row in [columns, *rows]:
        cells = (c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True)))
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


NARROW = 28  # columns that a text needs to be read


def laid_out(columns: list[str], rows: list[list[str]], right: tuple[int, ...], width: int) -> str:
    """Return a table for a screen that is too narrow for it: no word of it is cut, and no line is wider.

    A text in the last column goes on below itself.  Where that does not help the name of a row stands on a line
    of its own, above its figures; and where even that is too wide, each figure has its word before it.

    >>> print(laid_out(["agent", "score", "95 %"], [["uct:playouts=1000", "0.7", "[0.6, 0.8]"]], (1,), 20))
    agent
      score  95 %
    uct:playouts=1000
        0.7  [0.6, 0.8]
    """
    text = aligned(columns, rows, right)
    if max(map(len, text.splitlines())) <= width:
        return text
    last = len(columns) - 1
    widths = [max(len(row[i]) for row in [columns, *rows]) for i in range(len(columns))]
    room = width - sum(widths[:-1]) - 2 * last
    if last and room >= NARROW and last not in right:
        return "\n".join(_hanging(line, widths[:-1], room, right) for line in [columns, *rows])
    name = next((i for i in range(len(columns)) if i not in right), 0)
    others = [i for i in range(len(columns)) if i != name]
    figures = aligned(
        [columns[i] for i in others],
        [[row[i] for i in others] for row in rows],
        tuple(k for k, i in enumerate(others) if i in right),
    ).splitlines()
    if max(map(len, figures)) + 2 <= width:
        heads = [row[name] for row in [columns, *rows]]
        return "\n".join(f"{head}\n  {line}" for head, line in zip(heads, figures, strict=True))
    cards = []
    for row in rows:
        said = [f"{columns[i]} {row[i]}".strip() for i in others if row[i]]
        cards.append("\n".join([row[name], *_wrapped(said, width)]))
    return "\n".join(cards)


def _hanging(row: list[str], widths: list[int], room: int, right: tuple[int, ...]) -> str:
    """Return a row whose last cell goes on below itself."""
    import textwrap

    cells = [c.rjust(w) if i in right else c.ljust(w) for i, (c, w) in enumerate(zip(row, widths, strict=False))]
    head = "  ".join(cells) + "  "
    lines = textwrap.wrap(row[-1], room, break_on_hyphens=False) or [""]
    return "\n".join((head if number == 0 else " " * len(head)) + line for number, line in enumerate(lines)).rstrip()


def _wrapped(parts: list[str], width: int) -> list[str]:
    """Return parts of a sentence in lines, indented; a part stays whole where it fits a line."""
    import textwrap

    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + 2 + len(part) <= width:
            lines[-1] += f"  {part}"
        else:
            lines += textwrap.wrap(part, width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)
    return lines


def described(rows: list[tuple[str, str, str]], width: int) -> str:
    """Return a list of things, each with a sentence and a remark below it; words are never cut.

    >>> print(described([("nim", "take counters", "2 players")], 40))
    nim  take counters
         2 players
    """
    import textwrap

    column = max((len(name) for name, _, _ in rows), default=0) + 2
    lines = []
    for name, about, remark in rows:
        told = [
            line for text in (about, remark) for line in textwrap.wrap(text, width - column, break_on_hyphens=False)
        ]
        lines += [f"{name if number == 0 else '':<{column}}{line}" for number, line in enumerate(told or [""])]
    return "\n".join(line.rstrip() for line in lines)


def html_table(title: str, columns: list[str], rows: list[list[str]], right: tuple[int, ...] = ()) -> str:
    """Return a table for a notebook or a page: every cell is text, whatever letters it has.

    >>> html_table("", ["a"], [["<b>"]])
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    from html import escape

    numbers = ' style="text-align:right"'

    def line(cells: list[str], tag: str) -> str:
        made = (f"<{tag}{numbers if k in right else ''}>{escape(cell)}</{tag}>" for k, cell in enumerate(cells))
        return f"<tr>{''.join(made)}</tr>"

    caption = f"<caption>{escape(title)}</caption>" if title else ""
    body = "".join(line(row, "td") for row in rows)
    return f"<table>{caption}<thead>{line(columns, 'th')}</thead><tbody>{body}</tbody></table>"
