"""The robots that come with the package, by name, and users' files of robots."""

from ludwin.games.tanks.opponents.kept import HaikuEvolved
from ludwin.games.tanks.opponents.robots import Robot, resident
from ludwin.search.choice import Agent

AGENTS: dict[str, type[Agent]] = {
    "sitting-duck": resident("sitting-duck"),
    "fire": resident("fire"),
    "spin-bot": resident("spin-bot"),
    "crazy": resident("crazy"),
    "walls": resident("walls"),
    "corners": resident("corners"),
    "ram-fire": resident("ram-fire"),
    "tracker": resident("tracker"),
    "track-fire": resident("track-fire"),
    "my-first-robot": resident("my-first-robot"),
    "haiku-head-on": resident("haiku-head-on"),
    "haiku-circler": resident("haiku-circler"),
    "haiku-spiral": resident("haiku-spiral"),
    "haiku-fleer": resident("haiku-fleer"),
    "haiku-leader": resident("haiku-leader"),
    "haiku-linear-aimer": resident("haiku-linear-aimer"),
    "haiku-half-leader": resident("haiku-half-leader"),
    "haiku-rammer": resident("haiku-rammer"),
    "haiku-keeper": resident("haiku-keeper"),
    "haiku-swinger": resident("haiku-swinger"),
    "haiku-dancer": resident("haiku-dancer"),
    "haiku-miser": resident("haiku-miser"),
    "haiku-gambler": resident("haiku-gambler"),
    "haiku-sprayer": resident("haiku-sprayer"),
    "haiku-coward": resident("haiku-coward"),
    "haiku-finisher": resident("haiku-finisher"),
    "haiku-weaver": resident("haiku-weaver"),
    "haiku-stop-and-go": resident("haiku-stop-and-go"),
    "haiku-random-mover": resident("haiku-random-mover"),
    "haiku-mirror": resident("haiku-mirror"),
    "haiku-cutoff-rammer": resident("haiku-cutoff-rammer"),
    "haiku-wall-smoother": resident("haiku-wall-smoother"),
    "haiku-chicken": resident("haiku-chicken"),
    "haiku-bouncer": resident("haiku-bouncer"),
    "haiku-sniper": resident("haiku-sniper"),
    "haiku-disoriented": resident("haiku-disoriented"),
    "haiku-centre": resident("haiku-centre"),
    "haiku-escape": resident("haiku-escape"),
    "haiku-evolved": HaikuEvolved,
}
FILES = (Robot,)  # what a file of a user's may be, beside an agent or a driver
