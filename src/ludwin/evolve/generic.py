"""Evolution for any game file: a language built from its queries, or its fields, and mobility.

Why it is here.  Whoever writes a game and says what can be asked about a position, in `QUERIES`, has said
all that evolution needs.  Queries are the terminals, the functions are those of every board game
here, and opponents are guides, which need no knowledge of the game.  A game without queries is read by its fields
(`kernel/asked.py`), which the summary says; a file in TOML may declare another language.  Games of chance, of hidden
information and of more players have other players and opponents (`open_games.py`); games for one have instances
instead of opponents (`alone.py`).
"""

import re
import unicodedata
from dataclasses import replace
from typing import cast

from ludwin.errors import BadParameter
from ludwin.evolve import open_games
from ludwin.evolve.alone import alone
from ludwin.evolve.boards import OURS, Board, can_play_sums
from ludwin.evolve.boards import experiment as on_board
from ludwin.evolve.experiment import Experiment, Setting, Settings
from ludwin.evolve.learned import NONE, demand_teachable, taught
from ludwin.evolve.learned import SETTINGS as LEARN
from ludwin.evolve.players import ALPHABETA, SEES, searcher
from ludwin.evolve.trees import Trees
from ludwin.game import Game
from ludwin.kernel.asked import asked, has_only_fields
from ludwin.kernel.tactics import PREFIX
from ludwin.kernel.tactics import offered as offered_facts
from ludwin.library import load, split
from ludwin.program.board import BASIC, FUNCTIONS, B, F
from ludwin.program.interpret import MOBILITY
from ludwin.program.language import Language, Primitive
from ludwin.program.toml import from_toml
from ludwin.trust import named


def word(name: str) -> str:
    """Return the name of a terminal for a query.

    >>> word("my men")
    'my_men'
    >>> word("größe"), word("2nd"), word("nan")
    ('gro_e', 'q_2nd', 'q_nan')
    """
    letters = "".join(letter for letter in unicodedata.normalize("NFKD", name) if not unicodedata.combining(letter))
    plain = re.sub(r"\W+", "_", letters, flags=re.ASCII).strip("_")
    return plain if plain and not plain[0].isdigit() and plain not in ("inf", "nan") else f"q_{plain}"


PLAIN, TACTICAL = "plain", "tactical"
FLAVOURS = (PLAIN, TACTICAL)


def language(game: Game, flavour: str = PLAIN) -> Language:
    """Return the language of a game: its queries, or else its fields, and mobility as terminals. Raises BadParameter.

    The tactical flavour has facts beside them that need nothing but the rules (`kernel/tactics.py`): mobility and noisy
    moves of both sides, the distance of a puzzle; it is refused where the game offers none.

    A field with a name of the language's own is called `field_NAME`; a query with such a name is refused.
    """
    terminals: list[Primitive] = []
    mobility = Primitive("Mobility", F, reads=MOBILITY, help="the number of legal moves")
    known = {primitive.name for primitive in (*FUNCTIONS, *BASIC, mobility)}
    for name, (kind, places) in asked(game).items():
        if not name or name == MOBILITY:
            raise BadParameter(
                f"{game.name}: a query cannot be called {name!r}"
                + ("; that is the number of legal moves, in every game" if name else "")
            )
        spoken = word(name)
        while has_only_fields(game) and spoken in known:
            spoken = f"field_{spoken}"
        if spoken in known:
            taken = ", ".join(sorted(known))
            raise BadParameter(
                f"{game.name}: the query {name!r} is called {spoken} in programs, which is taken "
                f"({taken}); choose another name"
            )
        known.add(spoken)
        said = name if name.isprintable() else repr(name)
        terminals.append(Primitive(spoken, B if kind == "bool" else F, reads=name, places=places, help=said))
    own_name = split(named(game))[0]  # champions' files hold it, and no path
    if flavour == PLAIN:
        return Language(f"queries of {own_name}", (F, B), (*FUNCTIONS, *BASIC, *terminals, mobility))
    facts = offered_facts(game)
    if not facts:
        raise BadParameter(
            f"{game.name} offers no tactical facts: define null(s), which gives the turn away, or let mover return one "
            f"field; for a puzzle define distance(s)"
        )
    for fact in facts:
        spoken = "".join(part.title() for part in fact.removeprefix(PREFIX).split())
        while spoken in known:
            spoken = f"tactical_{spoken}"
        known.add(spoken)
        terminals.append(Primitive(spoken, F, reads=fact, help=fact))
    return Language(f"queries of {own_name}, tactical", (F, B), (*FUNCTIONS, *BASIC, *terminals, mobility))


