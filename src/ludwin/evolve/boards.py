"""Experiments on two-player board games: evolved evaluations inside alpha-beta.

Why it is here.  Lose checkers, 10x10 checkers, reversi and a user's own game differ in rules, queries and
opponents, and in nothing else.  This module makes an experiment of these, with the settings
that chapter 3 of *Evolved to Win* names.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ludwin.arena.stats import Repeats
from ludwin.errors import BadParameter
from ludwin.evolve.behaviour import ALIKE, Behaviour
from ludwin.evolve.bouts import Bouts
from ludwin.evolve.experiment import Experiment, Measure, Setting, Settings, Value, plan
from ludwin.evolve.meetings import GUIDES, ByPlay, Term, by_play, demand_partners, terms
from ludwin.evolve.minds import written
from ludwin.evolve.openings import OpenedBouts, beginnings
from ludwin.evolve.people import formulas, in_html
from ludwin.evolve.plan import TERMS
from ludwin.evolve.recipe import Recipe
from ludwin.evolve.stages import STAGES, recipe_of, staged
from ludwin.evolve.sums import demand_inputs, sum_size, weighted_sum
from ludwin.evolve.terms import bag_of, without_term
from ludwin.evolve.trees import Genome, Trees
from ludwin.game import Game
from ludwin.library import agent, load
from ludwin.program.assemble import assemble
from ludwin.program.language import Language
from ludwin.program.stream import Stream
from ludwin.program.text import lines, read, write
from ludwin.program.tree import Tree, join, leaf
from ludwin.program.values import LONGEST, inputs
from ludwin.program.vary import Limits
from ludwin.search.choice import Agent
from ludwin.search.programs import program_player
from ludwin.search.shaped import shaped_player
from ludwin.trust import named

EXPANDED = ", itself at depth "  # behind an opponent's text: the champion looks so far, whatever it evolved with
OPENED = (
    ", after random plies: "  # behind an opponent's text, and before EXPANDED: how many plies begin each pair of games
)
TEN = 10
TERMS_OF = 3  # terms from which on a program is taken apart as a sum
MANY = 600  # games for which it pays to compile a program's shape
TOP = 100  # more than the code of the fixed top above ten trees
MUTATIONS = ("subtree", "point", "constant", "local", "shake")

SETTINGS = (
    Setting("depth", 3, "plies that evolved players look ahead", least=1, most=12),
    Setting(
        "train_depth",
        0,
        "plies that they look ahead in the games of fitness; 0: as far as the champion",
        least=0,
        most=12,
    ),
    Setting(
        "fitness",
        "50co",
        "games that fitness counts, such as 20guide3+30co (rand, guide, floor, uct, co, fame, ways, knockout)",
    ),
    Setting("rounds", 1, "rounds into which the games against a guide are split", least=1),
    Setting(
        "cutoff",
        0.25,
        "who trails the best by more than this share of the points so far sits out the later rounds",
        least=0,
        most=1,
    ),
    Setting("trees", 1, "trees of an individual: 1, or 10 below the book's fixed top", least=1, most=10),
    Setting("max_depth", 14, "depth of the deepest program", least=1, most=60),
    Setting(
        "max_size",
        300,
        "nodes of the largest program, but for weighted sums and seeds that a run begins with",
        least=1,
        most=1000,
    ),
    Setting("init_low", 2, "least depth of the first programs", least=0, most=12),
    Setting("init_high", 6, "greatest depth of the first programs", least=0, most=12),
    Setting("linear", 0.0, "share of the first programs that are weighted sums of all terminals", least=0, most=1),
    Setting("sum_of", "", "terminals of these sums, separated by blanks; empty: all"),
    Setting("blend", 0.0, "probability that two programs of one shape cross by mixing constants", least=0, most=1),
    Setting("subtree", 1.0, "weight of mutation: a new subtree", least=0),
    Setting("point", 0.0, "weight of mutation: another primitive at one node", least=0),
    Setting("constant", 0.0, "weight of mutation: one constant or place", least=0),
    Setting("local", 0.0, "weight of mutation: the factor of one node (the book's local mutation)", least=0),
    Setting("shake", 0.0, "weight of mutation: all constants a little", least=0),
    Setting("step", 0.1, "standard deviation of a change of a factor or a constant", least=0),
    ALIKE,
    Setting("seed_programs", "", "programs to begin with, as text, separated by ;"),
    Setting(
        "deep_games",
        0,
        "games of the champion where it looks further than it evolved with, which are slow; 0: record_games",
        least=0,
    ),
    Setting("against", "guide:depth=3", "the yardstick: the agent that the best are measured against", is_agent=True),
)


# What the book's experiments have in common, and what we found to be faster.
BOOK: dict[str, Value] = {
    "population": 100,
    "generations": 100,
    "breeding": "ga",
    "selection": "duel",
    "one_way": "fitter",
    "crossover": 0.8,
    "mutation": 0.2,
    "subtree": 0.5,
    "local": 0.5,
    "max_depth": 14,
}
OURS: dict[str, Value] = {
    "breeding": "mu,lambda",
    "recombination": "all",
    "mutation": 0.05,
    "linear": 1.0,
    "subtree": 0.4,
    "point": 0.2,
    "constant": 0.4,
    "local": 0.0,
    "max_size": 600,
}


@dataclass(frozen=True)
class Board:
    """What differs from game to game."""

    game: Callable[[Settings], str]
    language: Callable[[Settings], Language]
    guide: Callable[[Term], str] = field(default=lambda term: guide_text(term))
    record: Callable[[Settings], Sequence[str]] = field(default=lambda settings: ())


def guide_text(term: Term, opinions: str = "") -> str:
    """Return the text of the opponent that a term of a fitness names."""
    if term.kind == "rand":
        return "random"
    if term.kind == "uct":
        return f"uct:playouts={term.depth}"
    more = f",eval={opinions}" if opinions else ""
    return f"guide:depth={term.depth}{',floor=0' if term.kind == 'floor' else ''}{more}"


@lru_cache(maxsize=8)
def _game(text: str) -> Game:
    return load(text)


@lru_cache(maxsize=64)
def _agent(text: str) -> Agent:
    return agent(text)


def compose(genome: Genome) -> Tree:
    """Return the one program that an individual plays by: its tree, or its ten below the fixed top."""
    return genome[0] if len(genome) == 1 else top(genome)


def player(genome: Genome, depth: int) -> Agent:
    """Return the player that an individual makes: alpha-beta of so many plies with its program as brain."""
    return program_player(compose(genome), depth)


def top(trees: Sequence[Tree]) -> Tree:
    """Return ten trees below the top that does not evolve: three comparisons choose among four of them.

    IFT(T1 <= T2, IFT(T3 <= T4, T5, T6), IFT(T7 <= T8, T9, T10))
    """
    if len(trees) != TEN:
        raise BadParameter(f"the fixed top takes {TEN} trees, got {len(trees)}")
    language = trees[0].language

    def choice(a: Tree, b: Tree, then: Tree, other: Tree) -> Tree:
        return join(language, "IFT", join(language, "LowerEqual", a, b), then, other)

    return choice(trees[0], trees[1], choice(*trees[2:6]), choice(*trees[6:10]))


def kind(board: Board, settings: Settings) -> Trees:
    """Return the genomes that the settings describe."""
    language = board.language(settings)
    count = settings["trees"]
    if count not in (1, TEN):
        raise BadParameter(f"trees must be 1 or {TEN}, got {count}")
    weights = tuple((name, float(settings[name])) for name in MUTATIONS)
    if not any(weight for _, weight in weights):
        raise BadParameter(f"one of {', '.join(MUTATIONS)} must have a weight above 0")
    if settings["init_low"] > min(settings["init_high"], settings["max_depth"]):
        raise BadParameter(
            f"init_low must be at most init_high and max_depth, got {settings['init_low']}, {settings['init_high']} "
            f"and {settings['max_depth']}"
        )
    names = tuple(
        name for name in settings["sum_of"].split() if name != "Mobility" or settings.get("mobility", True)
    )  # a preset's sum may name it
    demand_inputs(language, names)
    roles = (("program", language),) if count == 1 else tuple((f"T{k + 1}", language) for k in range(count))
    limits = Limits(settings["max_depth"], settings["max_size"], step=settings["step"])
    seeds = tuple(_seed(language, text, count) for text in settings["seed_programs"].split(";") if text.strip())
    return Trees(
        roles,
        limits,
        settings["init_low"],
        settings["init_high"],
        weights,
        seeds,
        settings["linear"],
        settings["blend"],
        names,
    )


def _seed(language: Language, text: str, count: int) -> Genome:
    if count > 1:
        raise BadParameter("seed_programs are for individuals of one tree")
    return (read(language, text.strip()),)


def fitness(board: Board, settings: Settings, workers: int) -> ByPlay:
    """Return the fitness that the settings describe."""
    depth = settings["train_depth"] or settings["depth"]
    game, alike = _game(board.game(settings)), settings.get("alike", 0)
    bouts = Bouts(game, lambda genome: player(genome, depth), workers)
    return by_play(
        bouts,
        settings["fitness"],
        lambda term: _agent(board.guide(term)),
        rounds=settings["rounds"],
        cutoff=settings["cutoff"],
        behaviour=Behaviour(game, alike, compose) if alike else None,
    )


def _recipe(board: Board, settings: Settings, seed: int, workers: int) -> Recipe:
    """Return the recipe that the settings describe. Raises BadParameter."""
    game, language = _game(board.game(settings)), board.language(settings)
    return recipe_of(settings, game, language, lambda term: _agent(board.guide(term)), seed, workers)


def can_play_sums(game: Game, language: Language, names: Sequence[str] = (), count: int = 1) -> bool:
    """Return whether individuals of so many weighted sums have room in a player."""
    if count * sum_size(language, names) > LONGEST:
        return False
    made = assemble(weighted_sum(language, Stream(0), names), inputs(game))
    return count * max(len(made.code), len(made.registers)) + TOP < LONGEST


def examine(board: Board, settings: Settings) -> None:
    """Raise BadParameter or CannotPlay if somebody whom the settings name cannot be met in this game."""
    game, breeding = _game(board.game(settings)), plan(settings)
    language, names = board.language(settings), kind(board, settings).sum_of
    if settings["linear"] and not can_play_sums(game, language, names, settings["trees"]):
        raise BadParameter(
            "weighted sums of so many terminals are too large to play; name fewer in sum_of, or set linear=0"
        )
    if settings["breeding"] == TERMS:
        _recipe(board, settings, 0, 1)
    elif settings["late_depth"]:
        raise BadParameter(f"late_depth tunes bags of terms: it needs breeding=terms, got {settings['breeding']}")
    for text in opponents(board, settings):
        name, _, _ = meeting(text)
        _agent(name).suits(game)
        if _agent(name).timed:
            raise BadParameter(f"{name} depends on the clock, so the run could not be repeated; give it another budget")
        if _agent(name).foreign:
            raise BadParameter(
                f"{name} runs code that is not ours, so the run could not be repeated; meet it in a match"
            )
    for term in terms(settings["fitness"]):
        if term.kind in GUIDES:
            _agent(board.guide(term)).suits(game)
        elif term.kind != "fame":
            judged = breeding.births + (breeding.population if breeding.breeding == "mu+lambda" else 0)
            demand_partners(term, {breeding.population, judged if breeding.generations else breeding.population})


def meeting(text: str) -> tuple[str, int, int]:
    """Return whom a text names, after how many random plies, and how deep the champion looks (0: as it evolved).

    Raises BadParameter.
    """
    rest, _, expanded = text.partition(EXPANDED)
    name, _, opened = rest.partition(OPENED)
    for word, number in ((EXPANDED, expanded), (OPENED, opened)):
        if word in text and not (number.isascii() and number.isdigit() and 0 < int(number) < 1000):
            raise BadParameter(f"{text!r:.80}: behind {word.strip(' ,')!r} comes a whole number from 1")
    return name, int(opened or 0), int(expanded or 0)


def measure(
    board: Board, settings: Settings, genome: Genome, opponent: str, games: int, seed: int, workers: int
) -> Measure:
    """Play pairs of games on the same seed, sides swapped."""
    text, plies, expanded = meeting(opponent)
    depth, game = expanded or settings["depth"], _game(board.game(settings))
    make = shaped_player if games >= MANY else program_player  # the same opinions, sooner
    begins = beginnings(game, plies, 1.0)
    bouts = OpenedBouts(game, lambda genome: make(compose(genome), depth), workers, begins)
    stream = Stream(seed)
    seeds = [stream.split(k).seed() for k in range((games + 1) // 2)]
    found = bouts.against(genome, _agent(text), seeds)
    counts, repeats = [0] * 5, Repeats()
    for first, second in zip(found[::2], found[1::2], strict=True):
        counts[int(2 * (first.points + second.points))] += 1
    for bout in found:
        repeats.note(bout.mark)
    return Measure.of(opponent, counts, repeats)


def opponents(board: Board, settings: Settings) -> list[str]:
    """Return the yardstick, then whom else a champion is measured against."""
    return list(dict.fromkeys([settings["against"], *board.record(settings)]))


def record_games(settings: Settings, opponent: str) -> int:
    """Return the games of the champion against one of the others."""
    games = settings["deep_games"] if EXPANDED in opponent else 0
    return int(games or settings["record_games"])


def most_fitness(settings: Settings) -> float | None:
    """Return the points that a perfect player would have; None where they hang on others."""
    found = terms(settings["fitness"])
    if settings["breeding"] == TERMS or any(term.kind not in GUIDES for term in found):
        return None
    return sum(term.games * term.weight for term in found)


def champion(board: Board, settings: Settings, genome: Genome) -> dict[str, Any]:
    """Return what a champion's file says beside its genome: all that is needed to play it."""
    return {"game": named(_game(board.game(settings))), "player": written(player(genome, settings["depth"]))}


