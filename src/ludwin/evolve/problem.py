"""A problem of one's own: a genome, a fitness, a plan; from a notebook to a stored run.

Why it is here.  Evolution is a library when somebody with another problem can use it without reading it.  A `Problem`
says what varies and what is good; it can be iterated in Python, and a file that defines one is run by
`ludwin evolve ./problem.py`, with resume, report and comparison, as every experiment of ours is.

>>> from ludwin.evolve.vectors import Bits
>>> ones = Problem("ones", Bits(12), fitness=sum, plan=Plan(population=20, generations=40, stop_at=12.0))
>>> ones.solve(seed=1).best.fitness
12.0

What a fitness may be: a function of one genome (`fitness`), of a list of genomes (`batch`), or an object with `score`
(`population.Fitness`).  It answers with a number, a list of the results of cases (`cases=True`), a list of objectives
(as many as `direction` has words), or a `Scored`.  A function with a second parameter gets a stream, and is asked again
every generation: its answers depend on chance.  With one parameter a genome is asked about once.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from ludwin.errors import BadParameter, brief
from ludwin.evolve.asking import (
    Failed,
    as_number,
    called,
    demand_callable_with,
    demand_json,
    demand_kind,
    demand_line,
    is_list,
    is_true,
    number_list,
    takes,
)
from ludwin.evolve.engine import demand_fitting
from ludwin.evolve.experiment import COMMON, Experiment, Settings, plan_settings
from ludwin.evolve.experiment import plan as plan_of
from ludwin.evolve.kind import Representation
from ludwin.evolve.parts import Parts, decoded
from ludwin.evolve.plan import Plan
from ludwin.evolve.population import FAILED, Fitness, Generation, Score, Scored, demand_numbers, scored
from ludwin.evolve.populations import Archiving, ByEngine, Ecology, Hosts, Observed, Observer, Teams, demand_run
from ludwin.evolve.remarks import ITSELF
from ludwin.evolve.spreading import spread_out
from ludwin.evolve.watched import watched
from ludwin.measure import DIRECTIONS, LESS, MORE, Measure
from ludwin.program.stream import Stream
from ludwin.program.tree import Tree
from ludwin.settings import Setting, Value, one_of
from ludwin.words import PRESETS

WAY_OUT = "; Problem(failed=…) gives such genomes a score"
CHAMPION_KEYS = frozenset(  # what `champion.json` says of every champion, so that `player` may not
    (
        "format",
        "version",
        "ludwin",
        "experiment",
        "text",
        "size",
        "score",
        "record",
        "generation",
        "fitness",
        "origin",
        "genome",
        "preset",
        "settings",
        "seed",
        "identity",
    )
)
LINES = {"metric": 200, "unit": 50, "summary": 2000, "tested_on": 2000}  # texts of one line, and their lengths
RULES = ("game", "texts")  # what the identity of a run says of the user's files


@dataclass(frozen=True)
class Problem:
    """What is to be evolved.

    - `genome`: the kind of genomes; one of ours, `own(make, mutate, …)`, or `Parts` of several.
    - `fitness`, or `batch`: what is good, above; `cases` says that answers are results of cases.
    - `direction`: whether `more` or `less` of it is better; a tuple of words for several objectives.
    - `test`: a function of a genome that measures it on what evolution never saw, a number or a list of samples; the
      champion is chosen and reported by it, as `metric` in `unit`, of which `test_direction` is better.
    - `failed`: the score of genomes whose fitness raises or is no number; without it the run ends with one line.
    - `parasites` and `meet`: a second population that sets problems; `meet(host, parasite)` returns the points of both.
    - `teams`: the parts of the genome are bred apart, as roles.
    - `statistics`: names, and functions of a generation that return a number; stored with it.
    - `presets` are settings of the plan by preset, `identity` names data that the problem depends on.
    - `options` are settings of the problem's own, and `settled(settings)` the problem that they, and those of the
      plan, mean; `ludwin evolve FILE --set key=value` sets them.
    - `archive`: of several objectives, how many that nobody has dominated so far are kept with every generation, as
      `generation.beside("archive")`, whoever is in the population; 0: none.
    - `program` makes of a genome the program that people read, draw and export, where that is not the genome itself.
    """

    name: str
    genome: Representation[Any]
    fitness: Any = None
    batch: Callable[..., Sequence[Any]] | None = None
    cases: bool = False
    direction: str | tuple[str, ...] = MORE
    plan: Plan = field(default_factory=Plan)
    test: Callable[..., Any] | None = None
    metric: str = ""
    unit: str = ""
    test_direction: str = ""
    failed: float | None = None
    parasites: Representation[Any] | None = None
    meet: Callable[..., Any] | None = None
    parasite_plan: Plan | None = None
    parasites_every: int = 5
    meetings: int = 2
    teams: bool = False
    partners: int = 2
    statistics: Mapping[str, Observer] = field(default_factory=dict)
    presets: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    identity: Mapping[str, str] = field(default_factory=dict)
    summary: str = ""
    player: Callable[[Any], dict[str, Any]] | None = None
    options: tuple[Setting, ...] = ()
    settled: "Callable[[Settings], Problem] | None" = None
    program: Callable[[Any], Tree] | None = None
    tested_on: str = ""
    archive: int = 100

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip() or not self.name.isprintable():
            raise BadParameter(f"a problem has a name of one line, got {brief(self.name)}")
        for kind in (self.genome, *([] if self.parasites is None else [self.parasites])):
            demand_kind(self.name, kind)
        self._examine_fields()
        given = [self.fitness is not None, self.batch is not None, self.meet is not None]
        if given.count(True) != 1:
            raise BadParameter(f"{self.name} needs a fitness, a batch or a meet with parasites: one of them")
        for name in ("fitness", "batch", "meet", "test"):
            one = getattr(self, name)
            if one is not None and not callable(one) and not (name == "fitness" and hasattr(one, "score")):
                raise BadParameter(f"{self.name}: {name} must be a function, got {brief(one)}")
            if callable(one) and not hasattr(one, "score"):
                demand_callable_with(f"{self.name}: {name}", one, *((2, 3) if name == "meet" else (1, 2)))
        if (self.meet is None) != (self.parasites is None):
            raise BadParameter(f"{self.name}: parasites and meet belong together")
        if self.teams and not isinstance(self.genome, Parts):
            raise BadParameter(f"{self.name}: teams need a genome of Parts, whose roles they are")
        if self.meet is not None and (self.teams or self.cases or self.direction != MORE):
            raise BadParameter(
                f"{self.name}: meet returns the points of both, more being better; cases, direction and teams are for "
                "a fitness"
            )
        if self.cases and self.aims:
            raise BadParameter(
                f"{self.name}: answers are results of cases, with one direction, or objectives; a Scored holds both"
            )
        if isinstance(self.archive, bool) or not isinstance(self.archive, int) or self.archive < 0:
            raise BadParameter(
                f"{self.name}: archive is a number of individuals, 0 for none, got {brief(self.archive)}"
            )
        if (self.settled is None) != (not self.options):
            raise BadParameter(f"{self.name}: options and settled belong together")
        if not self.directions:
            raise BadParameter(f"{self.name}: direction names one word for each objective")
        for word in (*self.directions, *([self.test_direction] if self.test_direction else [])):
            one_of("direction", word, DIRECTIONS)

    def _examine_fields(self) -> None:
        """Raise BadParameter for fields of another type than they have."""
        for name in ("plan", "parasite_plan"):
            plan = getattr(self, name)
            if not isinstance(plan, Plan) and not (name == "parasite_plan" and plan is None):
                raise BadParameter(f"{self.name}: {name} must be a Plan(population=…, …), got {brief(plan)}")
        if not isinstance(self.direction, str | tuple | list) or not isinstance(self.options, tuple | list):
            raise BadParameter(f"{self.name}: direction is a word or a tuple of words, and options a tuple")
        for name, longest in LINES.items():
            demand_line(f"{self.name}: {name}", getattr(self, name), longest)
        for name in ("parasites_every", "meetings", "partners"):
            Setting(name, 1, "", least=1).examine(getattr(self, name))
        for name in ("statistics", "presets", "identity"):
            if not isinstance(getattr(self, name), Mapping):
                raise BadParameter(f"{self.name}: {name} must be a dict, got {brief(getattr(self, name))}")
        for name, function in self.statistics.items():
            demand_line(f"{self.name}: the name of a statistic", name, 100)
            if not callable(function):
                raise BadParameter(f"{self.name}: the statistic {name} must be a function, got {brief(function)}")
        taken = {one.key for one in (*plan_settings(), *COMMON)}
        for option in self.options:
            if not isinstance(option, Setting):
                raise BadParameter(
                    f"{self.name}: options are a tuple of Setting(key, default, help), got {brief(option)}"
                )
            if option.key in taken:
                raise BadParameter(f"{self.name}: there is a setting {option.key} already; give the option another key")
            taken.add(option.key)
        for preset, settings in self.presets.items():
            one_of(f"{self.name}: a preset", preset, PRESETS)
            if not isinstance(settings, Mapping):
                raise BadParameter(f"{self.name}: preset {preset} must be a dict of settings, got {brief(settings)}")
        for name, text in self.identity.items():
            demand_line(f"{self.name}: a name in identity", name, 100)
            if name in RULES:
                raise BadParameter(f"{self.name}: identity says {name} of the problem's file; choose another name")
            demand_line(f"{self.name}: {name} in identity", text, 2000)
        if self.failed is not None:
            as_number(self.failed, f"{self.name}: failed")
            if self.meet is not None:
                raise BadParameter(f"{self.name}: failed is the score of a fitness; meet returns the points of both")

    # Running it

    @property
    def directions(self) -> tuple[str, ...]:
        """Which way is better, of each objective."""
        return (self.direction,) if isinstance(self.direction, str) else tuple(self.direction)

    @property
    def aims(self) -> int:
        """How many objectives there are; 0 where a fitness is one value, and `direction` a word."""
        return 0 if isinstance(self.direction, str) else len(self.direction)

    def run(
        self,
        seed: int = 0,
        *,
        workers: int = 1,
        plan: Plan | None = None,
        start: Generation[Any] | None = None,
        callbacks: Sequence[Observer] = (),
    ) -> Iterator[Generation[Any]]:
        """Yield generation 0, 1, …, or those after `start`; callbacks hear of each, and one that returns True ends it.

        The result is a function of problem, plan and seed; the workers are processes that score genomes.
        """
        plan = self.plan if plan is None else plan
        demand_run(self.name, seed, workers, plan, start, callbacks)
        for generation in self.ecology(workers).history(plan, seed, start):
            wishes = [called(f"{self.name}: a callback", callback, generation) for callback in callbacks]
            yield generation
            if any(is_true(wish) for wish in wishes):
                return

    def solve(self, seed: int = 0, **more: Any) -> Generation[Any]:
        """Return the last generation of a run."""
        last = None
        for generation in self.run(seed, **more):
            last = generation
        if last is None:
            raise BadParameter(f"{self.name}: there is nothing left to do after this start")
        return last

    def decode(self, genome: Any) -> Any:
        """Return a genome as its fitness sees it."""
        return decoded(self.genome, genome)

    def score_of(self, generation: Generation[Any]) -> float:
        """Return the fitness of the best in the problem's own direction."""
        value = generation.best.fitness
        return -value if self.directions[0] == LESS else value

    def scorer(self, workers: int = 1) -> Fitness[Any]:
        """Return the fitness as the engine asks it."""
        if self.meet is not None:
            return _Unmet(self.name)
        if hasattr(self.fitness, "score"):
            found: Fitness[Any] = self.fitness
            return found
        return ByFunction(self, workers)

    def ecology(self, workers: int = 1) -> Observed:
        """Return what yields the generations of this problem, statistics included."""
        genome = watched(self.genome)
        if self.meet is not None:
            assert self.parasites is not None
            meeting = Meetings(self, workers)
            plan = self.parasite_plan or replace(self.plan, stop_at=Plan().stop_at)
            inner: Ecology = Hosts(genome, watched(self.parasites), meeting, plan, self.parasites_every, self.meetings)
        elif self.teams:
            assert isinstance(genome, Parts)
            inner = Teams(genome, self.scorer(workers), self.partners)
        else:
            inner = ByEngine(genome, self.scorer(workers))
        if self.aims and self.archive and self.meet is None and not self.teams:
            inner = Archiving(inner, self.archive)
        return Observed(inner, self.statistics)

    # As an experiment

    def experiment(self, name: str = "", identity: Mapping[str, str] | None = None) -> Experiment:
        """Return the problem as an experiment, which `ludwin evolve` runs, stores and resumes."""
        noisy = self._takes_chance(self.test or self.fitness or self.batch) if self.meet is None else True
        defaults: dict[str, Value] = {item.name: getattr(self.plan, item.name) for item in fields(Plan)}
        few = {"yardstick_games": 20, "finalist_games": 50, "champion_games": 200, "record_games": 2}
        known = {**self.identity, **(identity or {})}
        return Experiment(
            name=name or self.name,
            summary=self.summary or f"{self.name}, a problem of your own",
            kind=lambda settings: self.under(settings).ecology().kind,
            fitness=lambda settings, workers: self.under(settings).scorer(workers),
            opponents=lambda settings: (self.under(settings)._yardstick(),),
            measure=lambda settings, genome, opponent, games, seed, workers: self.under(settings).measure(
                genome, games, seed
            ),
            settings=self.options,
            defaults={**defaults, **(few if noisy else {})},
            presets={preset: self.presets.get(preset, {}) for preset in PRESETS},
            champion=lambda settings, genome: self.under(settings)._champion(genome),
            facts=lambda settings, genome: self.under(settings)._facts(genome),
            picture=lambda settings, genome: self.under(settings)._picture(genome),
            export=lambda settings, genome: self.under(settings)._export(genome),
            identity=lambda settings: {**known, **self.under(settings).identity},
            examine=lambda settings: self.under(settings)._examine(settings),
            ecology=lambda settings, workers: self.under(settings).ecology(workers),
        )

    def under(self, settings: Settings) -> "Problem":
        """Return the problem that settings mean: another one where it has options, else this one."""
        if self.settled is None:
            return self
        found = called(f"{self.name}: settled", self.settled, settings)
        if not isinstance(found, Problem):
            raise BadParameter(f"{self.name}: settled returned {brief(found)}, a Problem was wanted")
        return found

    def _yardstick(self) -> str:
        if self.tested_on:
            return self.tested_on
        return "what evolution never saw" if self.test else ITSELF if self.meet is None else "parasites"

    def measure(self, genome: Any, samples: int = 100, seed: int = 0) -> Measure:
        """Return how good a genome is: by `test`, else by the fitness, as often as it depends on chance."""
        metric, direction = (
            self.metric or ("test" if self.test else "fitness"),
            self.test_direction or self.directions[0],
        )
        about: dict[str, Any] = {"opponent": self._yardstick(), "unit": self.unit, "direction": direction}
        if self.meet is not None and self.test is None:
            return self._against_parasites(genome, samples, seed, metric)
        ask: Any = self.test or self.fitness or self.batch
        if hasattr(ask, "score"):
            found = called(f"{type(ask).__name__}.score", ask.score, [genome], 0, Stream(seed))
            value = as_number(scored(found[0]).value, f"{type(ask).__name__}.score")
            told = -value if direction == LESS else value  # an object says more is better, whatever the direction
            return Measure.exact(about["opponent"], told, metric, self.unit, direction)
        times = samples if self._takes_chance(ask) else 1
        answers = [self._asked(ask, genome, Stream(seed, k)) for k in range(times)]
        if times == 1 and not isinstance(answers[0], list):
            return Measure.exact(about["opponent"], answers[0], metric, self.unit, direction)
        flat = [x for one in answers for x in (one if isinstance(one, list) else [one])]
        return Measure.of_samples(metric, flat, **about)

    def _asked(self, ask: Any, genome: Any, stream: Stream) -> Any:
        """Return the answer of a function about one genome as a number or a list of numbers."""
        is_test = self.test is not None
        shown = self.decode(genome) if ask is not self.batch else [self.decode(genome)]
        what = f"{self.name}: {'test' if is_test else 'fitness'}"
        try:
            answer = self._called(what, ask, (shown,), stream)
            if ask is self.batch:
                answer = next(iter(answer))
            if isinstance(answer, Scored):
                value, way = as_number(answer.value, what), (is_test and self.test_direction) or self.directions[0]
                return -value if way == LESS else value  # of a Scored more is better, whatever the direction
            if is_test or self.cases:
                return number_list(answer, what) if is_list(answer) else as_number(answer, what)
            return number_list(answer, what)[0] if is_list(answer) else as_number(answer, what)
        except Failed:
            if is_test or self.failed is None:
                raise
            return float(self.failed)

    def _called(self, what: str, function: Callable[..., Any], given: tuple[Any, ...], stream: Stream) -> Any:
        """Return what a function answers, which gets a stream if it takes one more parameter."""
        return called(what, function, *given, *((stream,) if takes(function) > len(given) else ()))

    def _against_parasites(self, genome: Any, samples: int, seed: int, metric: str) -> Measure:
        assert self.parasites is not None
        fresh = self.parasites.begin(samples, Stream(seed, 1))
        points = Meetings(self, 1)([(genome, parasite) for parasite in fresh], Stream(seed, 2))
        return Measure.of_samples(metric, [host for host, _ in points], opponent=self._yardstick(), unit=self.unit)

    def _takes_chance(self, function: Any) -> bool:
        return function is not None and not hasattr(function, "score") and takes(function) > 1

    def _examine(self, settings: Settings) -> None:
        """Raise BadParameter for what would end a run later: plans that do not fit, and functions for the end of a run
        that cannot do with any genome (which cannot be mended then, since a run keeps to the text that it began with).
        """
        plan, inner = plan_of(settings), self.ecology().inner
        demand_fitting(self.scorer(), plan, self.ecology().kind)
        if self.test is None and getattr(self.fitness, "relative", False):
            raise BadParameter(
                f"{self.name}: scores of {type(self.fitness).__name__} depend on who else is there, so a champion is "
                "measured by a test: Problem(test=…)"
            )
        if self.player is not None or self.program is not None:
            any_one = watched(self.genome).make(Stream(0))
            self._champion(any_one)
            self._program(any_one)
        if isinstance(inner, Teams):
            inner.demand_breeding(plan)
        if self.meet is not None:
            assert isinstance(inner, Hosts)
            inner.arms(plan)
            if settings["baseline"]:
                raise BadParameter("hosts have no fitness without parasites, so there is no random search beside them")

    def _champion(self, genome: Any) -> dict[str, Any]:
        if self.player is None:
            return {}
        found = called(f"{self.name}: player", self.player, self.decode(genome))
        if not isinstance(found, dict):
            raise BadParameter(f"{self.name}: player returned {brief(found)}, a dict was wanted")
        demand_json(f"{self.name}: what player returns", found)
        for key in found:
            if key in CHAMPION_KEYS:
                raise BadParameter(
                    f"{self.name}: player returned {key!r}, which the champion's file says itself; choose another name"
                )
        return found

    def _program(self, genome: Any) -> Tree | None:
        """Return the program that a genome is or stands for, if it is one."""
        shown = self.decode(genome)
        if self.program is None:
            return shown if isinstance(shown, Tree) else None
        found = called(f"{self.name}: program", self.program, shown)
        if not isinstance(found, Tree):
            raise BadParameter(f"{self.name}: program returned {brief(found)}, a Tree was wanted")
        return found

    def _facts(self, genome: Any) -> dict[str, Any]:
        tree = self._program(genome)
        if tree is None or tree.language.acts:
            return {}
        from ludwin.program.readable import infix
        from ludwin.program.simplify import simplify
        from ludwin.program.text import lines

        simple = simplify(tree)
        return {"simplified": lines(simple), "formula": infix(simple), "nodes": len(tree), "depth": tree.depth}

    def _picture(self, genome: Any) -> str:
        from ludwin.program.draw import svg

        tree = self._program(genome)
        return "" if tree is None else svg(tree)

    def _export(self, genome: Any) -> str:
        from ludwin.program.export import python

        tree = self._program(genome)
        return "" if tree is None or tree.language.acts else python(tree, notes=(f"A champion of {self.name}.",))


