"""Reference players of chess.

`tactician` is alpha-beta at its best, `endgame` knows endings by heart, `mate` proves mates; `advised`, `master` and
`gpec190` play as the players of *Evolved to Win*, chapter 4, do: by programs of a champion, and by printed ones.
"""

from ludwin.games.chess.opponents.advised import Advised
from ludwin.games.chess.opponents.endgame import EndgamePlayer
from ludwin.games.chess.opponents.mate import MateFinder
from ludwin.games.chess.opponents.printed import Gpec190, Master
from ludwin.games.chess.opponents.tactician import Tactician
from ludwin.search.choice import Agent

AGENTS: dict[str, type[Agent]] = {
    "tactician": Tactician,
    "endgame": EndgamePlayer,
    "mate": MateFinder,
    "advised": Advised,
    "master": Master,
    "gpec190": Gpec190,
}

# The levels of `ludwin play chess easy`, weakest first; they count, so that a choice is the seed's alone.
LEVELS = {"easy": "greedy", "medium": "tactician:depth=3", "hard": "tactician:nodes=400000"}
