"""Endings of chess by name: KQKR is king and queen against king and rook, the stronger side first.

Why it is here.  A table serves a position and its mirror with exchanged colours; which one it is, and where its men
stand in the table's order, is said once.
"""

from dataclasses import dataclass

from ludwin.errors import BadParameter

LETTERS = "PNBRQK"
PIECES = "QRBNP"
MOST = 4  # men that our tables have

Man = tuple[int, int]  # side and piece: (0, 4) is White's queen


@dataclass(frozen=True)
class Ending:
    """The men of an ending, kings first, then White's and Black's others from the strongest down."""

    name: str

    @property
    def sides(self) -> tuple[str, str]:
        """White's and Black's letters."""
        cut = self.name.index("K", 1)
        return self.name[:cut], self.name[cut:]

    @property
    def men(self) -> tuple[Man, ...]:
        """The men in the order of their slots."""
        others = [(p, LETTERS.index(letter)) for p, side in enumerate(self.sides) for letter in side[1:]]
        return ((0, 5), (1, 5), *others)

    @property
    def pawns(self) -> bool:
        """Whether there are pawns."""
        return "P" in self.name

    @property
    def half(self) -> int:
        """How many numbers the positions of one mover have."""
        return (32 if self.pawns else 16) * 64 ** (len(self.men) - 1)


def ending(text: str) -> Ending:
    """Return the ending that a text names, colours exchanged if need be. Raises BadParameter.

    >>> ending("krkq").name, ending("KvKP").name, ending("KPQK").name
    ('KQKR', 'KPK', 'KQPK')
    """
    letters = text.strip().upper().replace("V", "")
    cut = letters.find("K", 1)
    if letters[:1] != "K" or cut < 0 or letters.count("K") != 2 or set(letters) - set(LETTERS):
        raise BadParameter(f"an ending is written KQKR: each side begins with its K; got {text!r}")
    if not 3 <= len(letters) <= MOST:
        raise BadParameter(f"there are tables for three and four men, {text!r} has {len(letters)}")
    return Ending("".join(_ordered((letters[:cut], letters[cut:]))[0]))


def _ordered(sides: tuple[str, str]) -> tuple[tuple[str, str], bool]:
    """Return both sides, the stronger first, each from the strongest man down; and whether they were exchanged."""
    white, black = (f"K{''.join(sorted(side[1:], key=PIECES.index))}" for side in sides)
    weight = [(len(side), [-PIECES.index(letter) for letter in side[1:]]) for side in (white, black)]
    return ((black, white), True) if weight[1] > weight[0] else ((white, black), False)


def of_men(men: list[Man]) -> tuple[Ending | None, bool, list[int]]:
    """Return the ending of some men (kings are slots 0 and 1), whether colours are exchanged in it, and which of the
    given men take its slots 2 and 3. None if kings are alone.
    """
    sides = ["K", "K"]
    for side, piece in men[2:]:
        sides[side] += LETTERS[piece]
    if len(men) == 2:
        return None, False, []
    (white, black), flipped = _ordered((sides[0], sides[1]))
    found = Ending(white + black)
    wanted = [(1 - side if flipped else side, piece) for side, piece in found.men[2:]]
    left = list(range(2, len(men)))
    slots = []
    for one in wanted:
        slots.append(next(k for k in left if men[k] == one))
        left.remove(slots[-1])
    return found, flipped, slots


def all_endings() -> tuple[Ending, ...]:
    """Return all endings of three and four men, those that others lead to first."""
    names = [f"K{piece}K" for piece in PIECES]
    names += [f"K{a}{b}K" for i, a in enumerate(PIECES) for b in PIECES[i:]]
    names += [f"K{a}K{b}" for i, a in enumerate(PIECES) for b in PIECES[i:]]
    found = [Ending(name) for name in names]
    return tuple(sorted(found, key=lambda one: (len(one.name), one.name.count("P"), names.index(one.name))))


def exits(one: Ending) -> dict[tuple[int, int, int], tuple[Ending | None, bool, list[int]]]:
    """Return where captures and promotions lead: (slot that is taken, slot that is promoted, piece) -> ending, whether
    colours are exchanged there, and which of our slots take its slots 2 and 3. 4 is no slot.
    """
    men, found = one.men, {}
    for taken in (*range(2, len(men)), 4):
        for promoted in (*(k for k in range(2, len(men)) if men[k][1] == 0 and k != taken), 4):
            if taken == promoted == 4 or (taken < 4 and promoted < 4 and men[taken][0] == men[promoted][0]):
                continue
            for piece in range(1, 5) if promoted < 4 else (1,):
                kept = [k for k in range(len(men)) if k != taken]
                after = [(men[k][0], piece) if k == promoted else men[k] for k in kept]
                child, flipped, slots = of_men(after)
                found[taken, promoted, piece] = child, flipped, [kept[k] for k in slots]
    return found
