"""Reference players of chess: `tactician`, alpha-beta at its best, `endgame`, who knows endings by heart, `mate`."""

from ludwin.games.chess.opponents.endgame import EndgamePlayer
from ludwin.games.chess.opponents.mate import MateFinder
from ludwin.games.chess.opponents.tactician import Tactician
from ludwin.search.choice import Agent

AGENTS: dict[str, type[Agent]] = {"tactician": Tactician, "endgame": EndgamePlayer, "mate": MateFinder}
