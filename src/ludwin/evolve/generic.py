"""Evolution for any game file: a language built from its queries and mobility.

Why it is here.  Whoever writes a game and says what can be asked about a position, in `QUERIES`, has said
all that evolution needs.  Queries are the terminals, the functions are those of every board game
here, and opponents are guides, which need no knowledge of the game.
"""

import re
import unicodedata

from ludwin.errors import BadParameter, CannotPlay
from ludwin.evolve.boards import OURS, Board, can_play_sums
from ludwin.evolve.boards import experiment as on_board
from ludwin.evolve.experiment import Experiment
from ludwin.game import Game
from ludwin.library import load
from ludwin.program.board import BASIC, FUNCTIONS, B, F
from ludwin.program.interpret import MOBILITY
from ludwin.program.language import Language, Primitive
from ludwin.search.choice import demand_two_players
from ludwin.search.guide import Guide
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


def language(game: Game) -> Language:
    """Return the language of a game: its queries and mobility as terminals. Raises BadParameter."""
    terminals = []
    for name, (kind, places) in game.queries.items():
        if not name or name == MOBILITY:
            raise BadParameter(
                f"{game.name}: a query cannot be called {name!r}"
                + ("; that is the number of legal moves, in every game" if name else "")
            )
        terminals.append(Primitive(word(name), B if kind == "bool" else F, reads=name, places=places, help=name))
    mobility = Primitive("Mobility", F, reads=MOBILITY, help="the number of legal moves")
    known = {primitive.name for primitive in (*FUNCTIONS, *BASIC, mobility)}
    for terminal in terminals:
        if terminal.name in known:
            taken = ", ".join(sorted(known))
            raise BadParameter(
                f"{game.name}: the query {terminal.reads!r} is called {terminal.name} in programs, which is taken "
                f"({taken}); choose another name"
            )
        known.add(terminal.name)
    return Language(f"queries of {game.name}", (F, B), (*FUNCTIONS, *BASIC, *terminals, mobility))


def experiment(text: str) -> Experiment:
    """Return the experiment that evolves evaluations for a game. Raises CannotPlay or BadParameter."""
    game = load(text)
    try:
        demand_two_players(Guide(), game)
    except CannotPlay as error:
        raise CannotPlay(f"evolution is for games that alpha-beta plays: {str(error).partition(';')[0]}") from None
    spoken = language(game)
    linear = 0.5 if can_play_sums(game, spoken) else 0.0
    board = Board(lambda settings: text, lambda settings: spoken, record=lambda settings: ("random", "guide:depth=3"))
    return on_board(
        named(game),
        f"evaluations for {game.name}, from {len(game.queries)} queries and mobility",
        board,
        defaults={
            **OURS,
            "depth": 2,
            "against": "guide:depth=2",
            "fitness": "40guide2",
            "rounds": 2,
            "max_depth": 14,
            "linear": linear,
        },
        presets={
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
        },
        identity=lambda settings: {
            "game": game.fingerprint,
            **({"texts": game.source.texts_hash} if not game.is_ours else {}),
        },
    )
