"""The terms of an event: everything, beside game and agents, that its games depend on.

Why it is here.  A result can be believed if it can be repeated.  So the terms are one value that is
examined once, stands in the first line of the record file, and must be the same on a resume.
Nothing in it depends on the machine: workers and files are not terms.
"""

import math
from dataclasses import asdict, dataclass
from typing import Any

from ludwin.arena.records import MOST
from ludwin.arena.stats import Sprt
from ludwin.errors import BadParameter, brief, did_you_mean
from ludwin.play.clock import Clock as Clock
from ludwin.play.clock import number_from
from ludwin.play.referee import REPETITIONS
from ludwin.words import EVENTS


def _pairs(text: str, known: tuple[str, ...], what: str) -> dict[str, str]:
    """Read `key=value,key=value`; raises BadParameter for keys that are not known."""
    found: dict[str, str] = {}
    for part in text.split(","):
        key, equals, value = (word.strip() for word in part.partition("="))
        if not equals or key not in known:
            raise BadParameter(
                f"{what}: {part!r} is not one of {', '.join(f'{k}=…' for k in known)}{did_you_mean(key, known)}"
            )
        if key in found:
            raise BadParameter(f"{what}: {key} is given twice")
        found[key] = value
    return found


@dataclass(frozen=True)
class Adjudication:
    """When the referee ends a game that the rules would let go on.

    `plies`: a draw after so many plies.  `draw`: a draw once both agents have judged their own last
    `moves` positions within ±draw.  `win`: won for a player once it has judged its last `moves`
    positions at `win` or more and the other one its own at -`win` or less.  Neither of the two
    before ply `after`.  Values are the agents' own (`Choice.value`), so their scale is theirs.

    >>> print(Adjudication.parse("win=0.5,moves=3"))
    win=0.5,moves=3
    """

    plies: int = 0
    win: float | None = None
    draw: float | None = None
    moves: int = 4
    after: int = 0

    @classmethod
    def parse(cls, text: str) -> "Adjudication":
        """Read `plies=200` or `win=0.5,draw=0.01,moves=4,after=40`."""
        given = _pairs(text, ("plies", "win", "draw", "moves", "after"), "adjudicate")
        values = {
            key: number_from(value, f"adjudicate: {key}", 1 if key in ("plies", "moves") else 0)
            for key, value in given.items()
        }
        for key in ("plies", "moves", "after"):
            if values.get(key, 0) % 1:
                raise BadParameter(f"adjudicate: {key} must be a whole number, got {given[key]!r}")
        whole = {key: int(value) for key, value in values.items() if key in ("plies", "moves", "after")}
        made = cls(**whole, win=values.get("win"), draw=values.get("draw"))
        if not made.plies and not made.by_value:
            raise BadParameter(f"adjudicate: give plies, win or draw, got {text!r}")
        return made

    @property
    def by_value(self) -> bool:
        """Whether the agents' values are needed."""
        return self.win is not None or self.draw is not None

    def __str__(self) -> str:
        shown = (
            (name, value, default)
            for (name, value), default in zip(asdict(self).items(), (0, None, None, 4, 0), strict=True)
        )
        return ",".join(f"{name}={value:g}" for name, value, default in shown if value != default)


def parse_sprt(text: str) -> Sprt:
    """Read LOW,HIGH[,alpha=…][,beta=…][,model=logistic].

    >>> parse_sprt("0,50")
    Sprt(low=0.0, high=50.0, alpha=0.05, beta=0.05, model='normalised')
    """
    words = text.split(",", 2)
    if len(words) < 2:
        raise BadParameter(f"sprt wants two Elo differences LOW,HIGH such as 0,50, got {text!r}")
    low, high = (number_from(word, "a bound of sprt", -math.inf) for word in words[:2])
    more = _pairs(words[2], ("alpha", "beta", "model"), "sprt") if len(words) > 2 else {}
    model = more.get("model", "normalised")
    if model not in ("normalised", "logistic"):
        raise BadParameter(f"sprt: model must be normalised or logistic, got {model!r}")
    alpha, beta = (number_from(more.get(key, "0.05"), f"sprt: {key}") for key in ("alpha", "beta"))
    return Sprt(low, high, alpha, beta, "logistic" if model == "logistic" else "normalised")


def sprt_text(test: Sprt) -> str:
    """Return the canonical text of a test."""
    parts = [f"{test.low:g},{test.high:g}"]
    parts += [f"alpha={test.alpha:g}"] * (test.alpha != 0.05) + [f"beta={test.beta:g}"] * (test.beta != 0.05)
    return ",".join([*parts, *([f"model={test.model}"] * (test.model != "normalised"))])


