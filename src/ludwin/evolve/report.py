"""The report of a run: one HTML page that needs nothing beside it.

Why it is here.  A run should be judged at a glance and from one file: what came out and how sure that is,
how fitness, sizes, diversity and yardstick went, what random search found with the same number of
evaluations, and the settings that repeat it.  The page holds no dates, durations or paths, so it is the
same for the same run.
"""

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ludwin.evolve.curves import Line, chart, stack
from ludwin.evolve.experiment import Measure, Setting
from ludwin.evolve.store import BASELINE, EVOLUTION, LATE, Note, Point, Store

FEW_GAMES = 20  # a row of fewer games says nothing, and is left out

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; } h2 { margin-top: 2rem; border-bottom: 1px solid #ccc; }
table { border-collapse: collapse; }
td, th { padding: 0.15rem 0.8rem 0.15rem 0; text-align: left; vertical-align: top; }
th { border-bottom: 1px solid #999; } td.number { text-align: right; font-variant-numeric: tabular-nums; }
pre { background: #f4f4f4; padding: 0.8rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.picture { overflow-x: auto; } .curves svg { max-width: 100%; height: auto; }
"""


def charts(store: Store) -> list[str]:
    """Return the charts of a run: fitness, yardstick, sizes, diversity, and shapes where a breeding counts them."""
    points = store.points(EVOLUTION)
    yardstick = [_yardstick(store, EVOLUTION, "evolution")]
    if store.points(BASELINE):
        yardstick.append(_yardstick(store, BASELINE, "random search"))
    budget = "games" if counts_games(store) else "evaluations"
    opponent = next((note.measure.opponent for note in store.measures(EVOLUTION, "yardstick")), "")
    return [
        chart("Fitness", [_line("best", points, "best_fitness"), _line("mean", points, "mean_fitness")]),
        chart(f"Score against {opponent}", yardstick, budget),
        chart(
            "Size",
            [
                _line("best", points, "best_size"),
                _line("mean", points, "mean_size"),
                _line("largest", points, "largest_size"),
            ],
        ),
        chart(
            "Diversity: different genomes",
            [_line("different", points, "distinct"), _line("individuals", points, "individuals", is_dashed=True)],
        ),
        *([chart("Shapes and lineages alive", counted)] if (counted := _counted(store, points)) else []),
    ]


def curves(store: Store) -> str:
    """Return the plots of a run as one SVG."""
    return stack(charts(store))


def _line(name: str, points: Sequence[Point], attribute: str, *, is_dashed: bool = False) -> Line:
    return Line(name, [(point.number, getattr(point, attribute)) for point in points], is_dashed=is_dashed)


def _counted(store: Store, points: Sequence[Point]) -> list[Line]:
    """Return the numbers of shapes and lineages, where a breeding counts them."""
    states = store.states(EVOLUTION)
    return [
        Line(name, [(point.number, one[name]) for point, one in zip(points, states, strict=True) if name in one])
        for name in ("shapes", "lineages")
        if any(name in one for one in states)
    ]


def counts_games(store: Store) -> bool:
    """Tell whether a run's budget are games, which all of its branches count."""
    return all(store.games(branch) for branch in (EVOLUTION, BASELINE) if store.points(branch))


def _yardstick(store: Store, branch: str, name: str) -> Line:
    """Return the yardstick over what random search is equal in: games where they are counted, else evaluations."""
    notes, points = store.measures(branch, "yardstick"), store.points(branch)
    counts = store.games(branch) if counts_games(store) else [point.evaluations for point in points]
    spent = {point.number: count for point, count in zip(points, counts, strict=True)}
    return Line(
        name,
        [(spent[note.generation], note.measure.score) for note in notes],
        [(note.measure.low, note.measure.high) for note in notes],
        is_dashed=branch == BASELINE,
    )


def run_report(
    about: Mapping[str, Any],
    schema: Mapping[str, Setting],
    store: Store,
    champion: Mapping[str, Any],
    shown: tuple[str, str] = ("", ""),
    odd: Sequence[str] = (),
) -> str:
    """Return the page of a finished run: curves, record and picture first; `shown` is the champion's drawing and its
    reading, `odd` what the run has to say against itself.
    """
    picture, reading = shown
    points = store.points(EVOLUTION)
    score = _measure(champion["score"])
    record = [score, *map(_measure, champion["record"])]
    subtitle = f"preset {about['preset']}, seed {about['seed']}, ludwin {about['ludwin']}"
    games = store.games(EVOLUTION)
    spent = f" and {games[-1]:,} games" if games else ""
    parts = [
        f"<p>{len(points)} generations, {points[-1].evaluations:,} evaluations{spent}. The champion scores "
        f"<b>{_score(score)}</b> against "
        f"{escape(score.opponent)}{_over(score)}.</p>",
        *(f"<p><b>Note:</b> {escape(words)}.</p>" for words in odd),
        f'<div class="curves">{curves(store)}</div>',
        _first_and_last(points),
        "<h2>The champion's record</h2>",
        _record([one for one in record if not 0 < one.n < FEW_GAMES or one is score]),
        *_larger(store),
        *_late(store, about["settings"].get("late_depth", 0)),
        *_baseline(store),
        "<h2>The champion</h2>",
        f"<p>Born in generation {champion['generation']} by {escape(champion['origin'])}, size {champion['size']}, "
        f"fitness {champion['fitness']:g}.</p>",
        f'<div class="picture">{picture}</div>' if picture else "",
        reading,
        f"<details><summary>The program, exactly</summary><pre>{escape(champion['text'])}</pre></details>",
        "<h2>Finalists</h2>",
        "<p>The best of the measured generations and of the last one, on the same fresh seeds. The best of them is "
        "the champion; "
        "since the best of several is flattered, the score above is from other seeds.</p>",
        _finalists(store.measures(EVOLUTION, "finalist")),
        "<h2>Settings</h2>",
        _settings(about["settings"], schema),
    ]
    return page(f"{about['experiment']}: a run", subtitle, parts)


CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # no HTML, and no reader of it, knows them


def page(title: str, subtitle: str, parts: Sequence[str]) -> str:
    """Return a page with its style."""
    head = (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta '
        f'charset="utf-8"><title>{escape(title)}</title>\n<style>{STYLE}</style></head>\n<body>'
    )
    body = [f"<h1>{escape(title)}</h1>", f"<p>{escape(subtitle)}</p>", *filter(None, parts)]
    return CONTROL.sub("?", "\n".join([head, *body, "</body></html>"]) + "\n")


def table(columns: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """Return a table; the columns in `numbers` are set right."""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = []
    for row in rows:
        cells = (
            f'<td class="number">{escape(cell)}</td>' if k in numbers else f"<td>{escape(cell)}</td>"
            for k, cell in enumerate(row)
        )
        body.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([f"<table><tr>{head}</tr>", *body, "</table>"])


def _measure(data: Mapping[str, Any]) -> Measure:
    return Measure.from_json(data)


def _score(measure: Measure) -> str:
    return f"{measure.score:.4g}" if measure.is_score and not measure.games else str(measure)


def _over(measure: Measure) -> str:
    unit = "game" if measure.is_score else "sample"
    return f" over {measure.n:,} {unit}{'s' * (measure.n != 1)}" if measure.n else ""


def _record(measures: Sequence[Measure]) -> str:
    rows = [[m.opponent, figure(m), interval(m), str(m.n), _results(m.counts)] for m in measures]
    is_score = all(m.is_score for m in measures)
    words = ["opponent", "score", "95 % interval", "games", "results"]
    return table(words if is_score else ["on", "value", "95 % interval", "n", ""], rows, numbers=(1, 3))


def figure(measure: Measure) -> str:
    """Return the value of a measure for a table, with its unit."""
    if measure.is_score:
        return f"{measure.value:.4f}"
    return f"{measure.value:.6g} {measure.unit}".strip()


def interval(measure: Measure) -> str:
    """Return the interval of a measure for a table."""
    if measure.is_score:
        return f"{measure.low:.4f} … {measure.high:.4f}"
    return f"{measure.low:.6g} … {measure.high:.6g}" if measure.has_interval else "none"


def _results(counts: Sequence[int]) -> str:
    if len(counts) == 3:
        losses, draws, wins = counts
        return f"+{wins} ={draws} -{losses}"
    return "pairs from lost to won: " + ", ".join(map(str, counts)) if counts else ""


def _first_and_last(points: Sequence[Point]) -> str:
    rows = []
    for point in (points[0], points[-1]):
        numbers = [
            f"{point.best_fitness:.4g}",
            f"{point.mean_fitness:.4g}",
            str(point.best_size),
            f"{point.mean_size:.1f}",
        ]
        rows.append([str(point.number), *numbers, f"{point.distinct} of {point.individuals}"])
    return table(
        ["generation", "best fitness", "mean", "size of the best", "mean size", "different genomes"],
        rows,
        numbers=(0, 1, 2, 3, 4),
    )


def _finalists(notes: Sequence[Note]) -> str:
    ordered = sorted(notes, key=lambda note: -note.measure.merit)
    rows = [[str(note.generation), figure(note.measure), interval(note.measure)] for note in ordered]
    metric = ordered[0].measure.metric if ordered else "score"
    return table(["generation", metric, "95 % interval"], rows, numbers=(0, 1))


def _larger(store: Store) -> list[str]:
    """Return what the champion's ancestor scored that was larger than champions may be."""
    notes = store.measures(EVOLUTION, "larger")
    if not notes:
        return []
    size = next(point.best_size for point in store.points(EVOLUTION) if point.number == notes[0].generation)
    words = f"<p>The best of generation {notes[0].generation} had {size} nodes, too many for a champion:</p>"
    return ["<h2>Before programs were cut down</h2>", words, _record([note.measure for note in notes])]


def _late(store: Store, depth: int) -> list[str]:
    """Return what late tuning has made: programs for a greater depth, before and after they were cut down."""
    points = store.points(LATE)
    champion, larger = (store.measures(LATE, purpose) for purpose in ("champion", "larger"))
    if not points or not champion:
        return []
    states = store.states(LATE)
    games = int(states[-1].get("games", 0) - states[0].get("games", 0))
    found = [
        f"<h2>Tuned for depth {depth}</h2>",
        f"<p>{games:,} more games at depth {depth}, of both sides, with the program before it was cut down; a second "
        f"champion, for this depth (late.json), of {points[-1].best_size} nodes:</p>",
        _record([note.measure for note in champion]),
    ]
    if larger:
        size = next(point.best_size for point in points if point.number == larger[0].generation)
        found += [f"<p>The last one before it was cut down had {size} nodes:</p>"]
        found += [_record([note.measure for note in larger])]
    return found


def _baseline(store: Store) -> list[str]:
    points, champions = store.points(BASELINE), store.measures(BASELINE, "champion")
    if not points or not champions:
        return []
    rows, budget = [], "games" if counts_games(store) else "evaluations"
    for name, branch in (("evolution", EVOLUTION), ("random search", BASELINE)):
        found = store.measures(branch, "champion")[0].measure
        evaluations = store.points(branch)[-1].evaluations
        spent = [evaluations, store.games(branch)[-1]] if budget == "games" else [evaluations]
        rows.append([name, *(f"{count:,}" for count in spent), figure(found), interval(found)])
    columns = ["evaluations", *(["games"] if budget == "games" else [])]
    numbers = tuple(range(1, len(columns) + 2))
    return [
        "<h2>Beside random search</h2>",
        f"<p>Genomes made at random, as many {budget}, the same finals.</p>",
        table(["search", *columns, f"champion's {found.metric}", "95 % interval"], rows, numbers),
    ]


def _settings(settings: Mapping[str, Any], schema: Mapping[str, Setting]) -> str:
    rows = [[key, value_text(value), schema[key].help] for key, value in settings.items()]
    return table(["key", "value", "meaning"], rows)


def value_text(value: Any) -> str:
    """Return a setting's value as one types it."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)
