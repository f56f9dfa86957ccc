"""Games as pages and pictures: board by board in one HTML file, the curve of an analysis, the result of a match.

Why it is here.  A game that is sent to a friend, or put beside a paper, should open anywhere: one file, no network, no
program but a browser.  Pictures are the games' own (`State.picture`); light and dark follow the reader.  Without
scripts the page shows all boards one below another.
"""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from ludwin.arena.analysis import GameAnalysis
from ludwin.arena.replay import Event, named, states
from ludwin.arena.results import Outcome, match_text
from ludwin.errors import BadParameter
from ludwin.files import write_whole
from ludwin.game import State
from ludwin.svg import Sheet, dressed, marked, styles

LARGEST = 2**26  # bytes of a page

STYLE = """
:root{color-scheme:light dark;--ground:#faf9f6;--ink:#26292d;--quiet:#62676e;--line:#cdc9bf;--mark:#e6c95c}
@media (prefers-color-scheme:dark){:root{--ground:#1b1d20;--ink:#e6e4de;--quiet:#a3a7ad;--line:#474b51;--mark:#8d7822}}
body{margin:1.5rem auto;max-width:64rem;padding:0 1rem;font:16px/1.5 system-ui,sans-serif;background:var(--ground);
color:var(--ink)}
h1{font-size:1.3rem;margin:0 0 .2rem}p{margin:.1rem 0 .3rem;color:var(--quiet)}
.game{display:flex;flex-wrap:wrap;gap:1.5rem;align-items:flex-start}.board svg{max-width:100%;height:auto}
.step{margin:0 0 1rem}.step figcaption{color:var(--quiet)}
button{font:inherit;min-width:2.6rem;min-height:2.6rem;border:1px solid var(--line);border-radius:6px;background:none;
color:inherit}
ol{margin:0;padding-left:2.2rem;max-height:32rem;overflow:auto;columns:2 8rem;min-width:17rem}
li{cursor:pointer;padding:0 .3rem}
li[aria-current]{background:var(--mark);border-radius:4px}
table{border-collapse:collapse}td,th{padding:.15rem .7rem;text-align:right;border-bottom:1px solid var(--line)}
td:first-child,th:first-child{text-align:left}
"""
SCRIPT = """
const steps=[...document.querySelectorAll('.step')],items=[...document.querySelectorAll('li[data-to]')];
let at=0;
function go(n){at=Math.max(0,Math.min(steps.length-1,n));steps.forEach((s,k)=>s.hidden=k!==at);
items.forEach(i=>{const on=+i.dataset.to===at;
on?i.setAttribute('aria-current','step'):i.removeAttribute('aria-current');
if(on)i.scrollIntoView({block:'nearest'})});document.getElementById('at').textContent=at+' / '+(steps.length-1);
history.replaceState(null,'','#'+at)}
document.querySelectorAll('[data-by]').forEach(b=>b.onclick=()=>go(b.dataset.by==='first'?0:
b.dataset.by==='last'?steps.length-1:at+ +b.dataset.by));
items.forEach(i=>i.onclick=()=>go(+i.dataset.to));
addEventListener('keydown',e=>{const by={ArrowLeft:-1,ArrowRight:1}[e.key];if(by){e.preventDefault();go(at+by)}
if(e.key==='Home')go(0);if(e.key==='End')go(steps.length-1)});
document.querySelector('nav').hidden=false;go(+location.hash.slice(1)||0);
"""


def pictures(states: Sequence[State], codes: Sequence[int]) -> list[str]:
    """Return a picture of every position, with the places of the last move marked."""
    found = []
    for ply, state in enumerate(states):
        places = states[ply - 1].places(codes[ply - 1]) if ply else []
        found.append(marked(state.picture(), dict.fromkeys(places, "mark")))
    return found


def page(title: str, lines: Sequence[str], body: str, script: str = "") -> str:
    """Return a whole HTML file: a heading, lines below it, and a body; colours are those of our pictures."""
    about = "".join(f"<p>{escape(line)}</p>" for line in lines)
    end = f"<script>{script}</script>" if script else ""
    text = (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}{styles()}</style></head>\n'
        f"<body><h1>{escape(title)}</h1>{about}\n{body}\n{end}</body></html>\n"
    )
    if len(text) > LARGEST:
        raise BadParameter(f"the page would have {len(text) >> 20} MB; show fewer plies")
    return text


def game_page(title: str, lines: Sequence[str], boards: Sequence[str], moves: Sequence[str], more: str = "") -> str:
    """Return a page that steps through a game: buttons, arrow keys, a list of moves; `more` follows below."""
    captions = ["the start", *(f"{ply}. {move}" for ply, move in enumerate(moves, 1))]
    steps = "".join(
        f'<figure class="step"><figcaption>{escape(words)}</figcaption>{svg}</figure>'
        for words, svg in zip(captions, boards, strict=False)
    )
    listed = "".join(f'<li data-to="{ply}">{escape(move)}</li>' for ply, move in enumerate(moves, 1))
    words = (("first", "|<", "first"), ("-1", "<", "back"), ("1", ">", "on"), ("last", ">|", "last"))
    buttons = "".join(
        f'<button data-by="{by}" aria-label="{label}">{escape(text)}</button> ' for by, text, label in words
    )
    nav = f'<nav hidden>{buttons}<span id="at" aria-live="polite"></span></nav>'
    body = f'<div class="game"><div class="board">{nav}{steps}</div><ol>{listed}</ol></div>{more}'
    return page(title, lines, body, SCRIPT)