def facts(settings: Settings, genome: Genome) -> dict[str, Any]:
    """Return what can be said of a program without playing it."""
    from ludwin.program.simplify import simplify, usage

    program = compose(genome)
    simple = simplify(program)
    return {
        **formulas(program),
        "program": lines(program),
        "simplified": lines(simple),
        "nodes": len(program),
        "live nodes": len(program.live),
        "simplified nodes": len(simple),
        "depth of the tree": program.depth,
        "used": {name: {"live": use.live, "introns": use.introns} for name, use in usage(program).items()},
    }


def parts(settings: Settings, genome: Genome) -> list[tuple[str, Genome]]:
    """Return the program without each of its inputs, and without each large part."""
    program = compose(genome)
    language = program.language
    found: list[tuple[str, Genome]] = []
    inputs = sorted({program.primitive(at).name for at in program.live if program.primitive(at).reads})
    for name in inputs:
        rest = program
        for at in range(len(program)):
            if program.primitive(at).name == name:
                rest = rest.change(at, node=language.find(_neutral(language, program.returns(at))), value=0.0, place=0)
        found.append((f"all {name}", (rest,)))
    bag = bag_of(program) if _sum_terms(program) >= TERMS_OF else None
    for number in range(bag.count if bag else 0):
        assert bag is not None
        terms = [term for phase in bag.terms for term in phase]
        found.append((f"the term {write(terms[number])}", (without_term(bag, number).tree(),)))
    for at in sorted(program.live) if bag is None else ():
        if 0 < program.levels[at] <= 2 and program.primitive(at).takes:
            neutral = leaf(language, _neutral(language, program.returns(at)))
            text = write(program.subtree(at))
            found.append((text if len(text) <= 60 else f"{text[:57]}…", (program.graft(at, neutral),)))
    return found


