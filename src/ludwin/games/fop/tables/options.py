"""Which options help evolving search at function optimisation, under one rule of terminal states for all agents.

The question.  The thesis compares fixed C, whose terminal rewards were drawn once, with evolving agents, whose were
drawn at every visit, and proposes improvements without trying them.  Here everybody's are drawn at every visit, every
agent decides with the same seeds, and each proposal is switched on alone.

Is there one agent without a constant to tune that does at least as well as the best single C?  The candidates were
compared on the choosing seeds (`CHOOSING`), which no run of this study uses; what is reported comes from `--seed`.  An
agent's score is the mean result over f1 to f5.  *Beaten* means that the best of the five fixed C (the best on the very
seeds that are reported, which favours it) is: the 95 % interval of the paired difference lies above 0; *below* the
contrary; else *measured*.

Why a power.  UCB1's logarithm fits rewards of which every draw is from the same distribution.  The rewards below a node
of a tree drift while the search finds out where to go, and a bonus that grows as a power of the parent's visits,
N^(1/4)/n^(1/2), is what the drift calls for (Shah, Xie and Xu prove convergence with it).  It has no constant.

Why a guard.  The power explores a little too much where a reward is easily found (f3), evolved formulas far too little.
 A guard that plays the power in some playouts and the evolved formula in the others has the good of both.  Is evolution
 what helps then?  The row
without it answers: there every fourth playout follows Q alone, the greediest formula that there is, and does as well.

References.  F. Valdez Ameneyro, PhD thesis (2024), section 7.4; D. Shah, Q. Xie, Z. Xu, "Non-asymptotic analysis of
Monte Carlo tree search", SIGMETRICS 2020; P. Auer, N. Cesa-Bianchi, P. Fischer (2002): UCB1-tuned; J.-Y. Audibert, R.
Munos, C. Szepesvári (2009): UCB-V.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from ludwin.arena.stats import Estimate, mean_of
from ludwin.games.fop.tables.agents import VANILLA
from ludwin.games.fop.tables.samples import FUNCTIONS, PLAYOUTS, function, measure, to_the_end
from ludwin.lab.experiment import LabTable, Row, TableRun
from ludwin.lab.verdicts import GAIN, Finding

CHOOSING = 7  # the seed (so decisions 7,000,000 to 7,000,059) on which candidates were compared

EVOLVED: Mapping[str, str] = {
    "EA-MCTS": "ea-mcts:",
    "SIEA-MCTS": "siea-mcts:",
    "filter, two trees": "ea-mcts:filter=two-tree",
    "filter, grid": "ea-mcts:filter=grid",
    "fitness with new nodes": "ea-mcts:fitness=explore,novelty=0.3",
    "fitness with mixed branches": "ea-mcts:fitness=explore,novelty=0.3,explores=branches",
    "two objectives": "ea-mcts:fitness=pareto,novelty=0.3",
    "parent measured again": "ea-mcts:measure=latest",
    "parent measured, pooled": "ea-mcts:measure=pooled",
    "playouts in turns": "ea-mcts:allocate=interleaved",
    "playouts by a bandit": "ea-mcts:allocate=bandit",
    "evolution to the end": "ea-mcts:continued=1",
    "only C evolves": "ea-mcts:evolve=constant",
    "richer terminals": "ea-mcts:rich=1",
    "guard of UCB1, 1/2": "ea-mcts:guard=0.5",
    "seed of 11 nodes": "ea-mcts:seed_form=11",
    "seed with a power": "ea-mcts:seed_form=power",
    "semantics of branches": "siea-mcts:behaviour=branches",
    "relative window": "siea-mcts:window=relative",
    "last parent installed": "siea-mcts:install=last",
    "offspring that differ": "ea-mcts:differ=16",
    "regret term kept": "ea-mcts:regret=ucb",
    "regret term with a power kept": "ea-mcts:regret=power",
}
BUNDLE = "filter=grid,fitness=explore,allocate=bandit,measure=pooled,guard_form=seed"
COMBINED: Mapping[str, str] = {
    "grid, rich": "ea-mcts:filter=grid,rich=1",
    "grid, power": "ea-mcts:filter=grid,seed_form=power",
    "grid, nodes, bandit": "ea-mcts:filter=grid,fitness=explore,novelty=1,allocate=bandit",
    "grid, nodes, bandit, pooled": "ea-mcts:filter=grid,fitness=explore,novelty=1,allocate=bandit,measure=pooled",
    "grid, nodes, bandit, guard": "ea-mcts:filter=grid,fitness=explore,novelty=1,allocate=bandit,guard=0.5",
    "grid, nodes, bandit, pooled, guard": (
        "ea-mcts:filter=grid,fitness=explore,novelty=3,allocate=bandit,measure=pooled,guard=0.5"
    ),
    "only C, nodes, bandit, pooled": "ea-mcts:evolve=constant,fitness=explore,novelty=1,allocate=bandit,measure=pooled",
    "grid, differ": "ea-mcts:filter=grid,differ=16",
    "grid, power kept": "ea-mcts:filter=grid,regret=power",
    "power, its guard 1/2": "ea-mcts:seed_form=power,guard=0.5,guard_form=seed",
    "grid, power kept, nodes, bandit, pooled, its guard 1/2": f"ea-mcts:regret=power,novelty=3,guard=0.5,{BUNDLE}",
    "grid, power, nodes, bandit, pooled, its guard 1/2": f"ea-mcts:seed_form=power,novelty=3,guard=0.5,{BUNDLE}",
    "grid, power, nodes, bandit, pooled, its guard 3/4": f"ea-mcts:seed_form=power,novelty=1,guard=0.75,{BUNDLE}",
}
OTHERS: Mapping[str, str] = {
    "Thompson sampling": "mcts:rule=thompson",
    "UCB1-tuned": "mcts:formula=Q + sqrt(log(N)/n*(V + sqrt(2*log(N)/n)))",
    "UCB-V": "mcts:formula=Q + sqrt(2*V*log(N)/n) + 3*log(N)/n",
    "power": "mcts:formula=Q + sqrt(sqrt(N)/n)",
    # every fourth playout by Q alone
    "power, 1/4 greedy, no evolution": "ea-mcts:seed_form=power,generations=0,guard=0.25,c=0",
}
CHOSEN = "power"  # the best formula on the choosing seeds
CHOSEN_EVOLVING = "grid, power, nodes, bandit, pooled, its guard 3/4"  # the best evolving agent on the choosing seeds


@dataclass(frozen=True)
class OptionsStudy:
    """The study; a smaller budget, fewer agents and a larger threshold are for tests."""

    playouts: int = PLAYOUTS
    threshold: float = 1e-5
    mode: str = "fast"
    evolved: tuple[str, ...] = (*EVOLVED, *COMBINED)

    def agents(self) -> dict[str, str]:
        """Return all agents as texts, the fixed C first."""
        fixed = {label: f"mcts:playouts={self.playouts},c={c!r}" for label, c in VANILLA.items()}
        others = {**{label: text for label, text in {**EVOLVED, **COMBINED}.items() if label in self.evolved}, **OTHERS}
        return fixed | {label: self._with_budget(text) for label, text in others.items()}

    def _with_budget(self, text: str) -> str:
        name, _, settings = text.partition(":")
        evolves = name != "mcts" and "continued" not in settings and "generations=0" not in settings
        return f"{name}:playouts={self.playouts},{settings}".rstrip(",") + (
            to_the_end(self.playouts) if evolves else ""
        )


@dataclass(frozen=True)
class Score:
    """What an agent reached: every decision's mean over the functions, and the mean of each function."""

    values: tuple[float, ...]
    by_function: tuple[float, ...]

    def less(self, other: "Score") -> Estimate:
        """Return how much better it is, decision by decision of the same seed."""
        return mean_of([a - b for a, b in zip(self.values, other.values, strict=True)])