def write_pictures(path: Path, boards: Sequence[str]) -> list[Path]:
    """Write one SVG file for each board: game.svg becomes game-000.svg, … if there are several."""
    found = []
    for number, svg in enumerate(boards):
        file = path if len(boards) == 1 else path.with_name(f"{path.stem}-{number:03}{path.suffix}")
        write_whole(file, dressed(svg))
        found.append(file)
    return found


def curve_svg(analysis: GameAnalysis, title: str = "") -> str:
    """Return the values of a game as a curve, to player 0; mistakes are marked and named."""
    values, wide, high, left, top = analysis.levels, 720, 220, 60, 34
    low, highest = min(*values, 0.0), max(*values, 0.0)
    span = highest - low or 1.0
    sheet = Sheet(wide + left + 20, high + top + 44, title or analysis.game.text)
    step = wide / max(len(values) - 1, 1)

    def place(ply: int, value: float) -> tuple[float, float]:
        return left + ply * step, top + high * (highest - value) / span

    unit = "payoff" if "points" not in analysis.units else "points"
    sheet.text(left, 16, f"{unit} to {analysis.names[0]}, by {analysis.agent}", "quiet", 12, anchor="start")
    for value in dict.fromkeys((low, 0.0, highest)):
        if value and abs(value) < 0.08 * span:
            continue  # its words would stand on those of 0
        y = place(0, value)[1]
        sheet.stroke(left, y, left + wide, y, "line")
        beyond = unit == "points" and value and "decided" in analysis.units and value not in analysis.values
        sheet.text(left - 8, y, "decided" if beyond else f"{value:.3g}", "quiet", 11, anchor="end")
    points = [place(ply, value) for ply, value in enumerate(values)]
    sheet.path("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points), line="first", thick=1.8)
    for fault in analysis.faults:
        x, y = points[fault.ply + 1]
        sheet.circle(x, y, 4, "bad", title=f"{fault.ply + 1}. {fault.move}: {fault.verdict}, best was {fault.best}")
    for ply in range(0, len(values), max(len(values) // 8, 1)):
        sheet.text(place(ply, 0)[0], top + high + 16, str(ply), "quiet", 11)
    if analysis.faults:
        sheet.circle(left + 4, top + high + 34, 4, "bad")
        sheet.text(left + 14, top + high + 34, "mistakes, missed wins and losing moves", "quiet", 11, anchor="start")
    return str(sheet)


def analysis_page(analysis: GameAnalysis, codes: Sequence[int]) -> str:
    """Return an analysed game as a page: the boards, the curve, and what went wrong."""
    rows = "".join(
        f"<tr><td>{fault.ply + 1}. {escape(fault.move)}</td><td>{escape(analysis.names[fault.player])}</td>"
        f"<td>{fault.verdict}</td><td>{fault.cost:.3g}</td><td>{escape(fault.best)}</td></tr>"
        for fault in analysis.faults
    )
    head = "<tr><th>move</th><th>by</th><th>verdict</th><th>cost</th><th>best was</th></tr>"
    table = f"<table>{head}{rows}</table>" if rows else "<p>No mistakes were found.</p>"
    texts = list(analysis.texts)
    for fault in analysis.faults:
        texts[fault.ply] += f"  ({fault.verdict})"
    lines = [" against ".join(analysis.names), f"analysed by {analysis.agent}"]
    more = f"<h1>Values</h1>{curve_svg(analysis)}{table}"
    return game_page(analysis.game.text, lines, pictures(analysis.states, codes), texts, more)


def match_page(outcome: Outcome, event: Event) -> str:
    """Return a match as a page: the result, a table of all games, and the first game board by board."""
    rows, first = [], None
    for _, record in event.games:
        first = first or record
        seats = [escape(event.agents[k]) for k in record.seats]
        worth = " : ".join(f"{value:g}" for value in record.payoffs)
        plies = record.course.ticks if record.course else len(record.moves)
        rows.append(
            f"<tr><td>{record.game}</td><td>{' : '.join(seats)}</td><td>{worth}</td><td>{plies}</td>"
            f"<td>{escape(record.end)}</td></tr>"
        )
    head = "<tr><th>game</th><th>players</th><th>payoffs</th><th>plies</th><th>end</th></tr>"
    table = f"<h1>All games</h1><table>{head}{''.join(rows)}</table>"
    lines = [line.strip() for line in match_text(outcome).splitlines()]
    title = f"{' against '.join(outcome.agents)} at {outcome.game}"
    if first is None or event.game.is_world:
        return page(title, lines, table)
    shown = list(states(event.game, first))
    texts = named(first, event.game)[len(first.opening) :]
    who = ", ".join(f"player {p} is {event.agents[k]}" for p, k in enumerate(first.seats))
    return game_page(title, [*lines, f"game 0: {who}"], pictures(shown, first.moves), texts, table)
