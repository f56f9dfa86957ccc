"""Reference drivers by name: `tuned`, whose constants were tuned, and `planner`, who knows the track."""

from ludwin.games.racing.opponents.drivers import Tuned
from ludwin.games.racing.opponents.planner import Planner

AGENTS = {"tuned": Tuned, "planner": Planner}
