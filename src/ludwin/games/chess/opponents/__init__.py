"""Reference players of chess: `tactician`, alpha-beta at its best, `endgame`, who knows endings by heart, and the players
of chapter 4 of *Evolved to Win*: `advised` by programs, `master` and `gpec190` by printed ones.
"""

from ludwin.games.chess.opponents.advised import Advised
from ludwin.games.chess.opponents.endgame import EndgamePlayer
from ludwin.games.chess.opponents.printed import Gpec190, Master
from ludwin.games.chess.opponents.tactician import Tactician
from ludwin.search.choice import Agent

AGENTS: dict[str, type[Agent]] = {
    "tactician": Tactician,
    "endgame": EndgamePlayer,
    "advised": Advised,
    "master": Master,
    "gpec190": Gpec190,
}
