"""Brains of backgammon as champions' files keep them: the weights of a network, with all that it needs to play."""

from typing import Any

from ludwin.formats import List, Table, Text, Whole
from ludwin.games.backgammon.opponents.network import MOST_UNITS, WEIGHT, Network, NetworkBrain
from ludwin.search.brain import Brain

KIND = NetworkBrain.kind
WEIGHTS = ("first", "bias", "top", "skip")
SHAPE = Table(
    {
        "kind": Text(like=KIND, said=repr(KIND)),
        "hidden": Whole(0, MOST_UNITS),
        **{name: List(WEIGHT) for name in WEIGHTS},
    }
)


def write(brain: Brain) -> dict[str, Any]:
    """Return a network as JSON."""
    assert isinstance(brain, NetworkBrain)
    return {"hidden": brain.network.hidden, **{name: list(getattr(brain.network, name)) for name in WEIGHTS}}


def read(data: dict[str, Any]) -> NetworkBrain:
    """Return the network of examined JSON. Raises BadParameter if there are not as many weights as units ask for."""
    return NetworkBrain(Network(data["hidden"], *(tuple(map(float, data[name])) for name in WEIGHTS)))