def _sum_terms(program: Tree) -> int:
    """Return how many terms a program has as a sum; 0 if its language has no sums."""
    try:
        return bag_of(program).count
    except BadParameter:
        return 0


def _neutral(language: Language, word: str) -> str:
    """Return the terminal that a part is replaced by: nought or false, else the first that fits."""
    fitting = [language.primitives[k] for k in language.fitting[word] if not language.primitives[k].takes]
    for primitive in fitting:
        if primitive.rule == "0.0":
            return primitive.name
    return fitting[0].name


def picture(settings: Settings, genome: Genome) -> str:
    """Return the program as a tree, in SVG."""
    from ludwin.program.draw import svg

    return svg(compose(genome))


def experiment(
    name: str,
    summary: str,
    board: Board,
    *,
    settings: Sequence[Setting] = (),
    defaults: Mapping[str, Value] | None = None,
    presets: Mapping[str, Mapping[str, Value]] | None = None,
    identity: Callable[[Settings], dict[str, Any]] | None = None,
) -> Experiment:
    """Return the experiment on a board."""

    def export(given: Settings, genome: Genome) -> str:
        from ludwin.program.export import python

        return python(compose(genome), named(_game(board.game(given))))

    more: dict[str, Any] = {"identity": identity} if identity else {}
    return Experiment(
        name=name,
        summary=summary,
        kind=lambda given: kind(board, given),
        fitness=lambda given, workers: fitness(board, given, workers),
        opponents=lambda given: opponents(board, given),
        measure=lambda given, genome, opponent, games, seed, workers: measure(
            board, given, genome, opponent, games, seed, workers
        ),
        settings=(*SETTINGS, *STAGES, *settings),
        defaults=defaults or {},
        presets=presets or {},
        champion=lambda given, genome: champion(board, given, genome),
        facts=facts,
        parts=parts,
        picture=picture,
        page=lambda given, genome: in_html(compose(genome)),
        most=most_fitness,
        record_games=record_games,
        export=export,
        examine=lambda given: examine(board, given),
        history=lambda given, branch, seed, workers, start: staged(
            given, branch, lambda: _recipe(board, given, seed, workers), start
        ),
        **more,
    )
