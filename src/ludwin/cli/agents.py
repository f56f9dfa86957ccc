"""The command `agents`: which agents there are, and what can be set."""

import argparse
from typing import Any

EXAMPLES = (
    ("ludwin agents", "every agent in a line"),
    ("ludwin agents uct", "what each parameter of one agent means"),
    ("ludwin agents planner", "the same of a player that one game brings along"),
    ("ludwin agents ./my_agent.py", "the same of a file of yours"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take the name of an agent."""
    parser.add_argument("agent", metavar="NAME", nargs="?", help="explain this agent's parameters")


def offers() -> dict[str, list[str]]:
    """Return the words that a shell may complete."""
    from ludwin.library import AGENT_NAMES

    return {"agent": list(AGENT_NAMES)}


def run(options: argparse.Namespace) -> int:
    """List the agents, or explain one."""
    from dataclasses import fields

    from ludwin.cli.common import print_json, print_table, print_words
    from ludwin.library import AGENTS, agent, is_path, opponent

    chosen: dict[str, Any]
    if options.agent and is_path(options.agent.partition(":")[0]):
        made: Any = agent(options.agent)
        chosen = {made.file: type(made.inner)}
    elif options.agent:
        wanted = options.agent.partition(":")[0].strip().lower().replace("_", "-")
        brought = None if wanted in AGENTS else opponent(wanted)
        wanted = wanted if brought else AGENTS.name_of(wanted)
        chosen = {wanted: brought or AGENTS[wanted]}
    else:
        chosen = {name: AGENTS[name] for name in AGENTS}
    data: list[dict[str, Any]] = []
    for name, kind in sorted(chosen.items()):
        typed = [f for f in fields(kind) if not f.metadata.get("hidden")]  # a brain cannot be typed
        settings = [{"name": f.name, "default": _plain(f.default), "about": f.metadata.get("help", "")} for f in typed]
        data.append({"agent": name, "about": " ".join((kind.__doc__ or "").split()), "parameters": settings})
    if options.json:
        print_json({"agents": data})
    elif options.agent:
        print_words(f"{data[0]['agent']}: {data[0]['about']}")
        print_table(
            "parameters",
            ["parameter", "default", "meaning"],
            [[p["name"], _told(p["default"]), p["about"]] for p in data[0]["parameters"]],
        )
    else:
        _list(data)
    return 0


def _list(data: list[dict[str, Any]]) -> None:
    """Print what each agent does in a sentence that fits the screen; parameters are told of one agent."""
    from ludwin.cli.common import print_list

    print_list([(one["agent"], one["about"].partition(". ")[0].rstrip("."), "") for one in data])
    print("\n`ludwin agents NAME` explains one, with its parameters")


def _plain(default: Any) -> Any:
    """Return a default as JSON can hold it; one of a user's may be anything."""
    return default if default is None or isinstance(default, int | float | str) else str(default)


def _told(default: Any) -> str:
    """Return a default as people read it; None depends on other settings, and the meaning says how."""
    return "by rule" if default is None else str(default)