def declared(game: Game, text: str) -> Language:
    """Return the language that a user declares in TOML for a game. Raises BadParameter if the game cannot answer it."""
    found, offered = from_toml(text), {**asked(game), **dict.fromkeys((MOBILITY, *offered_facts(game)), ("float", 0))}
    for one in found.primitives:
        if one.acts:
            raise BadParameter(f"language {found.name}: {one.name} acts, and what judges positions can only compute")
        if not one.reads:
            continue
        if one.reads not in offered:
            raise BadParameter(
                f"language {found.name}: {one.name} reads {one.reads!r}, which {game.name} does not answer "
                f"(it answers {', '.join(offered)})"
            )
        if one.places > max(offered[one.reads][1], 1):
            raise BadParameter(
                f"language {found.name}: {one.name} has {one.places} places, and {one.reads!r} of {game.name} has "
                f"{offered[one.reads][1]}"
            )
    return found


LANGUAGE = Setting("language", "", "a language in TOML instead of the game's own; --language FILE reads it")
FLAVOUR = Setting(
    "flavour",
    PLAIN,
    "what programs read: plain, queries or fields and mobility; tactical, also mobility and noisy moves of both sides, "
    "or the distance of a puzzle",
    choices=FLAVOURS,
)


def experiment(text: str) -> Experiment:
    """Return the experiment that evolves evaluations for a game. Raises CannotPlay or BadParameter."""
    game = load(text)
    search = searcher(game)
    generic = language(game)

    def spoken(settings: Settings) -> Language:
        if settings.get("language"):
            if settings.get("flavour", PLAIN) != PLAIN:
                raise BadParameter(
                    f"flavour={settings['flavour']} is of the game's own language; a language of yours reads what it "
                    "names, tactical facts too"
                )
            return declared(game, settings["language"])
        return language(game, settings["flavour"]) if settings.get("flavour", PLAIN) != PLAIN else generic

    if game.players == 1:
        return alone(game, (LANGUAGE, FLAVOUR), spoken)
    linear = 0.5 if can_play_sums(game, generic) else 0.0
    record = ("random", "guide:depth=3") if search == ALPHABETA else open_games.RECORD
    board = Board(lambda settings: text, spoken, record=lambda settings: record)
    count = len(asked(game))
    what = f"{count} readings of its fields (it declares no QUERIES)" if has_only_fields(game) else f"{count} queries"
    how = "" if search == ALPHABETA else f", in {SEES[search]}"
    defaults = {
        **OURS,
        "depth": 2,
        "against": "guide:depth=2",
        "fitness": "40guide2",
        "rounds": 2,
        "max_depth": 14,
        "alike": 64,
    }
    presets: dict[str, dict[str, int | float | str | bool]] = {
        "quick": {
            "population": 50,
            "generations": 10,
            "yardstick_games": 200,
            "finalist_games": 200,
            "champion_games": 400,
            "record_games": 200,
        },
        "standard": {"population": 100, "generations": 40, "fitness": "80guide2+10co", "baseline": True},
        "paper": {"population": 200, "generations": 100, "fitness": "80guide2+25co", "baseline": True},
    }
    made = on_board(
        named(game),
        f"evaluations for {game.name}, from {what} and mobility{how}",
        board,
        settings=(LANGUAGE, FLAVOUR, *LEARN),
        defaults={**(defaults if search == ALPHABETA else open_games.DEFAULTS), "linear": linear},
        presets=presets if search == ALPHABETA else open_games.PRESETS,
        identity=lambda settings: {
            "game": game.fingerprint,
            **({"texts": game.source.texts_hash} if not game.is_ours else {}),
        },
    )
    plain = made.kind

    examined = made.examine

    def examine(settings: Settings) -> None:
        examined(settings)
        if settings["learn"] != NONE:
            demand_teachable(game)
            taught(cast(Trees, plain(settings)), game, settings)

    made = replace(made, kind=lambda settings: taught(cast(Trees, plain(settings)), game, settings), examine=examine)
    return made if search == ALPHABETA else open_games.opened(made, game)