# ---- Ecologies of a problem -----------------------------------------------------------------------------------


class _Unmet:
    """Stands for the fitness of hosts, which they have only beside parasites."""

    def __init__(self, name: str):
        self.name = name

    def score(self, genomes: Sequence[Any], generation: int, stream: Stream) -> list[Score]:
        raise BadParameter(f"{self.name}: hosts have no fitness without parasites")


# ---- Asking users' functions ----------------------------------------------------------------------------------


class ByFunction:
    """The fitness that a problem's function says; several workers are processes."""

    def __init__(self, problem: Problem, workers: int = 1):
        self.problem, self.workers = problem, workers
        self.lasting = not problem._takes_chance(problem.fitness or problem.batch)
        self.away: Any = None  # other machines that ask (`errands.Away`)

    def score(self, genomes: Sequence[Any], generation: int, stream: Stream) -> list[Score]:
        """Ask about all of them."""
        problem = self.problem
        if problem.batch is not None:
            shown = [problem.decode(genome) for genome in genomes]
            what = f"{problem.name}: batch"
            answers = problem._called(what, problem.batch, (shown,), stream)
            if isinstance(answers, str | Mapping) or not hasattr(answers, "__iter__"):
                raise BadParameter(f"{what} returned {brief(answers)}, a list was wanted")
            answers = called(what, list, answers)  # which runs what is left of it, if it is a generator
            if len(answers) != len(genomes):
                raise BadParameter(
                    f"{problem.name}: batch was asked about {len(genomes)} genomes and answered {len(answers)} times"
                )
            return self.filled([self.read(answer, genome) for answer, genome in zip(answers, genomes, strict=True)])
        work = [(genome, stream.split(k).seeds) for k, genome in enumerate(genomes)]
        asked = self.away.asked(work) if self.away is not None else spread_out(self.one, work, self.workers)
        return self.filled(list(asked))

    def one(self, part: tuple[Any, tuple[int, ...]]) -> Scored:
        """Ask about one genome."""
        genome, seeds = part
        problem = self.problem
        try:
            answer = problem._called(
                f"{problem.name}: fitness", problem.fitness, (problem.decode(genome),), Stream(*seeds)
            )
            return self.read(answer, genome)
        except Failed as error:
            if problem.failed is None:
                raise BadParameter(f"{error}, for {brief(problem.genome.text(genome))}{WAY_OUT}") from None
            return self.poorest()

    def poorest(self) -> Scored:
        """Return the score of those that failed."""
        worst = float(self.problem.failed or 0.0)
        return Scored(-worst if self.problem.directions[0] == LESS else worst, {FAILED: 1.0})

    def filled(self, scores: Sequence[Scored]) -> list[Score]:
        """Return scores in which those that failed have as many cases and objectives as the others, all as bad."""
        most, aims = max(len(one.cases) for one in scores), self.problem.aims
        return [
            replace(one, cases=(one.value,) * most, objectives=(one.value,) * aims) if FAILED in one.detail else one
            for one in scores
        ]

    def read(self, answer: Any, genome: Any) -> Scored:
        """Return an answer as a score, in which more is better."""
        problem = self.problem
        what = f"{problem.name}: fitness"
        try:
            if isinstance(answer, Scored):
                return demand_numbers(answer, what)
            if problem.cases or problem.aims:
                if problem.aims == 1 and not is_list(answer):
                    answer = [answer]
                if not is_list(answer):
                    wrong = Failed if answer is None else BadParameter
                    raise wrong(f"{what} returned {brief(answer)}, a list of numbers was wanted")
                values = number_list(answer, what)
                if problem.cases and not values:
                    raise BadParameter(f"{what} returned the results of no cases, one at least was wanted")
                if problem.cases:
                    sign = -1.0 if problem.directions[0] == LESS else 1.0
                    return Scored.of(cases=[sign * value for value in values])
                if len(values) != len(problem.directions):
                    raise BadParameter(
                        f"{what} returned {len(values)} objectives, {len(problem.directions)} directions were given"
                    )
                return Scored.of(objectives=values, directions=problem.directions)
            if is_list(answer):
                raise BadParameter(f"{what} returned a list; say cases=True, or a direction for each objective")
            value = as_number(answer, what)
        except Failed as error:
            if problem.failed is None:
                raise BadParameter(f"{error}, for {brief(problem.genome.text(genome))}{WAY_OUT}") from None
            return self.poorest()
        return Scored(-value if problem.directions[0] == LESS else value)


class Meetings:
    """Hosts meet parasites: what `TwoPopulations` calls, made of a problem's `meet`."""

    def __init__(self, problem: Problem, workers: int = 1):
        self.problem, self.workers = problem, workers

    def __call__(self, pairs: Sequence[tuple[Any, Any]], stream: Stream) -> list[tuple[float, float]]:
        """Return the points of both, for each pair."""
        work = [(pair, stream.split(k).seeds) for k, pair in enumerate(pairs)]
        return list(spread_out(self.one, work, self.workers))

    def one(self, part: tuple[tuple[Any, Any], tuple[int, ...]]) -> tuple[float, float]:
        """Let one pair meet."""
        (host, parasite), seeds = part
        problem = self.problem
        assert problem.meet is not None and problem.parasites is not None
        shown = problem.decode(host), decoded(problem.parasites, parasite)
        answer = problem._called(f"{problem.name}: meet", problem.meet, shown, Stream(*seeds))
        if not is_list(answer) or len(answer) != 2:
            raise BadParameter(f"{problem.name}: meet returned {brief(answer)}, the points of both were wanted")
        first, second = number_list(answer, f"{problem.name}: meet")
        return first, second
