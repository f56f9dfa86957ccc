"""Policies as genomes: ordered rules, the parts of each are genomes of other kinds, and a default.

Why it is here.  A policy says when to trust which formula: the first rule whose condition holds gives
the value, and the default gives it where none does.  Conditions and values are trees or vectors; this
kind knows only their kinds, so it can exchange a part between two policies by the part's own
crossover, or whole rules.  What a rule means when it is read is the business of whoever reads it.

Structure is kept: each policy has between `least` and `most` rules, each rule all its parts, in
their order, and only parts of one role ever meet.

References.  A. Hauptman, A. Elyasaf, M. Sipper, A. Karmon, "GP-Rush: using genetic programming to evolve
solvers for the Rush Hour puzzle", GECCO 2009.  M. Sipper, Evolved to Win (2011), chapter 10.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from ludwin.errors import BadParameter, brief
from ludwin.evolve.asking import demand_kind
from ludwin.evolve.kind import Representation
from ludwin.evolve.parts import decoded
from ludwin.evolve.selection import different
from ludwin.program.stream import Stream
from ludwin.settings import Setting

Rule = tuple[Any, ...]


class Policy(NamedTuple):
    """Rules in their order, and what holds when none fires."""

    rules: tuple[Rule, ...]
    default: Rule


class PartPlace(NamedTuple):
    """Where a part stands: the rule's number, -1 for the default, and the part's number there."""

    rule: int
    part: int


@dataclass(frozen=True)
class Policies:
    """Policies whose rules have these parts, as (role, kind) pairs; `default` names the roles of the default.

    `rule_share` is the share of crossovers and mutations that handle whole rules instead of parts.
    Mutation of rules swaps two of them, and where their number may vary it also inserts and deletes.
    """

    parts: tuple[tuple[str, Representation[Any]], ...]
    default: tuple[str, ...]
    least: int = 5
    most: int = 5
    rule_share: float = 0.3

    name: ClassVar[str] = "policy"

    def __post_init__(self) -> None:
        pairs = isinstance(self.parts, tuple | list) and all(
            isinstance(one, tuple | list) and len(one) == 2 for one in self.parts
        )
        if not pairs:
            raise BadParameter(f"policy: parts are pairs of a role and a kind of genome, got {brief(self.parts)}")
        if not isinstance(self.default, tuple | list):
            raise BadParameter(f"policy: the default is a tuple of roles, got {brief(self.default)}")
        roles = [role for role, _ in self.parts]
        if not roles or len(set(roles)) < len(roles):
            raise BadParameter(f"policy: a rule needs parts of different roles, got {', '.join(roles) or 'none'}")
        for role in self.default:
            if role not in roles:
                raise BadParameter(f"policy: the default has a part {role!r}, rules have {', '.join(roles)}")
        if len(set(self.default)) < len(self.default):
            raise BadParameter(f"policy: the default has each part once, got {', '.join(self.default)}")
        if type(self.least) is not int or type(self.most) is not int or not 1 <= self.least <= self.most:
            raise BadParameter(
                f"policy: the number of rules goes from at least 1 up to most, got {brief(self.least)} and "
                f"{brief(self.most)}"
            )
        Setting("rule_share", 0.5, "", least=0, most=1).examine(self.rule_share, "policy")
        for role, kind in self.parts:
            demand_kind(f"policy: {brief(role)}", kind)

    def kind_of(self, role: str) -> Representation[Any]:
        """Return the kind of a part."""
        return dict(self.parts)[role]

    def role_at(self, place: PartPlace) -> str:
        """Return the role of the part at a place."""
        return self.default[place.part] if place.rule < 0 else self.parts[place.part][0]

    def places(self, g: Policy, role: str = "") -> list[PartPlace]:
        """Return where there are parts, all of them or those of one role."""
        every = [PartPlace(rule, part) for rule in range(len(g.rules)) for part in range(len(self.parts))]
        every += [PartPlace(-1, part) for part in range(len(self.default))]
        return [place for place in every if not role or self.role_at(place) == role]

    def begin(self, n: int, stream: Stream) -> list[Policy]:
        """Return n policies; each part's kind begins the parts of one place together, so that they are ramped."""
        columns = {
            place: self.kind_of(self.role_at(place)).begin(n, stream.split(*place)) for place in self._all_places()
        }
        counts = stream.split(self.most)
        policies = []
        for k in range(n):
            rules = [
                tuple(columns[PartPlace(rule, part)][k] for part in range(len(self.parts)))
                for rule in range(self._count(counts))
            ]
            policies.append(
                Policy(tuple(rules), tuple(columns[PartPlace(-1, part)][k] for part in range(len(self.default))))
            )
        return policies

    def make(self, stream: Stream) -> Policy:
        """Return a random policy."""
        rules = tuple(self.make_rule(stream) for _ in range(self._count(stream)))
        return Policy(rules, tuple(self.kind_of(role).make(stream) for role in self.default))

    def make_rule(self, stream: Stream) -> Rule:
        """Return a random rule."""
        return tuple(kind.make(stream) for _, kind in self.parts)

    def cross(self, a: Policy, b: Policy, stream: Stream) -> tuple[Policy, Policy]:
        """Exchange two whole rules, or cross two parts of one role."""
        if stream.chance(self.rule_share):
            i, j = stream.below(len(a.rules)), stream.below(len(b.rules))
            return _put_rule(a, i, b.rules[j]), _put_rule(b, j, a.rules[i])
        here, there, kind = self._partners(a, b, stream)
        left, right = kind.cross(_part(a, here), _part(b, there), stream)
        return _put(a, here, left), _put(b, there, right)

    def donate(self, donor: Policy, receiver: Policy, stream: Stream) -> Policy:
        """Return the receiver with one of the donor's rules, or with a piece of one of its parts."""
        if stream.chance(self.rule_share):
            return _put_rule(receiver, stream.below(len(receiver.rules)), stream.pick(donor.rules))
        here, there, kind = self._partners(donor, receiver, stream)
        return _put(receiver, there, kind.donate(_part(donor, here), _part(receiver, there), stream))

    def mutate(self, g: Policy, stream: Stream) -> Policy:
        """Swap, insert or delete rules, or mutate one part."""
        ways = self._ways(len(g.rules))
        if ways and stream.chance(self.rule_share):
            return self._rearranged(g, stream.pick(ways), stream)
        place = stream.pick(self.places(g))
        return _put(g, place, self.kind_of(self.role_at(place)).mutate(_part(g, place), stream))

    def write(self, g: Policy) -> Any:
        """Return rules and default, each part under its role."""
        rules = [
            {role: kind.write(part) for (role, kind), part in zip(self.parts, rule, strict=True)} for rule in g.rules
        ]
        return {
            "rules": rules,
            "default": {
                role: self.kind_of(role).write(part) for role, part in zip(self.default, g.default, strict=True)
            },
        }

    def read(self, data: Any) -> Policy:
        """Return what `write` wrote."""
        if not isinstance(data, dict) or set(data) != {"rules", "default"} or not isinstance(data["rules"], list):
            raise BadParameter("a policy has rules and a default")
        if not self.least <= len(data["rules"]) <= self.most:
            wanted = str(self.least) if self.least == self.most else f"{self.least} to {self.most}"
            raise BadParameter(f"a policy here has {wanted} rules, got {len(data['rules'])}")
        rules = tuple(self._read_rule(item, [role for role, _ in self.parts]) for item in data["rules"])
        return Policy(rules, self._read_rule(data["default"], list(self.default)))

    def decode(self, g: Policy) -> Policy:
        """Return what a user's fitness sees: rules and default, each part as its kind shows it."""
        kinds = [kind for _, kind in self.parts]
        rules = tuple(tuple(map(decoded, kinds, rule)) for rule in g.rules)
        return Policy(rules, tuple(map(decoded, map(self.kind_of, self.default), g.default)))

    def text(self, g: Policy) -> str:
        """Return one line per rule, and the default."""
        lines = [
            ", ".join(f"{role} {kind.text(part)}" for (role, kind), part in zip(self.parts, rule, strict=True))
            for rule in g.rules
        ]
        last = ", ".join(
            f"{role} {self.kind_of(role).text(part)}" for role, part in zip(self.default, g.default, strict=True)
        )
        return "\n".join([*(f"rule {k}: {line}" for k, line in enumerate(lines, 1)), f"default: {last}"])

    def size(self, g: Policy) -> int:
        """Return the sum of the parts' sizes."""
        return sum(self.kind_of(self.role_at(place)).size(_part(g, place)) for place in self.places(g))

    def _all_places(self) -> list[PartPlace]:
        rules = [PartPlace(rule, part) for rule in range(self.most) for part in range(len(self.parts))]
        return rules + [PartPlace(-1, part) for part in range(len(self.default))]

    def _count(self, stream: Stream) -> int:
        return self.least + stream.below(self.most - self.least + 1)

    def _partners(self, a: Policy, b: Policy, stream: Stream) -> tuple[PartPlace, PartPlace, Representation[Any]]:
        """Return any place of a, a place of b with the same role, and the kind of both."""
        here = stream.pick(self.places(a))
        role = self.role_at(here)
        return here, stream.pick(self.places(b, role)), self.kind_of(role)

    def _ways(self, count: int) -> list[str]:
        possible = (("swap", count > 1), ("insert", count < self.most), ("delete", count > self.least))
        return [way for way, yes in possible if yes]

    def _rearranged(self, g: Policy, way: str, stream: Stream) -> Policy:
        rules = list(g.rules)
        if way == "swap":
            i, j = different(len(rules), stream)
            rules[i], rules[j] = rules[j], rules[i]
        elif way == "insert":
            rules.insert(stream.below(len(rules) + 1), self.make_rule(stream))
        else:
            del rules[stream.below(len(rules))]
        return Policy(tuple(rules), g.default)

    def _read_rule(self, item: Any, roles: list[str]) -> Rule:
        if not isinstance(item, dict) or set(item) != set(roles):
            raise BadParameter(f"a rule here has {', '.join(roles) or 'no parts'}, got {item!r:.60}")
        return tuple(self.kind_of(role).read(item[role]) for role in roles)


def _part(g: Policy, place: PartPlace) -> Any:
    return (g.default if place.rule < 0 else g.rules[place.rule])[place.part]


def _put(g: Policy, place: PartPlace, part: Any) -> Policy:
    """Return the policy with one part replaced."""
    old = g.default if place.rule < 0 else g.rules[place.rule]
    new = (*old[: place.part], part, *old[place.part + 1 :])
    return Policy(g.rules, new) if place.rule < 0 else _put_rule(g, place.rule, new)


def _put_rule(g: Policy, number: int, rule: Rule) -> Policy:
    """Return the policy with one rule replaced."""
    return Policy((*g.rules[:number], rule, *g.rules[number + 1 :]), g.default)
