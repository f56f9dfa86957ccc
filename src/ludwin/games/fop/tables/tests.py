"""The thesis's statistical tests between agents at function optimisation, with a correction that it lacks.

Results are compared by Mann and Whitney's U, leaf depths by Welch's t, all pairs of agents, two-sided; whether results
may be normal is asked by D'Agostino and Pearson.  The thesis corrects nothing: with 21 pairs one in twenty
"differences" is none, so Holm's correction stands beside every p-value.  Verdicts compare our uncorrected answer (p <
0.05) with the published one where there is one.

References.  F. Valdez Ameneyro, PhD thesis, Maynooth University (2024), section 5.6; S. Holm (1979), see
`arena/stats.py`.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path

from ludwin.arena.stats import Estimate, holm, mann_whitney, normality, welch_t
from ludwin.files import write_whole
from ludwin.formats import Format, List, Number, Table, Text, write_json
from ludwin.games.fop.tables.samples import Sample
from ludwin.lab.verdicts import SAME_ANSWER, SIGNIFICANT, Finding

ALPHA = SIGNIFICANT
EVOLVING = {"EA-MCTS", "SIEA-MCTS"}
TESTS = Format("ludwin-tests", 1, Table({"f": Text(), "alpha": Number(), "rows": List(Table())}), "page of tests")


@dataclass(frozen=True)
class Comparison:
    """One test: between two agents, or (normality) of one."""

    test: str
    first: str
    second: str
    statistic: float | None  # None: not finite
    p: float
    corrected: float
    published: bool | None  # whether the thesis found a difference; None: it does not say
    samples: int  # of the smaller of the two

    @property
    def differs(self) -> bool:
        """Whether the test says so, uncorrected, as the thesis asks."""
        return self.p < ALPHA

    @property
    def verdict(self) -> str:
        """Whether we answer as was published."""
        ours = Estimate(self.p, self.p, self.p)
        return SAME_ANSWER.judge(Finding(ours, self.samples, p=self.p, answer=self.published))


def published_results(f: str, pair: set[str]) -> bool | None:
    """Return whether the thesis found the results of two agents different; None where it does not say."""
    if pair == EVOLVING:
        return False
    if pair == {"EA-MCTS", "C=0.5"} and f != "4":
        return False
    if f == "5" and not pair & EVOLVING:
        return pair != {"C=1", "C=√2"}
    return None


def published_depths(f: str, pair: set[str]) -> bool:
    """Return whether the thesis found the leaf depths of two agents different."""
    return pair != EVOLVING and (f, pair) not in (("2", {"C=0.5", "C=1"}), ("4", {"C=0.5", "C=√2"}))


def published_shape(f: str, name: str) -> bool | None:
    """Return whether the thesis refused the results of an agent as normal: almost always, not on f3 for EA-MCTS."""
    return False if (f, name) == ("3", "EA-MCTS") else None


def compare(f: str, samples: Mapping[str, Sample]) -> list[Comparison]:
    """Return all tests of one function."""
    pairs = list(combinations(samples, 2))
    found: list[Comparison] = []
    for title, column, test in (
        ("Mann-Whitney, result", "result", mann_whitney),
        ("Welch, leaf depth", "depth", welch_t),
    ):
        evidence = [test(samples[a].column(column), samples[b].column(column)) for a, b in pairs]
        for (a, b), one, corrected in zip(pairs, evidence, holm([one.p for one in evidence]), strict=True):
            stated = published_results(f, {a, b}) if column == "result" else published_depths(f, {a, b})
            size = min(len(samples[name].decisions) for name in (a, b))
            found.append(Comparison(title, a, b, _finite(one.statistic), one.p, corrected, stated, size))
    shapes = {name: normality(sample.column("result")) for name, sample in samples.items()}
    for (name, one), corrected in zip(shapes.items(), holm([one.p for one in shapes.values()]), strict=True):
        found.append(
            Comparison(
                "D'Agostino-Pearson, result",
                name,
                "",
                _finite(one.statistic),
                one.p,
                corrected,
                published_shape(f, name),
                len(samples[name].decisions),
            )
        )
    return found


def write_tests(folder: Path, f: str, samples: Mapping[str, Sample]) -> None:
    """Write the tests of one function as `tests.json` and as a page, `tests.md`."""
    found = compare(f, samples)
    rows = [{**asdict(one), "differs": one.differs, "verdict": one.verdict} for one in found]
    for row in rows:
        del row["samples"]  # those of the agents stand in the table
    write_json(folder / "tests.json", TESTS, {"f": f, "alpha": ALPHA, "rows": rows}, indent=1)
    lines = [
        f"# Tests, f{f}",
        "",
        f"two-sided, differences at p < {ALPHA}; the last columns: what was published, and whether we find the same",
        "",
    ]
    lines += ["| test | agents | p | Holm | different | published | verdict |", "|---|---|---|---|---|---|---|"]
    for one in found:
        agents = f"{one.first} – {one.second}" if one.second else one.first
        stated = "" if one.published is None else "yes" if one.published else "no"
        lines.append(
            f"| {one.test} | {agents} | {one.p:.3g} | {one.corrected:.3g} | {'yes' if one.differs else 'no'} | "
            f"{stated} | {one.verdict} |"
        )
    write_whole(folder / "tests.md", "\n".join(lines) + "\n")


def _finite(x: float) -> float | None:
    return x if math.isfinite(x) else None
