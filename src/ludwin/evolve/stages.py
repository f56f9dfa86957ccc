"""The settings of breeding=terms, and the history that an experiment on a board makes of them.

Why it is here.  `recipe.py` knows bags, games and budgets, and no settings; `boards.py` knows settings and nothing of
bags.  This is what lies between.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from ludwin.errors import BadParameter
from ludwin.evolve.experiment import Setting, Settings
from ludwin.evolve.meetings import GUIDES, Term, terms
from ludwin.evolve.plan import NEVER, TERMS
from ludwin.evolve.population import Generation
from ludwin.evolve.recipe import SPREAD, TELLING, Arena, Recipe, Stages, by_chance, by_late, by_recipe
from ludwin.evolve.store import EVOLUTION, LATE
from ludwin.evolve.terms import Growth
from ludwin.evolve.trees import Genome
from ludwin.game import Game
from ludwin.program.language import Language
from ludwin.search.choice import Agent

WIDTHS = (SPREAD, TELLING)
UNUSED: Settings = {
    "islands": 1,
    "stop_at": NEVER,
    "elite": 0,
    "parsimony": 0.0,
    "replacement": "generational",
    "seed_programs": "",
}
CORE = 100  # nodes of programs that are to be widened: families of squares come later
STAGES = (
    Setting("budget", 380_000, "breeding=terms: games in all (tuning takes a step a generation at least)", least=100),
    Setting("shape_generations", 14, "breeding=terms: generations in which structures compete; then the best are tuned",
            least=1),
    Setting("race", "40 60 100", "breeding=terms: games of a race's rounds, each but the first for the better half"),
    Setting("label_games", 700, "breeding=terms: games whose decisions are labelled, each time", least=8),
    Setting("tuned", 4, "breeding=terms: shapes that are tuned side by side at first", least=1, most=16),
    Setting("wide", 0, "breeding=terms: nodes while programs are tuned, before they are cut to max_size; 0: no more",
            least=0, most=1000),
    Setting("children", 20, "breeding=terms: children of a step of tuning, in mirrored pairs", least=4),
    Setting("tries", 5, "breeding=terms: generations of tuning between structural tries; 0: none", least=0),
    Setting("try_games", 2000, "breeding=terms: games that decide about a structural try", least=40),
    Setting("opening", 6, "breeding=terms: random plies before some of the games", least=0, most=40),
    Setting("opened", 0.5, "breeding=terms: share of the games that begin after such an opening", least=0, most=1),
    Setting("widths", SPREAD, "breeding=terms: how much weights vary; spread: by the spreads of their terms; telling: "
            "also less along what tells leaves of one decision apart, more along the rest", choices=WIDTHS),
    Setting("late_depth", 0, "breeding=terms: plies that both sides look ahead in late tuning, by which the run makes "
            "a second champion, for this depth; 0: there is none", least=0, most=12),
    Setting("late_games", 40_000, "breeding=terms: games of late tuning, if there is any, beyond the budget (ten steps "
            "are taken at least, of all children in ten games each)", least=100),
    Setting("late_opened", 0.0, "breeding=terms: share of these games that begins after a random opening", least=0,
            most=1),
    Setting("families", 0.0, "breeding=terms: chance that a new term is a terminal at all its places", least=0, most=1),
    Setting("first_terms", 20, "breeding=terms: most terms of the first programs", least=1),
)  # fmt: skip


def race_of(text: str) -> tuple[int, ...]:
    """Return the rounds of a race. Raises BadParameter."""
    parts = text.split()
    if not parts or not all(part.isascii() and part.isdigit() and 0 < int(part) <= 10**6 for part in parts):
        raise BadParameter(f"race must be numbers of games, such as 40 60 100, got {text!r:.60}")
    return tuple(map(int, parts))


def only_term(settings: Settings) -> Term:
    """Return the opponent and the games of one child. Raises BadParameter if there is not exactly one guide."""
    found = terms(settings["fitness"])
    if len(found) != 1 or found[0].kind not in GUIDES:
        raise BadParameter(
            f"breeding=terms needs one guide in fitness, such as 40guide3, got {settings['fitness']!r:.60}"
        )
    return found[0]


def recipe_of(
    settings: Settings, game: Game, language: Language, opponent: Callable[[Term], Agent], seed: int, workers: int
) -> Recipe:
    """Return the recipe that the settings describe. Raises BadParameter."""
    term = only_term(settings)
    if settings["trees"] != 1:
        raise BadParameter(f"breeding=terms makes one tree, got trees={settings['trees']}")
    if settings["generations"] <= settings["shape_generations"]:
        raise BadParameter(
            f"breeding=terms tunes in the end, so generations must be above shape_generations, got "
            f"{settings['generations']} and {settings['shape_generations']}"
        )
    if 0 < settings["wide"] < settings["max_size"]:
        raise BadParameter(f"wide must be 0 or at least max_size, got {settings['wide']} and {settings['max_size']}")
    for key, value in UNUSED.items():
        if settings[key] != value:
            raise BadParameter(f"breeding=terms makes no use of {key}; leave it away, or choose another breeding")
    if settings["max_size"] < 2:
        raise BadParameter("breeding=terms makes sums, of which the least has 2 nodes; max_size is at least that")
    if settings["population"] < 2:
        raise BadParameter("breeding=terms needs a population of at least 2, for two lineages")
    stages = Stages(
        budget=settings["budget"],
        generations=settings["generations"],
        shapes=settings["shape_generations"],
        places=settings["population"],
        births=settings["offspring"] or 2 * settings["population"],
        race=race_of(settings["race"]),
        label_games=settings["label_games"],
        tuned=settings["tuned"],
        wide=settings["wide"],
        most=settings["max_size"],
        children=settings["children"],
        child_games=term.games,
        tries=settings["tries"],
        try_games=settings["try_games"],
        plies=settings["opening"],
        opened=settings["opened"],
        widths=settings["widths"],
        late_games=settings["late_games"] if settings["late_depth"] else 0,
        late_opened=settings["late_opened"],
    )
    growth = Growth(
        most_nodes=min(settings["max_size"], CORE) if settings["wide"] else settings["max_size"],
        least_terms=min(3, settings["first_terms"]),
        most_terms=settings["first_terms"],
        families=settings["families"],
    )
    depth = settings["train_depth"] or settings["depth"]
    far = settings["late_depth"]
    if far and term.kind == "uct":
        raise BadParameter(f"late_depth needs an opponent that looks ahead, got {settings['fitness']!r:.60}")
    late = (opponent(replace(term, depth=far)), far) if far else None
    return Recipe(Arena(game, language, opponent(term), depth, workers, late), stages, growth, seed)


def staged(
    settings: Settings, branch: str, recipe: Callable[[], Recipe], start: Generation[Genome] | None
) -> Iterator[Generation[Any]] | None:
    """Return the history of a branch by the recipe, or None if the settings breed in another way."""
    if settings["breeding"] != TERMS:
        return None
    made = recipe()
    if branch == LATE:
        assert start is not None, "late tuning begins with somebody"
        return by_late(made, start)
    return by_recipe(made, start) if branch == EVOLUTION else by_chance(made, start)
