"""Tanks as people see them: the field in letters, as a picture, and a battle as a page that plays it."""

import json
import math
from html import escape

from ludwin.games.tanks.rules import HEIGHT, ROBOTS, ROUNDS, WIDTH
from ludwin.svg import COLOURS, Sheet, player

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"
_ARROWS = "^/>\\v/<\\"
_WIDE, _HIGH = 64, 20  # cells of the field in letters
_DEAD, _FLYING = 3, 1
_MARGIN, _LINE = 10, 18


def _cell(x, y):
    column, row = int(x * _WIDE / WIDTH), int((HEIGHT - y) * _HIGH / HEIGHT)
    return min(max(row, 0), _HIGH - 1), min(max(column, 0), _WIDE - 1)


def show(s):
    """The field from above: robots as letters with an arrow where the gun points, bullets as dots."""
    rows = [[" "] * _WIDE for _ in range(_HIGH)]
    for k in range(s.bullets):
        if s.bullet[k] == _FLYING:
            row, column = _cell(s.bullet_x[k], s.bullet_y[k])
            rows[row][column] = "o" if s.power[k] >= 1.5 else "."
        elif s.bullet[k] > _FLYING:
            row, column = _cell(s.bullet_x[k], s.bullet_y[k])
            rows[row][column] = "*"
    for p in range(ROBOTS - 1, -1, -1):
        row, column = _cell(s.x[p], s.y[p])
        if s.state[p] == _DEAD:
            rows[row][column] = "x"
            continue
        gun = round(s.gun[p] * 4 / math.pi) % 8
        ahead, aside = _cell(s.x[p] + 26 * math.sin(s.gun[p]), s.y[p] + 26 * math.cos(s.gun[p]))
        rows[ahead][aside] = _ARROWS[gun]
        rows[row][column] = _LETTERS[p]
    edge = "+" + "-" * _WIDE + "+"
    board = [
        f"{_LETTERS[p]}  energy {s.energy[p]:5.1f}  {_bar(s.energy[p])}  score {_score(s, p):.0f}"
        + ("  dead" if s.state[p] == _DEAD else "")
        for p in range(ROBOTS)
    ]
    head = f"round {s.round + 1} of {ROUNDS}, turn {s.time}"
    return "\n".join([head, edge, *("|" + "".join(row) + "|" for row in rows), edge, *board])


def _bar(energy):
    full = min(max(round(energy / 10), 0), 15)
    return "#" * full + "." * max(10 - full, 0)


def _score(s, p):
    """What a robot has: the rounds that were decided, and this one while it is not."""
    total = (
        s.total_survival[p] + s.total_last_survivor[p] + s.total_bullet_damage[p] + s.total_bullet_bonus[p]
        + s.total_ram_damage[p] + s.total_ram_bonus[p]
    )  # fmt: skip
    now = s.survival[p] + s.bullet_damage[p] + s.bullet_bonus[p] + s.ram_damage[p] + s.ram_bonus[p]
    return total + (now if s.ended == 0 else 0.0)


def picture(s):
    """The field as a picture: bodies, guns and the sweep of radars, bullets by their power, energies below."""
    sheet = Sheet(WIDTH + 2 * _MARGIN, HEIGHT + 2 * _MARGIN + _LINE * (ROBOTS + 1), "tanks")
    sheet.rect(_MARGIN, _MARGIN, WIDTH, HEIGHT, "felt", line="ink")

    def spot(x, y):
        return _MARGIN + x, _MARGIN + HEIGHT - y

    for p in range(ROBOTS):
        if s.state[p] == _DEAD:
            x, y = spot(s.x[p], s.y[p])
            with sheet.group(x, y):
                sheet.stroke(-14, -14, 14, 14, player(p), thick=4)
                sheet.stroke(-14, 14, 14, -14, player(p), thick=4)
            continue
        _sweep(sheet, s, p, spot)
        _robot(sheet, s, p, spot)
    for k in range(s.bullets):
        x, y = spot(s.bullet_x[k], s.bullet_y[k])
        if s.bullet[k] == _FLYING:
            sheet.circle(x, y, 1.5 + s.power[k], "black")
        elif s.bullet[k] > _FLYING and s.frame[k] < 12:
            sheet.circle(x, y, 4 + 2 * s.frame[k], line="bad", thick=2, opacity=round(1 - s.frame[k] / 12, 2))
    below = HEIGHT + 2 * _MARGIN
    sheet.text(_MARGIN, below + 4, f"round {s.round + 1} of {ROUNDS}, turn {s.time}", "quiet", 13, anchor="start")
    for p in range(ROBOTS):
        y = below + 4 + _LINE * (p + 1)
        sheet.text(_MARGIN, y, _LETTERS[p], player(p), 13, anchor="start", bold=True)
        sheet.rect(_MARGIN + 20, y - 5, 200, 10, "panel", line="line")
        sheet.rect(_MARGIN + 20, y - 5, min(200.0, 2 * max(s.energy[p], 0.0)), 10, player(p))
        words = f"energy {s.energy[p]:.1f}, score {_score(s, p):.0f}"
        sheet.text(_MARGIN + 230, y, words, "ink", 13, anchor="start")
    return str(sheet)


