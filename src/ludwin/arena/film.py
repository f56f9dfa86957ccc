"""A plan as a film: all its positions in one moving picture, or on a page that can be stepped through.

Why it is here.  A plan of fifty moves is read move by move and understood by watching.  Frames are the game's own
`picture`s, so every game that has one has films.
"""

import re
from collections.abc import Sequence
from html import escape

from ludwin.game import State

FRAME_SECONDS = 0.7
REST_SECONDS = 2.0


def frames(states: Sequence[State]) -> list[str]:
    """Return the pictures of positions without their first line for XML. Raises CannotPlay if the game has none."""
    return [re.sub(r"^\s*<\?xml[^>]*\?>\s*", "", state.picture()).strip() for state in states]


def animation(states: Sequence[State]) -> str:
    """Return the text of an SVG file in which the positions follow each other, again and again."""
    pictures = frames(states)
    head = re.match(r"<svg\b[^>]*>", pictures[0])
    opening = head[0] if head else "<svg>"
    whole = FRAME_SECONDS * len(pictures) + REST_SECONDS
    parts = [opening]
    for number, picture in enumerate(pictures):
        begin, end = FRAME_SECONDS * number / whole, FRAME_SECONDS * (number + 1) / whole
        body = re.sub(r"^<svg\b[^>]*>|</svg>\s*$", "", picture)
        last = number == len(pictures) - 1
        times = (
            ["0", f"{begin:.6f}", *([] if last else [f"{end:.6f}"])]
            if number
            else ["0", *([] if last else [f"{end:.6f}"])]
        )
        shows = (["hidden"] if number else []) + ["visible"] + ([] if last else ["hidden"])
        turn = (
            f'<animate attributeName="visibility" dur="{whole:.2f}s" repeatCount="indefinite" calcMode="discrete" '
            f'keyTimes="{";".join(times)}" values="{";".join(shows)}"/>'
        )
        hidden = ' visibility="hidden"' if number else ""
        parts.append(f"<g{hidden}>{body if len(pictures) == 1 else turn + body}</g>")
    return "\n".join([*parts, "</svg>", ""])


def page(title: str, states: Sequence[State], moves: Sequence[str], remark: str = "") -> str:
    """Return a page on which a plan can be played and stepped through; it needs nothing from elsewhere."""
    slides = "\n".join(
        f"<figure{' hidden' if number else ''}>{picture}</figure>" for number, picture in enumerate(frames(states))
    )
    steps = "".join(
        f'<li value="{number}"><button type="button" data-to="{number}">{escape(move)}</button></li>'
        for number, move in enumerate(moves, 1)
    )
    return TEMPLATE.format(
        title=escape(title), remark=escape(remark), slides=slides, steps=steps, last=len(states) - 1, pause=700
    )


TEMPLATE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ font: 16px/1.4 sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em; color-scheme: light dark }}
figure {{ margin: 1em 0 }} figure svg {{ max-width: 100%; height: auto; max-height: 70vh }}
ol {{ display: flex; flex-wrap: wrap; gap: .3em 2.6em; padding-left: 2em }}
li button {{ font: inherit; border: 0; background: none; color: inherit; cursor: pointer }}
li button[aria-current] {{ font-weight: bold; text-decoration: underline }}
input {{ width: 20em; max-width: 60% }}
</style></head><body>
<h1>{title}</h1><p>{remark}</p>
<p><button type="button" id="play">Play</button>
<input type="range" id="at" min="0" max="{last}" value="0" aria-label="move"> <output id="now">0</output> of {last}</p>
{slides}
<ol>{steps}</ol>
<script>
const slides = document.querySelectorAll("figure"), steps = document.querySelectorAll("[data-to]");
const at = document.getElementById("at"), play = document.getElementById("play");
let timer = 0;
function go(n) {{
  slides.forEach((one, k) => {{ one.hidden = k != n }});
  steps.forEach(one => one.toggleAttribute("aria-current", one.dataset.to == n));
  at.value = n; document.getElementById("now").textContent = n;
}}
function stop() {{ clearInterval(timer); timer = 0; play.textContent = "Play"; }}
at.addEventListener("input", () => {{ stop(); go(+at.value); }});
steps.forEach(one => one.addEventListener("click", () => {{ stop(); go(+one.dataset.to); }}));
play.addEventListener("click", () => {{
  if (timer) return stop();
  if (+at.value == {last}) go(0);
  play.textContent = "Stop";
  timer = setInterval(() => {{ +at.value == {last} ? stop() : go(+at.value + 1); }}, {pause});
}});
addEventListener("keydown", event => {{
  const step = {{ArrowRight: 1, ArrowLeft: -1}}[event.key];
  if (step) {{ stop(); go(Math.min({last}, Math.max(0, +at.value + step))); }}
}});
</script></body></html>
"""