WHOLE = (  # name, least, most: what a record can hold
    ("games", -MOST, MOST),  # below 1 the number of players says more
    ("seed", -(10**40), 10**40),
    ("rounds", -MOST, MOST),
    ("repetition", -MOST, MOST),
)
KINDS: tuple[tuple[str, Any, str], ...] = (
    ("event", str, "a text"),
    ("openings", (int, str, tuple), 'a number of plies, "ballots", a file or a list of texts'),
    ("adjudicate", Adjudication, "a text such as plies=200"),
    ("clock", Clock, "a text such as 60+1"),
    ("patience", (int, float), "a number of seconds"),
    ("sprt", Sprt, "a text such as 0,50"),
)


@dataclass(frozen=True)
class Terms:
    """The terms of an event, examined; `as_json` is what the record file says."""

    games: int = 20
    seed: int = 0
    event: str = "round-robin"
    rounds: int | None = None
    openings: int | str | tuple[str, ...] | None = None  # random plies, "ballots", or the openings themselves
    repetition: int = REPETITIONS
    adjudicate: Adjudication | None = None
    clock: Clock | None = None
    patience: float | None = None
    sprt: Sprt | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the terms as JSON has them."""
        made: dict[str, Any] = dict(vars(self))
        made["openings"] = list(self.openings) if isinstance(self.openings, tuple) else self.openings
        for name in ("adjudicate", "clock"):
            made[name] = None if made[name] is None else str(made[name])
        made["sprt"] = None if self.sprt is None else sprt_text(self.sprt)
        return made

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Terms":
        """Read what `as_json` wrote. Raises BadParameter."""
        made = {name: data[name] for name in cls.__dataclass_fields__ if name in data}
        openings, readers = (
            made.get("openings"),
            {"adjudicate": Adjudication.parse, "clock": Clock.parse, "sprt": parse_sprt},
        )
        made["openings"] = tuple(openings) if isinstance(openings, list) else openings
        made["patience"] = None if made.get("patience") is None else float(made["patience"])
        for name, reader in readers.items():
            if made.get(name) is not None:
                made[name] = reader(str(made[name]))
        return cls(**made)

    def check_kinds(self) -> None:
        """Raise BadParameter unless every term is of its kind, as a program may hand in anything."""
        for name, least, most in WHOLE:
            value = getattr(self, name)
            if name == "rounds" and value is None:
                continue
            if type(value) is not int:
                raise BadParameter(f"{name} must be a whole number, got {brief(value)}")
            if not least <= value <= most:
                bound = f"at least {least}" if value < least else f"at most {most}"
                raise BadParameter(f"{name} must be {bound}, got {brief(value)}")
        for name, wanted, way in KINDS:
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, wanted)):
                raise BadParameter(f"{name} must be {way}, got {brief(value)}")
        if isinstance(self.openings, tuple) and not all(isinstance(one, str) for one in self.openings):
            raise BadParameter(f"openings must be texts, got {brief(self.openings)}")
        if self.patience is not None and not self.patience < 2**53:
            raise BadParameter(f"patience must be a finite number of seconds, got {brief(self.patience)}")
        if self.patience is not None and self.patience <= 0:
            raise BadParameter(f"patience must be more than 0 seconds, got {self.patience:g}")

    def check(self, players: int, agents: int) -> None:
        """Raise BadParameter or pass: do the terms fit so many players and agents?"""
        self.check_kinds()
        if self.event not in EVENTS:
            raise BadParameter(f"format must be one of {', '.join(EVENTS)}, got {self.event!r}")
        if players == 2 and (self.games < 2 or self.games % 2):
            raise BadParameter(
                f"games must be even and at least 2, so that each side begins as often, got {self.games}"
            )
        if self.games < 1 or self.games % players:
            raise BadParameter(
                f"games must be a multiple of {players}, so that everybody takes every seat as often, got {self.games}"
            )
        if agents < max(players, 1):
            raise BadParameter(f"the game has {players} players, got {agents} agent{'s' if agents != 1 else ''}")
        if players != 2 and (self.event != "round-robin" or self.sprt):
            raise BadParameter(f"a game of {players} players is played as a round-robin without sprt")
        if self.sprt and agents != 2:
            raise BadParameter(f"sprt compares two agents, got {agents}")
        if self.rounds is not None and (self.event != "swiss" or self.rounds < 1):
            raise BadParameter(f"rounds are for --format swiss, at least 1, got {self.rounds} for {self.event}")
        if self.repetition < 0 or self.repetition == 1:
            raise BadParameter(f"repetition must be 0 (never a draw) or at least 2, got {self.repetition}")
        if players != 2 and self.adjudicate and self.adjudicate.by_value:
            raise BadParameter("adjudication by value is for two players")