def _sweep(sheet, s, p, spot):
    """The sector that the radar has swept in this turn."""
    a, b = s.before_radar[p], s.radar[p]
    if a == b:
        return
    x, y = spot(s.x[p], s.y[p])
    reach = 1200
    points = [(x + reach * math.sin(angle), y - reach * math.cos(angle)) for angle in (a, b)]
    points = [_cut(x, y, *point) for point in points]
    way = "L".join(f"{u:.1f} {v:.1f}" for u, v in ((x, y), *points))
    sheet.path(f"M{way}Z", player(p), opacity=0.18)


def _cut(x, y, to_x, to_y):
    """Where a ray leaves the field."""
    part = 1.0
    for low, high, here, there in ((_MARGIN, _MARGIN + WIDTH, x, to_x), (_MARGIN, _MARGIN + HEIGHT, y, to_y)):
        if there > high:
            part = min(part, (high - here) / (there - here))
        elif there < low:
            part = min(part, (low - here) / (there - here))
    return x + part * (to_x - x), y + part * (to_y - y)


def _robot(sheet, s, p, spot):
    x, y = spot(s.x[p], s.y[p])
    with sheet.group(x, y, turn=round(math.degrees(s.body[p]), 2)):
        sheet.rect(-16, -18, 32, 36, player(p), line="ink", round=3)
        sheet.rect(-18, -18, 6, 36, "black", round=2)
        sheet.rect(12, -18, 6, 36, "black", round=2)
        sheet.path("M-5 -10L0 -15L5 -10Z", "white")
    with sheet.group(x, y, turn=round(math.degrees(s.gun[p]), 2)):
        sheet.rect(-2, -27, 4, 27, "black")
        sheet.circle(0, 0, 8, player(p), line="ink")
    with sheet.group(x, y, turn=round(math.degrees(s.radar[p]), 2)):
        sheet.path("M-6 0A6 6 0 0 1 6 0", line="white", thick=2)
    sheet.text(x, y + 30, _LETTERS[p], "ink", 12, bold=True)


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>TITLE</title>
<meta name="viewport" content="width=device-width">
<style>
:root{color-scheme:light dark;--ground:#faf9f6;--ink:#26292d;--quiet:#62676e;--line:#cdc9bf}
@media (prefers-color-scheme:dark){:root{--ground:#1b1d20;--ink:#e6e4de;--quiet:#a3a7ad;--line:#474b51}}
body{margin:1rem auto;max-width:62rem;padding:0 1rem;font:16px/1.5 system-ui,sans-serif;background:var(--ground);
color:var(--ink)}
h1{font-size:1.2rem;margin:0 0 .5rem}canvas{width:100%;height:auto;border:1px solid var(--ink)}
nav{display:flex;gap:.6rem;align-items:center;flex-wrap:wrap;margin:.5rem 0}input[type=range]{flex:1;min-width:10rem}
button,select{font:inherit;min-height:2.2rem;border:1px solid var(--line);border-radius:6px;background:none;
color:inherit;padding:0 .8rem}
table{border-collapse:collapse;width:100%}td{padding:.1rem .6rem .1rem 0}td.bar{width:40%}
.bar div{height:.8rem;border-radius:3px}#at{color:var(--quiet);min-width:13rem}
</style></head><body>
<h1>TITLE</h1>
<canvas id="field" width="WIDE" height="HIGH" role="img" aria-label="the field of the battle"></canvas>
<nav><button id="go">pause</button><input id="slide" type="range" min="0" value="0" aria-label="turn">
<select id="speed" aria-label="turns a second"><option value="15">slow</option><option value="30">30 turns/s</option>
<option value="60" selected>60 turns/s</option><option value="240">fast</option></select>
<button id="next">next round</button><span id="at"></span></nav>
<table id="board"></table>
<script>
const battle = DATA;
const field = document.getElementById("field"), c = field.getContext("2d"), high = field.height;
const slide = document.getElementById("slide"), go = document.getElementById("go"), at = document.getElementById("at");
const speed = document.getElementById("speed"), board = document.getElementById("board");
const last = battle.turns.length - 1;
slide.max = last;
const rows = battle.robots.map((name, k) => {
  const row = board.insertRow(), cells = ["", "", "", ""].map(() => row.insertCell());
  cells[0].textContent = name; cells[0].style.color = battle.colours[k]; cells[1].className = "bar";
  const bar = document.createElement("div"); bar.style.background = battle.colours[k]; cells[1].append(bar);
  return {bar, cells};
});
function turned(x, y, angle, draw) {
  c.save(); c.translate(x, high - y); c.rotate(angle / 1000); draw(); c.restore();
}
function robot(k, [x, y, body, gun, radar, energy, dead, score, before]) {
  const colour = battle.colours[k];
  if (dead) {
    c.strokeStyle = colour; c.lineWidth = 4; c.beginPath();
    c.moveTo(x - 14, high - y - 14); c.lineTo(x + 14, high - y + 14);
    c.moveTo(x - 14, high - y + 14); c.lineTo(x + 14, high - y - 14); c.stroke(); return;
  }
  if (before !== radar) {
    c.fillStyle = colour; c.globalAlpha = 0.18; c.beginPath(); c.moveTo(x, high - y);
    for (const angle of [before, radar])
      c.lineTo(x + 1200 * Math.sin(angle / 1000), high - y - 1200 * Math.cos(angle / 1000));
    c.closePath(); c.fill(); c.globalAlpha = 1;
  }
  turned(x, y, body, () => {
    c.fillStyle = colour; c.fillRect(-16, -18, 32, 36); c.fillStyle = "#222"; c.fillRect(-18, -18, 6, 36);
    c.fillRect(12, -18, 6, 36); c.fillStyle = "#fff"; c.beginPath(); c.moveTo(-5, -10); c.lineTo(0, -15);
    c.lineTo(5, -10); c.fill();
  });
  turned(x, y, gun, () => {
    c.fillStyle = "#222"; c.fillRect(-2, -27, 4, 27);
    c.fillStyle = colour; c.strokeStyle = "#222"; c.lineWidth = 1;
    c.beginPath(); c.arc(0, 0, 8, 0, 7); c.fill(); c.stroke();
  });
}
let turn = 0, running = true, before = 0, owed = 0;
function draw() {
  const [round, time, robots, bullets] = battle.turns[turn];
  c.fillStyle = "#a9c3a4"; c.fillRect(0, 0, field.width, high);
  robots.forEach((one, k) => robot(k, one));
  for (const [x, y, power, frame] of bullets) {
    c.beginPath();
    if (frame < 0) { c.fillStyle = "#222"; c.arc(x, high - y, 1.5 + power, 0, 7); c.fill(); }
    else { c.strokeStyle = "#b3432f"; c.lineWidth = 2; c.globalAlpha = 1 - frame / 12;
      c.arc(x, high - y, 4 + 2 * frame, 0, 7); c.stroke(); c.globalAlpha = 1; }
  }
  robots.forEach((one, k) => {
    rows[k].bar.style.width = Math.min(100, Math.max(0, one[5])) + "%";
    rows[k].cells[2].textContent = "energy " + one[5].toFixed(1);
    rows[k].cells[3].textContent = "score " + one[7] + (one[6] ? ", dead" : "");
  });
  at.textContent = `round ${round + 1} of ${battle.rounds}, turn ${time}`; slide.value = turn;
}
function step(now) {
  if (running && before) {
    owed += (now - before) / 1000 * +speed.value;
    while (owed >= 1) { owed -= 1; if (turn < last) turn += 1; }
  }
  before = now; draw(); requestAnimationFrame(step);
}
slide.oninput = () => { turn = +slide.value; owed = 0; };
go.onclick = () => {
  running = !running; go.textContent = running ? "pause" : "go on"; if (running && turn === last) turn = 0;
};
document.getElementById("next").onclick = () => {
  const now = battle.turns[turn][0], found = battle.turns.findIndex(one => one[0] > now);
  turn = found < 0 ? 0 : found;
};
addEventListener("keydown", e => { const by = {ArrowLeft: -1, ArrowRight: 1}[e.key];
  if (by && document.activeElement !== slide) { running = false; go.textContent = "go on";
    turn = Math.min(last, Math.max(0, turn + by)); } });
if (+location.hash.slice(1)) {
  turn = Math.min(last, +location.hash.slice(1)); running = false; go.textContent = "go on";
}
requestAnimationFrame(step);
</script></body></html>
"""


def film(states, names):
    """Return a page that plays a battle: one file that needs no other, turn by turn."""
    turns = [_turn(s) for s in states]
    data = {
        "robots": [f"{_LETTERS[p]} {name}" for p, name in enumerate(names)],
        "colours": [COLOURS[player(p)][0] for p in range(ROBOTS)],
        "rounds": ROUNDS,
        "turns": turns,
    }
    text = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    title = escape("tanks: " + ", ".join(names))
    page = _PAGE.replace("TITLE", title).replace("WIDE", str(WIDTH)).replace("HIGH", str(HEIGHT))
    return page.replace("DATA", text, 1)


def _turn(s):
    robots = [
        [
            round(s.x[p], 1), round(s.y[p], 1), round(1000 * s.body[p]), round(1000 * s.gun[p]),
            round(1000 * s.radar[p]), round(s.energy[p], 1), int(s.state[p] == _DEAD), round(_score(s, p)),
            round(1000 * s.before_radar[p]),
        ]
        for p in range(ROBOTS)
    ]  # fmt: skip
    bullets = [
        [round(s.bullet_x[k], 1), round(s.bullet_y[k], 1), round(s.power[k], 1), -1 if s.bullet[k] == _FLYING
         else int(s.frame[k])]
        for k in range(s.bullets)
        if s.bullet[k] == _FLYING or (s.bullet[k] > _FLYING and s.frame[k] < 12)
    ]  # fmt: skip
    return [int(s.round), int(s.time), robots, bullets]
