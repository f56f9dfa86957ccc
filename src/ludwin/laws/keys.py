"""The law of keys: positions that share a key are one position to every search with a table.

Why it is here.  A key that forgets the score, a right to castle or a ko is legal Python and plays
well, until a table answers for one position with the value of another.  Random games seldom meet two
positions of one key, so this court looks for them: moves of a game played in another order, walks
that lead back to where they began, and small trees from the start and near the ends of games.  Two
positions of one key that differ in any cell are then played on side by side with the same moves, and
everything that the rules say of them must stay the same.

One thing may differ (docs/reference/game-file.md): a counter that only serves a draw rule may be
left out.  So where one of the two has ended in a draw, under a key of its own, the walk ends.

What it cannot see: a key that forgets something which differs only in positions that neither
random games nor these searches reach, and two of them under one key.
"""

from typing import Any

from ludwin.errors import RuleError
from ludwin.laws.court import Court, Said
from ludwin.primitives import CHANCE, draw, stream
from ludwin.rules.layout import Number

Cells = tuple[Number, ...]

ORDERS = (
    (2, 1, 0),
    (2, 3, 0, 1),
    (2, 1, 0, 3),
    (0, 3, 2, 1),
    (1, 0),
    (4, 1, 2, 3, 0),
)  # the last moves of a game, in another order
LEAST, SHARE = (
    1000,
    4,
)  # looks that the search for twins may take: so many, or a share of the positions that were played
WIDE = 24  # positions that a homing walk keeps
PAIRS = 40  # twins that are played on
TRIES = 8  # moves that are tried for one after which twins still differ
LATE = (2, 4, 6, 9)  # plies before the end of a game where small trees begin


