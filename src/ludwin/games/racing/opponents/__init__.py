"""Reference drivers: `tuned`, whose constants were tuned, `planner`, who knows the track, `bred`, who was evolved."""

from ludwin.games.racing.opponents.drivers import Bred, Tuned
from ludwin.games.racing.opponents.planner import Planner

AGENTS = {"tuned": Tuned, "planner": Planner, "bred": Bred}
