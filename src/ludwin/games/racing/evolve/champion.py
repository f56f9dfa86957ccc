"""The champion of a run as a driver: `champion:path=DIR` in `ludwin race`."""

from dataclasses import dataclass, field
from typing import ClassVar

from ludwin.errors import CannotPlay, LudwinError
from ludwin.evolve.experiment import schema
from ludwin.evolve.store import read_champion
from ludwin.game import Game
from ludwin.games.racing.evolve import EXPERIMENTS, follower, tuned_driver
from ludwin.games.racing.opponents.drivers import Programmed, Tuned
from ludwin.games.racing.opponents.planner import Planner
from ludwin.search.choice import Agent
from ludwin.search.drive import Drive


@dataclass(frozen=True)
class ChampionDriver(Agent):
    """The champion of a run of `racing`, `racing-tuned` or `racing-vector`.

    `champion:path=DIR`, a run's folder or champion.json.
    """

    name: ClassVar[str] = "champion"
    path: str = field(default="", metadata={"help": "folder of a run, or its champion.json", "kind": str})

    def driver(self) -> Programmed | Tuned | Planner:
        """Return the driver that the file describes. Raises CannotPlay for a file of another kind."""
        data = read_champion(self.path)
        known = {experiment.name: experiment for experiment in EXPERIMENTS}
        name = data.get("experiment")
        if name not in known:
            raise CannotPlay(
                f"champion: {self.path} holds a champion of {str(name)[:40]!r}, not of {' or '.join(known)}"
            )
        try:  # settings that a run did not have yet are as they were: the defaults
            settings = {
                key: one.read(data["settings"].get(key, one.default)) for key, one in schema(known[name]).items()
            }
            genome = known[name].kind(settings).read(data["genome"])
        except (KeyError, TypeError, AttributeError) as error:
            raise CannotPlay(f"champion: {self.path} is not complete: {error}") from None
        if name == "racing":
            return Programmed(genome, recover=bool(settings["recover"]))
        if name == "racing-vector":
            return follower(settings, genome)
        return tuned_driver(genome)

    @property
    def sighted(self) -> bool:
        """Whether it needs a world with sight."""
        return bool(getattr(self.driver(), "sighted", False))

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the file is a driver's and the world is racing."""
        if not self.path:
            raise CannotPlay("champion: give the folder of a run, champion:path=DIR")
        try:
            self.driver().suits(game)
        except OSError as error:
            raise LudwinError(f"champion: {self.path} cannot be read: {error.strerror}") from None

    def drive(self, game: Game) -> Drive:
        """Return how it drives."""
        return self.driver().drive(game)
