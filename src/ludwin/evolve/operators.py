"""Operators by name: selections, breedings, replacements, mutations, crossovers, first generations, scalings, errors.

Why it is here.  Evolution is a row of decisions, and every one of them is somebody's research.  So each has a table of
names; ours are imported when they are asked for, and whoever has another idea adds it with one line:

>>> from ludwin.evolve.operators import selection
>>> @selection("truncation", "one of the better half, all alike")
... def truncation(pool):
...     best = pool.leaders(max(1, pool.size // 2))
...     return lambda stream: best[stream.below(len(best))]
>>> from ludwin.evolve.plan import Plan
>>> Plan(selection="truncation").selection
'truncation'

A name of ours cannot be taken by another function; a name of one's own can be taken again, which is what an edited
notebook does.  An operator draws from the stream that it is given and from nothing else, so that a run is a function
of its seed.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

from ludwin.errors import BadParameter
from ludwin.evolve.asking import called

Function = TypeVar("Function", bound=Callable[..., Any])


class Operator(NamedTuple):
    """A function with what people read of it; ours is the text of a place until it is used."""

    home: Any
    help: str


class Operators(Mapping[str, Any]):
    """A table of operators of one sort, in which users' own have a place; `takes` says what one is called with."""

    def __init__(self, what: str, takes: tuple[str, ...], ours: Mapping[str, tuple[str, str]]):
        self.what, self.takes = what, takes
        self.ours = {name: Operator(f"ludwin.evolve.{home}", help) for name, (home, help) in ours.items()}
        self.others: dict[str, Operator] = {}

    def __call__(self, name: str, help: str = "") -> Callable[[Function], Function]:
        """Return a decorator that enters a function under a name. Raises BadParameter."""
        if not isinstance(name, str) or not name.strip() or name != name.strip() or len(name.splitlines()) > 1:
            raise BadParameter(f"the name of a {self.what} is a word, got {name!r:.60}")
        if name in self.ours:
            raise BadParameter(f"there is a {self.what} {name!r} of ours; give yours another name")

        def enter(function: Function) -> Function:
            self._demand_shape(name, function)
            self.others[name] = Operator(function, help or (inspect.getdoc(function) or "of one's own").split("\n")[0])
            return function

        return enter

    def _demand_shape(self, name: str, function: Callable[..., Any]) -> None:
        """Raise BadParameter unless a function can be called as operators of this sort are."""
        way_out = f"a {self.what} is a function of ({', '.join(self.takes)})"
        if not callable(function):
            raise BadParameter(f"{name}: {way_out}, got {type(function).__name__}")
        try:
            inspect.signature(function).bind(*self.takes)
        except TypeError:
            raise BadParameter(f"{name} cannot be called with {len(self.takes)} arguments; {way_out}") from None
        except ValueError:  # a function that does not say what it takes
            return

    def __getitem__(self, name: str) -> Any:
        if name in self.others:
            return partial(called, f"{self.what.split(' of ')[0]}={name}", self.others[name].home)
        module, _, attribute = self.ours[name].home.partition(":")
        return getattr(import_module(module), attribute)

    def __contains__(self, name: object) -> bool:
        return name in self.ours or name in self.others

    def __iter__(self) -> Iterator[str]:
        yield from self.ours
        yield from self.others

    def __len__(self) -> int:
        return len(self.ours) + len(self.others)

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def told(self) -> str:
        """Return what each does, in one line: the help of a setting."""
        return "; ".join(f"{name}: {one.help}" for name, one in (*self.ours.items(), *self.others.items()))


