"""Players as files keep them: an agent's text and a brain.

Why it is here.  A champion is a search with a brain.  Its file names the agent by its canonical text and holds the
brain as data: programs with their language, weights, a table, or the name of an evaluation.  Files may come from
anywhere, so only searches of ours that take brains may be named, and only with budgets that are counted.

A game may have brains of its own: `KEPT` in its `opponents`, by a kind that begins with the game's name
(`backgammon-network`), each with a SHAPE, `write(brain)` and `read(data)`.
"""

import json
from dataclasses import replace
from functools import lru_cache
from typing import Any

from ludwin.errors import BadParameter, CannotPlay, LudwinError
from ludwin.formats import List, Mismatch, Number, Shape, Table, Text, Whole, examine
from ludwin.games import domains, open_part
from ludwin.library import agent as named_agent
from ludwin.program.text import read, write
from ludwin.program.toml import from_toml, to_toml
from ludwin.search.brain import Brain, Evaluation, Lookup, Thinker, Weights, changed
from ludwin.search.choice import Agent
from ludwin.search.greedy import Greedy
from ludwin.search.policies import MOST as MOST_RULES
from ludwin.search.policies import PolicyBrain
from ludwin.search.programs import MOST, Programs
from ludwin.trust import INERT, NAME, is_inert_opponent

KINDS = (Programs, Weights, Lookup, Evaluation, PolicyBrain)
EXACTLY = {kind.kind: Text(like=kind.kind, said=repr(kind.kind)) for kind in KINDS}
PROGRAMS = Table(
    {"kind": EXACTLY["programs"], "language": Text(), "programs": List(Text(), 1, MOST)}, {"chooser": NAME}
)
SUM = {
    "weights": List(Table({"query": NAME, "weight": Number()}, {"place": Whole(0, 10**6)})),
    "bias": Number(),
}
WEIGHTS = Table({"kind": EXACTLY["weights"], **SUM})
POLICY = Table(
    {"kind": EXACTLY["policy"], "conditions": List(Text(), 0, MOST_RULES)},
    {
        "language": Text(),
        "sums": List(Table(SUM), 1, MOST_RULES + 1),
        "formulas": List(Text(), 1, MOST_RULES + 1),
        "types": List(NAME, 2, 2),
    },
)
ROWS = List(Table({"key": Whole(-(2**63), 2**63 - 1), "value": Number()}), 0, 10**6)
TABLE = Table({"kind": EXACTLY["table"], "values": ROWS, "default": Number()})
EVALUATION = Table({"kind": EXACTLY["evaluation"], "eval": NAME})
SHAPES: dict[str, Shape] = {
    **{"programs": PROGRAMS, "weights": WEIGHTS, "table": TABLE, "evaluation": EVALUATION},
    **{"policy": POLICY},
}


@lru_cache(maxsize=64)
def own_brain(kind: str) -> Any:
    """Return what one of our games says about a brain of its own, None if no game has such a kind."""
    for game in domains("opponents"):
        if kind.startswith(f"{game}-"):
            found = getattr(open_part(game, "opponents", "KEPT"), "KEPT", {})
            if kind in found:
                return found[kind]
    return None


class BrainShape(Table):
    """A brain: an object whose `kind` says what else is in it."""

    def examine(self, value: Any, place: str) -> None:
        super().examine(value, place)
        kind = value["kind"]
        own = None if kind in SHAPES else own_brain(kind)
        if kind not in SHAPES and own is None:
            raise Mismatch(f"{place}.kind must be {', '.join(SHAPES)}, got {kind!r:.40}")
        (SHAPES[kind] if own is None else own.SHAPE).examine(value, place)


PLAYER = Table({"agent": NAME, "brain": BrainShape({"kind": Text(40)})})
OLD_PLAYER = Table({"game": NAME, "language": Text(), "program": Text(), "depth": Whole(1, 64)})


def renamed(data: dict[str, Any]) -> dict[str, Any]:
    """Return version 2 of a champion's file from version 1, whose players were programs in alpha-beta.

    Raises Mismatch if it is no such file.
    """
    if "player" not in data:
        return data
    examine(data, Table({"player": OLD_PLAYER}))
    old = data["player"]
    brain = {"kind": Programs.kind, "language": old["language"], "programs": [old["program"]]}
    agent = f"alphabeta:depth={old['depth']},ties=shuffle"
    return {**data, "game": old["game"], "player": {"agent": agent, "brain": brain}}


# ---- Writing --------------------------------------------------------------------------------------------------


def written(player: Agent) -> dict[str, Any]:
    """Return a player as its file says it: the agent's text and its brain."""
    assert isinstance(player, Thinker) and player.brain is not None
    return {"agent": str(changed(player, brain=None)), "brain": brain_data(player.brain)}


