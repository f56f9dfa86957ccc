"""A budget of playouts, nodes or seconds: what every Monte Carlo search makes of these settings."""

from typing import Self

from ludwin.errors import BadParameter
from ludwin.search.choice import Agent


class Budgeted(Agent):
    """An agent with the settings `playouts`, `nodes` and `seconds`, one of which limits it."""

    playouts: int
    nodes: int
    seconds: float

    @classmethod
    def parse(cls, given: dict[str, str]) -> Self:
        """Make the agent from texts; nodes or seconds without playouts are the only limit."""
        if ("nodes" in given or "seconds" in given) and "playouts" not in given:
            given = {"playouts": "0", **given}
        return super().parse(given)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.playouts or self.nodes or self.seconds):
            raise BadParameter(f"{self.name}: give a budget of playouts, nodes or seconds")

    @property
    def timed(self) -> bool:
        """Whether results depend on the clock."""
        return self.seconds > 0