SELECTIONS = Operators(
    "selection",
    ("pool",),
    {
        "duel": ("selection:of_duel", "the fitter of two different ones, ties to the second"),
        "tournament": ("selection:of_tournament", "the best of some, drawn with repeats"),
        "rank": ("selection:of_rank", "linear in the rank"),
        "proportionate": ("selection:of_worth", "to fitness"),
        "comparator": ("selection:of_tournament", "a tournament decided by the fitness's own comparison"),
        "uniform": ("selection:of_all", "everybody alike"),
        "lexicase": ("lexicase:lexicase", "whoever is best on the first of the cases in random order, then the next"),
        "epsilon-lexicase": ("lexicase:epsilon_lexicase", "lexicase in which about as good is as good"),
        "lexicographic": ("parsimony:lexicographic", "a tournament in which of equals the smaller wins"),
        "double-tournament": ("parsimony:double_tournament", "winners of tournaments, and the smaller of two of them"),
        "crowded": ("pareto:crowded", "the less dominated of two, of equals the one in the emptier place (NSGA-II)"),
    },
)
BREEDINGS = Operators(
    "breeding",
    ("run", "generation"),
    {
        "ga": ("engine:by_generations", "select, then cross and mutate independently"),
        "gp": ("engine:by_generations", "one operator per child, then its parents"),
        "steady": ("engine:steady", "children replace losers one by one"),
        "mu,lambda": ("engine:strategy", "evolution strategy, parents are forgotten"),
        "mu+lambda": ("engine:strategy", "evolution strategy, parents stay beside their children"),
        "random": ("engine:by_generations", "random search"),
        "cma": ("covariance:adapt", "CMA-ES: children around a mean, with a covariance that learns"),
        "alps": ("alps:layered", "layers by age; the youngest begins again from time to time"),
        "map-elites": ("elites:illuminate", "the best of every niche of size and behaviour"),
        "shapes": ("shapes:compete", "programs of several shapes, each with children of its own"),
        "terms": ("recipe:not_by_the_engine", "bags of terms; labels and games weigh them (board games)"),
    },
)
REPLACEMENTS = Operators(
    "replacement",
    ("run", "parents", "children", "stream"),
    {
        "generational": ("replacement:generational", "the children, and nobody else"),
        "plus": ("replacement:plus", "the best of parents and children"),
        "crowding": ("replacement:crowding", "a child takes its first parent's place if it is no worse"),
        "nsga2": ("pareto:nondominated", "the less dominated of parents and children, then the less crowded"),
    },
)
MUTATIONS = Operators(
    "mutation of trees",
    ("tree", "stream", "limits"),
    {
        "subtree": ("trees:mutate_subtree", "a new subtree"),
        "point": ("trees:mutate_point", "another primitive at one node"),
        "constant": ("trees:mutate_constant", "one constant or place"),
        "local": ("trees:mutate_factor", "the factor of one node (the book's local mutation)"),
        "shake": ("sums:shake", "all constants a little"),
        "insert": ("trees:mutate_insert", "a function above one node"),
        "term": ("trees:mutate_term", "a term, with a factor, added to one node"),
        "hoist": ("parsimony:hoist", "a subtree takes the place of the whole"),
        "shrink": ("parsimony:shrink", "a terminal takes the place of a subtree"),
    },
)
CROSSOVERS = Operators(
    "crossover of vectors",
    ("a", "b", "stream"),
    {
        "one-point": ("vectors:one_point", "everything behind a random cut"),
        "two-point": ("vectors:two_point", "a random stretch"),
        "uniform": ("vectors:uniform", "each gene with probability 1/2"),
        "sbx": ("vectors:simulated_binary", "real genes around those of the parents (simulated binary)"),
    },
)
STARTS = Operators(
    "first generation of trees",
    ("language", "count", "stream", "low", "high"),
    {
        "ramped": ("trees:begin_ramped", "half full and half grown, depths in turn (Koza)"),
        "full": ("trees:begin_full", "every branch as deep as the others"),
        "grow": ("trees:begin_grow", "branches end where chance says so"),
        "sums": ("trees:begin_sums", "weighted sums of all that the language reads"),
    },
)
SCALINGS = Operators(
    "scaling of regression",
    ("values", "wanted"),
    {
        "none": ("fitted:unscaled", "values count as they are"),
        "linear": ("fitted:linear", "values are fitted by slope and intercept before errors count (Keijzer)"),
        "offset": ("fitted:offset", "values are shifted by the mean error before errors count"),
    },
)
ERRORS = Operators(
    "error of regression",
    ("values", "wanted"),
    {
        "absolute": ("fitted:absolute", "distances; their mean is the mean absolute error"),
        "squared": ("fitted:squared", "squares of distances; their mean is the mean squared error"),
    },
)
GENOMES = Operators(
    "genome of programs",
    ("language", "limits"),
    {
        "tree": ("genomes:as_tree", "one tree"),
        "adf": (
            "genomes:with_functions",
            "a tree and two functions of its own, of one and of two arguments (Koza's ADFs)",
        ),
        "grammar": ("genomes:by_grammar", "codons that a grammar of the whole language makes programs of"),
    },
)

selection, breeding, replacement = SELECTIONS, BREEDINGS, REPLACEMENTS
mutation, crossover, start = MUTATIONS, CROSSOVERS, STARTS
scaling, error, genome = SCALINGS, ERRORS, GENOMES