class KeyCourt:
    """Looks for positions that share a key, and plays them on side by side."""

    def __init__(self, court: Court):
        self.court = court
        self.rng = [stream(court.seed, 0x6B6579)]
        self.budget = 0

    def hold(self) -> int:
        """Raise RuleError if some key is shared by positions that play differently; return how many looks it took."""
        court = self.court
        allowed = max(LEAST, court.positions // SHARE) // (1 + court.game.fields.cells // 1024)
        shares = (self.other_orders, self.trees, self.homing)
        for search in shares:
            self.budget = allowed // len(shares)
            search()
        self.budget = allowed
        self.follow_twins()
        return allowed

    # Looking for twins

    def look(self, s: Any) -> tuple[Cells, list[int]]:
        """Enter a position into the book of keys; twins of another sort are a fault at once."""
        self.budget -= 1
        cells = self.court.freeze(s)
        key, said = self.said(s)
        self.court.law_of_keys(key, cells, said)
        return cells, list(said[1])

    def said(self, s: Any) -> tuple[int, Said]:
        """Return a position's key and what the rules say of it."""
        court = self.court
        player, legal = court.mover(s), court.legal(s)
        views: tuple[float, ...] = ()
        if "evaluate" in court.f:
            views = tuple([court.real("evaluate", s, p) for p in range(court.game.players)])
        return court.integer("key", s), (player, tuple(legal), views, () if legal else court.ending(s))

    def other_orders(self) -> None:
        """Play the last moves of positions in another order: most transpositions are of this kind."""
        games = [game for game in self.court.games if len(game) > 1]
        while games and self.budget > 0:
            game = games[draw(self.rng, len(games))]
            order = ORDERS[draw(self.rng, len(ORDERS))]
            self.budget -= 1
            if len(game) < len(order):
                continue
            first = draw(self.rng, len(game) - len(order) + 1)
            s = self.court.thaw(game[first][0])
            if self.replay(s, [game[first + k][1] for k in order]):
                self.look(s)
                straight = self.court.thaw(game[first][0])
                if self.replay(straight, [move for _, move in game[first : first + len(order)]]):
                    self.look(straight)

    def replay(self, s: Any, moves: list[int]) -> bool:
        """Play moves as long as they are legal; tell whether all were."""
        for move in moves:
            self.budget -= 1
            if move not in self.court.legal(s):
                return False
            self.court.call("play", s, move)
        return True

    def trees(self) -> None:
        """Look at every position of small trees: from the start, and near the ends of games."""
        start = self.court.game.guarded_class()
        self.court.call("setup", start)
        roots = [self.court.freeze(start)]
        for game in self.court.games[-4:]:
            roots += [game[-plies][0] for plies in LATE if len(game) >= plies]
        whole = self.budget
        for number, root in enumerate(roots):
            left = whole * (len(roots) - 1 - number) // (len(roots) + 1)  # the first tree has two shares
            self.tree(root, left)

    def tree(self, root: Cells, left: int) -> None:
        seen = {root}
        queue = [root]
        for cells in queue:
            if self.budget <= left:
                return
            s = self.court.thaw(cells)
            _, legal = self.look(s)
            for move in legal:
                child = self.court.thaw(cells)
                self.court.call("play", child, move)
                after = self.court.freeze(child)
                if after not in seen and len(seen) < 4 * (self.budget - left):
                    seen.add(after)
                    queue.append(after)

    def homing(self) -> None:
        """Walk four plies that lead back to the position where they began, or near it.

        What a game remembers beyond the board (a right that a move has lost, a counter) shows when the
        board is the same again. Of all positions on the way those nearest to the root are kept.
        """
        games = [game for game in self.court.games if len(game) > 4]
        while games and self.budget > 0:
            self.budget -= 1
            game = games[draw(self.rng, len(games))]
            root = game[draw(self.rng, len(game))][0]
            near = [root]
            for _ in range(4):
                near = self.nearest(root, near)
            for cells in near[:2]:
                self.look(self.court.thaw(cells))
            if near:
                self.look(self.court.thaw(root))

    def nearest(self, root: Cells, positions: list[Cells]) -> list[Cells]:
        """Return those positions one ply on that differ from the root in the fewest cells."""
        found: list[tuple[int, int, Cells]] = []
        for cells in positions:
            if self.budget <= 0:
                return []
            self.budget -= 1
            legal = self.court.legal(self.court.thaw(cells))
            for _ in range(min(len(legal), WIDE)):
                move = legal.pop(draw(self.rng, len(legal)))
                child = self.court.thaw(cells)
                self.court.call("play", child, move)
                after = self.court.freeze(child)
                found.append((sum(a != b for a, b in zip(after, root, strict=True)), len(found), after))
        return [cells for _, _, cells in sorted(found)[: max(2, WIDE // 4)]]

    # Playing them on

    def follow_twins(self) -> None:
        """Play twins on, those first whose difference lies in fields that no others differ in."""
        groups: dict[tuple[str, ...], list[tuple[int, Cells, Cells]]] = {}
        for key, one, two in self.court.twins:
            fields = tuple(
                f.name
                for f in self.court.game.fields
                if one[f.offset : f.offset + f.cells] != two[f.offset : f.offset + f.cells]
            )
            groups.setdefault(fields, []).append((key, one, two))
        for number in range(PAIRS):
            for group in groups.values():
                if self.budget > 0 and number < len(group):
                    self.follow(*group[len(group) * number // min(PAIRS, len(group))])

    def follow(self, key: int, one: Cells, two: Cells) -> None:
        """Play one random game from two positions of one key, and compare what the rules say of them."""
        court = self.court
        a, b = court.thaw(one), court.thaw(two)
        moves: list[int] = []
        for _ in range(court.game.max_plies + 1):
            self.budget -= 2
            (key_a, says_a), (key_b, says_b) = self.said(a), self.said(b)
            if key_a != key_b and (self.drawn(a, says_a) or self.drawn(b, says_b)):
                return
            for what, x, y in zip(("mover", "moves", "evaluations", "payoffs"), says_a, says_b, strict=True):
                if x != y:
                    raise court.unlike(key, f"{what} after {self.named(moves)}" if moves else what, one, two)
            legal = list(says_a[1])
            self.same_beside(key, one, two, a, b, says_a, moves)
            after = self.apart(a, b, legal)
            if after is None or self.budget <= 0:
                return
            a, b, move = after
            moves.append(move)

    def apart(self, a: Any, b: Any, legal: list[int]) -> tuple[Any, Any, int] | None:
        """Play a random move in both, if there is one after which they still differ."""
        for _ in range(min(len(legal), TRIES)):
            move = legal.pop(draw(self.rng, len(legal)))
            one, two = self.court.game.guarded_class(), self.court.game.guarded_class()
            self.court.game.copy(one, a)
            self.court.game.copy(two, b)
            self.court.call("play", one, move)
            self.court.call("play", two, move)
            if self.court.freeze(one) != self.court.freeze(two):
                return one, two, move
        return None

    def same_beside(self, key: int, one: Cells, two: Cells, a: Any, b: Any, says: Said, moves: list[int]) -> None:
        """Compare what else a table stands for: nature's weights, other opinions, the goal of a puzzle."""
        court = self.court
        behind = f" after {self.named(moves)}" if moves else ""
        if says[0] == CHANCE and says[1] and court.weights(a, list(says[1])) != court.weights(b, list(says[1])):
            raise court.unlike(key, f"chances{behind}", one, two)
        for name in court.opinions:
            if court.real(name, a, 0) != court.real(name, b, 0):
                raise court.unlike(key, f"{name}{behind}", one, two)
        if "solved" in court.f and bool(court.call("solved", a)) != bool(court.call("solved", b)):
            raise court.unlike(key, f"goal{behind}", one, two)

    def drawn(self, s: Any, says: Said) -> bool:
        """Tell whether a position has ended as a draw rule ends it."""
        if says[1]:
            return False
        if "solved" in self.court.f:
            return not self.court.call("solved", s)
        return self.court.game.players > 1 and len(set(says[3])) == 1

    def named(self, moves: list[int]) -> str:
        shown = [str(m) for m in moves[-6:]]
        return f"move{'s' if len(moves) > 1 else ''} {'… ' if len(moves) > 6 else ''}{' '.join(shown)}"


def law_of_keys(court: Court) -> None:
    """Hold the law of keys for a game that defines `key`."""
    if "key" in court.f:
        try:
            KeyCourt(court).hold()
        except RecursionError as error:
            raise RuleError(str(error), *court.game.place("key")) from None