def brain_data(brain: Brain) -> dict[str, Any]:
    """Return a brain as JSON."""
    data: dict[str, Any] = {"kind": brain.kind}
    if isinstance(brain, Programs):
        data |= {"language": to_toml(brain.language), "programs": [write(tree) for tree in brain.trees]}
        return {**data, "chooser": brain.chooser} if brain.chooser else data
    if isinstance(brain, Weights):
        return {**data, **_sum_data(brain)}
    if isinstance(brain, PolicyBrain):
        return {**data, **_policy_data(brain)}
    if isinstance(brain, Lookup):
        return {**data, "values": [{"key": k, "value": v} for k, v in brain.values], "default": brain.default}
    own = own_brain(brain.kind)
    if own is not None:
        return {**data, **own.write(brain)}
    assert isinstance(brain, Evaluation)
    return {**data, "eval": brain.eval}


def _sum_data(brain: Weights) -> dict[str, Any]:
    rows = [{"query": name, "place": place, "weight": weight} for name, place, weight in brain.terms]
    return {"weights": rows, "bias": brain.bias}


def _policy_data(brain: PolicyBrain) -> dict[str, Any]:
    """Return the rules; programs are texts of one language, `types` says which type conditions and values have."""
    data: dict[str, Any] = {"conditions": [write(tree) for tree in brain.conditions]}
    if brain.trees:
        data["language"] = to_toml(brain.trees[0].language)
        data["types"] = [brain.trees[0].language.root, brain.trees[-1].language.root]
    if brain.by_sums:
        return {**data, "sums": [_sum_data(one) for one in brain.sums]}
    return {**data, "formulas": [write(value) for value in brain.trees[len(brain.conditions) :]]}


# ---- Reading --------------------------------------------------------------------------------------------------


def _read_sum(data: dict[str, Any]) -> Weights:
    rows = tuple((row["query"], row.get("place", 0), float(row["weight"])) for row in data["weights"])
    return Weights(rows, float(data["bias"]))


def _read_policy(data: dict[str, Any]) -> PolicyBrain:
    if ("sums" in data) == ("formulas" in data):
        raise BadParameter("the values of a policy are sums or formulas: one of them")
    texts = (*data["conditions"], *data.get("formulas", ()))
    if not texts:
        return PolicyBrain((), tuple(_read_sum(one) for one in data["sums"]))
    if "language" not in data or "types" not in data:
        raise BadParameter("a policy with programs says their language and their types")
    language = from_toml(data["language"])
    first, last = (replace(language, root=word) for word in data["types"])
    conditions = tuple(read(first, text) for text in data["conditions"])
    if "sums" in data:
        return PolicyBrain(conditions, tuple(_read_sum(one) for one in data["sums"]))
    return PolicyBrain(conditions, tuple(read(last, text) for text in data["formulas"]))


def read_brain(data: dict[str, Any]) -> Brain:
    """Return the brain of examined JSON. Raises BadParameter."""
    kind = data["kind"]
    if kind == Programs.kind:
        language = from_toml(data["language"])
        return Programs(tuple(read(language, text) for text in data["programs"]), data.get("chooser", ""))
    if kind == Weights.kind:
        return _read_sum(data)
    if kind == PolicyBrain.kind:
        return _read_policy(data)
    if kind == Lookup.kind:
        return Lookup(tuple((row["key"], float(row["value"])) for row in data["values"]), float(data["default"]))
    own = own_brain(kind)
    return Evaluation(data["eval"]) if own is None else own.read(data)


def thinking(text: str, brain: Brain) -> Agent:
    """Return the agent that a text names, with a brain. Raises BadParameter if it takes none."""
    made = named_agent(text)
    if not hasattr(made, "with_brain"):
        raise BadParameter(f"{made.name} asks nobody's opinion, so it takes no brain; alphabeta and greedy do")
    found: Agent = made.with_brain(brain if isinstance(made, Greedy) else brain.beyond_one_ply())
    return found


def demand_search(text: str) -> None:
    """Raise BadParameter unless a text names a search of ours: nothing that runs other code or reads other files."""
    name = text.partition(":")[0].strip().lower().replace("_", "-")
    known = name in INERT or is_inert_opponent(name)
    if not known or name in ("derived", "evolved"):
        raise BadParameter(f"a brain goes into a search of ours, such as greedy, not into {json.dumps(text)[:80]}")


def read_player(data: dict[str, Any]) -> Agent:
    """Return the player of an examined file. Raises BadParameter for an agent that no file may name."""
    text = data["agent"]
    demand_search(text)
    try:
        player = thinking(text, read_brain(data["brain"]))
    except BadParameter:
        raise
    except LudwinError as error:
        raise BadParameter(str(error)) from None
    if player.timed:
        raise BadParameter(f"{text!r:.80} depends on the clock; the player of a file has a counted budget")
    return player


def deeper(player: Agent, depth: int) -> Agent:
    """Return a player that looks so many plies ahead. Raises CannotPlay if it has no depth."""
    if not hasattr(player, "depth"):
        raise CannotPlay(f"{player.name} has no depth; leave depth={depth} out")
    return changed(player, depth=depth)