def fill(run: TableRun, study: OptionsStudy) -> None:
    """Measure all agents on all functions and compare each with the best fixed C."""
    scores: dict[str, Score] = {}
    for label, text in study.agents().items():
        for f in FUNCTIONS if run.part else ():
            with run.cell():
                measure(run, function(f, study.threshold), text, f"{label}, f{f}", study.mode)
    run.demand_all()
    for label, text in study.agents().items():
        columns = [
            measure(run, function(f, study.threshold), text, f"{label}, f{f}", study.mode).column("result")
            for f in FUNCTIONS
        ]
        scores[label] = Score(
            tuple(fmean(values) for values in zip(*columns, strict=True)), tuple(fmean(column) for column in columns)
        )
        if label in VANILLA:
            _enter(run, label, scores[label], "measured", text)
            continue
        best = max(VANILLA, key=lambda name: fmean(scores[name].values))
        gain = scores[label].less(scores[best])
        verdict = GAIN.judge(Finding(gain, len(scores[label].values)))
        rivals = [best, *_parents(label, text, scores)]
        gains = "".join(f"{_signed(scores[label].less(scores[rival]))} against {rival}; " for rival in rivals)
        _enter(run, label, scores[label], verdict, text, gains)
    _enter_ideal(run, scores)


def _parents(label: str, text: str, scores: Mapping[str, Score]) -> list[str]:
    """Return the agent that an option changes: EA-MCTS, or SIEA-MCTS for options of semantics."""
    parent = "SIEA-MCTS" if text.startswith("siea-mcts") else "EA-MCTS"
    return [parent] if text.partition("mcts")[0] and parent in scores and label != parent else []


def _signed(gain: Estimate) -> str:
    return f"{gain.value:+.4f} [{gain.low:+.4f}, {gain.high:+.4f}]"


def _enter(run: TableRun, label: str, score: Score, verdict: str, text: str, gain: str = "") -> None:
    ours = mean_of(score.values)
    note = gain + "f1–f5 " + " ".join(f"{value:.3f}" for value in score.by_function) + f"; {text}"
    run.add(
        Row(
            label, "mean result of f1–f5", None, ours.value, ours.low, ours.high, verdict, None, len(score.values), note
        )
    )


def _enter_ideal(run: TableRun, scores: Mapping[str, Score]) -> None:
    """Enter what the best C of each function would reach, if somebody knew it beforehand."""
    tops = [max(VANILLA, key=lambda name: scores[name].by_function[k]) for k in range(len(FUNCTIONS))]
    value = fmean(scores[name].by_function[k] for k, name in enumerate(tops))
    note = "no agent: the maximum over C of each function, chosen afterwards; " + " ".join(tops)
    run.add(
        Row(
            "best C of each function",
            "mean result of f1–f5",
            None,
            value,
            value,
            value,
            "measured",
            None,
            run.games,
            note,
        )
    )


def experiment(study: OptionsStudy) -> LabTable:
    """Return the experiment."""
    about = (
        "function optimisation: each option of the evolving agents alone, combinations, every fixed C, one rule "
        "for all (--games: decisions a function)"
    )
    return LabTable(
        "ea-mcts-options",
        about,
        {"quick": (10, 1), "standard": (100, 1), "paper": (400, 1)},
        lambda run: fill(run, study),
        "decisions",
        parted=True,
    )


OPTIONS = experiment(OptionsStudy())
