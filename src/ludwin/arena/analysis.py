"""What a search thinks of a position, and of every move of a whole game.

Why it is here.  A result says who won; an analysis says where.  Each position of a game is searched once; what a move
has cost is the value of the position before it less the value behind it, both seen by the player who moved.  Several
best lines come from searching behind every move with what is left of the budget, so that any search can show them.
At a node of nature's the value is the mean over what nature may do.

Units.  A value is *decided* where the line behind it ends the game: then it is the payoff.  Else it is an expected
*payoff* (Monte Carlo, expectimax) or *points* of an evaluation (the alpha-beta family); they are never compared with
each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ludwin.errors import BadParameter, CannotPlay, brief
from ludwin.game import Game, State
from ludwin.library import agents as agents_of
from ludwin.library import load
from ludwin.primitives import CHANCE
from ludwin.progress import SILENT, Progress
from ludwin.search.choice import Agent, Choice
from ludwin.search.thinking import budget, with_settings
from ludwin.search.thinking import stages as stages
from ludwin.settings import one_of, within
from ludwin.words import MODES, html_table

MISTAKE = 0.2  # of the span of values in a game: what a mistake costs at least


@dataclass(frozen=True)
class BestLine:
    """A move with what follows it: its value to whoever moves at the root, and in what it is counted."""

    move: int
    value: float
    unit: str
    line: tuple[int, ...]  # the move itself first
    visits: int | None = None


@dataclass(frozen=True)
class NatureMay:
    """What nature may do: its move, the probability, and what the position is then worth to player 0."""

    move: int
    chance: float
    value: float
    unit: str


@dataclass(frozen=True)
class PositionAnalysis:
    """What an agent thinks of one position; of nature's, what may follow."""

    state: State = field(repr=False)
    agent: Agent
    value: float  # to the mover; at a node of nature's to player 0
    unit: str
    choice: Choice | None = None
    lines: tuple[BestLine, ...] = ()
    outcomes: tuple[NatureMay, ...] = field(default=(), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return it as `ludwin analyse --json` prints it."""
        state, choice = self.state, self.choice
        head: dict[str, Any] = {
            "game": state.game.text,
            "position": state.write(),
            "mover": state.mover,
            "agent": str(self.agent),
            "value": self.value,
            "unit": self.unit,
            "decided": self.unit == "decided",
        }
        if choice is None:
            return {**head, "outcomes": [self._outcome(one) for one in self.outcomes]}
        head |= {"move": state.name(choice.move), "code": choice.move, "nodes": choice.nodes}
        head |= {"kinds": choice.kinds, "depth": choice.depth, "line": named_line(state, choice.line)}
        head["lines"] = [
            {
                "move": state.name(one.move),
                "code": one.move,
                "value": one.value,
                "unit": one.unit,
                "visits": one.visits,
                "line": named_line(state, one.line),
            }
            for one in self.lines
        ]
        if choice.visits or choice.values:
            head["moves"] = [
                {"move": state.name(m), "code": m, "visits": choice.visits.get(m), "value": choice.values.get(m)}
                | _interval(choice, m)
                for m in by_worth(choice)
            ]
        return head

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each best line, or for each move of nature's, for a data frame."""
        if self.choice is None:
            return [self._outcome(one) for one in self.outcomes]
        return [
            {
                **{"move": self.state.name(one.move), "code": one.move, "value": one.value, "unit": one.unit},
                **{"visits": one.visits, "line": line_text(self.state, one.line)},
            }
            for one in self.lines
        ]

    def _repr_html_(self) -> str:
        shown = [{key: value for key, value in row.items() if key != "code"} for row in self.rows()]
        columns = list(shown[0]) if shown else ["move"]
        cells = [["" if row[key] is None else _short(row[key]) for key in columns] for row in shown]
        who = "player 0" if self.choice is None else f"player {self.state.mover}"
        title = f"{self.state.game.text}: {self.unit} {self.value:g} to {who}, by {self.agent}"
        return self.state._repr_svg_() + html_table(title, columns, cells)

    def _outcome(self, one: NatureMay) -> dict[str, Any]:
        name = self.state.name(one.move)
        return {"move": name, "code": one.move, "chance": one.chance, "value": one.value, "unit": one.unit}


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def by_worth(choice: Choice) -> list[int]:
    """Return the moves of a choice, best first: by visits, or by values where they have intervals."""
    by = choice.values if choice.margins else choice.visits or choice.values
    return sorted(by, key=lambda m: -by[m])


def _interval(choice: Choice, move: int) -> dict[str, float]:
    """Return the 95 % interval of a move's value, if the agent knows one."""
    if move not in choice.margins:
        return {}
    value, margin = choice.values[move], choice.margins[move]
    return {"low": value - margin, "high": value + margin}


def named_line(state: State, line: Sequence[int]) -> list[dict[str, Any]]:
    """Return moves as all our JSON has them: text and code, in order."""
    found = []
    for move in line:
        found.append({"move": state.name(move), "code": move})
        state = state.play(move)
    return found


def line_text(state: State, line: Sequence[int]) -> str:
    """Return a line in the game's own notation."""
    return " ".join(step["move"] for step in named_line(state, line))


def unit_of(agent: Agent, choice: Choice) -> str:
    """Return what a value is: decided, payoff or points."""
    return "decided" if choice.decided else agent.values_in


def less(player: Agent, share: int = 1) -> Agent | None:
    """Return the agent with what is left of its budget behind a move: a ply less, or a share of its playouts.

    None if nothing is left: the position behind the move is then looked at and not searched.
    """
    depth, playouts = int(budget(player, "depth")), int(budget(player, "playouts"))
    if depth:
        return with_settings(player, depth=depth - 1) if depth > 1 else None
    return with_settings(player, playouts=max(playouts // max(share, 1), 1)) if playouts else player


@dataclass(frozen=True)
class Searching:
    """Who searches, and how: the same seed gives the same opinions."""

    game: Game
    agent: Agent
    seed: int = 0
    mode: str = "fast"

    def choose(self, state: State, agent: Agent | None = None) -> Choice:
        """Return the agent's choice at a position."""
        return (agent or self.agent).choose(self.game, state, seed=self.seed, mode=self.mode)

    def worth(self, state: State, player: int, agent: Agent | None = None) -> tuple[float, str, Choice | None]:
        """Return what a position is worth to a player, in which unit, and the choice behind it.

        Raises CannotPlay where a value is seen by one of many players only.
        """
        agent = agent or self.agent
        if state.over:
            return float(state.payoff(player)), "decided", None
        if state.mover == CHANCE:
            weights = state.weights()
            total, mean, units = sum(weights.values()), 0.0, set()
            for move, weight in weights.items():
                if weight > 0:
                    value, unit, _ = self.worth(state._play(move), player, agent)
                    mean += weight / total * value
                    units.add(unit)
            return mean, units.pop() if len(units) == 1 else agent.values_in, None
        choice = self.choose(state, agent)
        unit = unit_of(agent, choice)
        return self.seen_by(player, state.mover, choice.value, unit), unit, choice

    def seen_by(self, player: int, mover: int, value: float, unit: str) -> float:
        """Return the value to a player of what is worth so much to the mover."""
        if player == mover or self.game.players == 1:
            return float(value)
        if self.game.players != 2:
            raise CannotPlay(f"{self.game.name} has {self.game.players} players: a value is its mover's alone")
        return float((self.game.payoff_sum or 0) - value if unit != "points" else -value)


def analyse(
    game: Game | str,
    agent: Agent | str,
    *,
    position: State | str | None = None,
    moves: Sequence[str | int] = (),
    lines: int = 1,
    seed: int = 0,
    mode: str = "fast",
) -> PositionAnalysis:
    """Return what an agent thinks of a position: the start, a position, or where some moves lead.

    >>> analyse("nim:heap=6", "alphabeta:depth=6", lines=2, mode="plain").lines[0]
    BestLine(move=2, value=1.0, unit='decided', line=(2, ...), visits=None)
    """
    found = game if isinstance(game, Game) else load(game)
    (player,) = agents_of([agent], found)
    for name, value, least in (("lines", lines, 1), ("seed", seed, None)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise BadParameter(f"{name} must be a whole number, got {brief(value)}")
        within(name, value, least)
    one_of("mode", mode, MODES)
    if found.is_world:
        raise found.has_no_moves()
    if position is not None and not isinstance(position, str | State):
        raise BadParameter(f"a position is a text or a state of the game, got {brief(position)}")
    state = position if isinstance(position, State) else found.position(position) if position else found.start()
    if isinstance(moves, str | bytes) or not isinstance(moves, Sequence):
        raise BadParameter(f"moves are given as a list, got {brief(moves)}")
    for move in moves:
        state = state.play(move)
    player.suits(found)
    return think(Searching(found, player, seed, mode), state, lines)


def think(search: Searching, state: State, lines: int = 1, choice: Choice | None = None) -> PositionAnalysis:
    """Return the analysis of one position; a choice that is there already is not made again."""
    agent = search.agent
    if state.mover == CHANCE and not state.over:
        return _nature(search, state)
    choice = choice or search.choose(state)
    unit = unit_of(agent, choice)
    found = best_lines(search, state, choice, lines) if lines > 1 else ()
    if not found:
        visits = choice.visits.get(choice.move)
        found = (BestLine(choice.move, choice.value, unit, choice.line or (choice.move,), visits),)
    return PositionAnalysis(state, agent, choice.value, unit, choice, found)


def _nature(search: Searching, state: State) -> PositionAnalysis:
    weights = state.weights()
    total, rows = sum(weights.values()), []
    for move, weight in weights.items():
        if weight > 0:
            value, unit, _ = search.worth(state._play(move), 0)
            rows.append(NatureMay(move, weight / total, value, unit))
    mean = sum(one.chance * one.value for one in rows)
    units = {one.unit for one in rows}
    unit = units.pop() if len(units) == 1 else search.agent.values_in
    return PositionAnalysis(state, search.agent, mean, unit, None, (), tuple(rows))


def best_lines(search: Searching, state: State, choice: Choice, number: int) -> tuple[BestLine, ...]:
    """Return the best moves with their lines, the agent's choice first.

    Monte Carlo searches know what each move is worth; behind the others a search with a ply less says it.
    """
    agent, mover = search.agent, state.mover
    legal = state.moves()
    known = bool(choice.visits)
    if known:
        ranked = sorted(legal, key=lambda m: (m != choice.move, -choice.visits.get(m, 0), -choice.values.get(m, 0.0)))
        legal = [move for move in ranked if choice.visits.get(move, 0) > 0][:number]
    found = []
    for move in legal:
        after, rest = state._play(move), less(agent, number)
        if move == choice.move and choice.line:
            line, value, unit = choice.line, choice.value, unit_of(agent, choice)
        else:
            line, value, unit = _behind(search, after, mover, rest)
            line = (move, *line)
        if known:
            value, unit = choice.values[move], unit_of(agent, choice) if move == choice.move else agent.values_in
        found.append(BestLine(move, float(value), unit, line, choice.visits.get(move) if known else None))
    if not known:
        found.sort(key=lambda one: (one.move != choice.move, -one.value))
    return tuple(found[:number])


def _behind(search: Searching, state: State, player: int, rest: Agent | None) -> tuple[tuple[int, ...], float, str]:
    """Return the line that follows, and what the position is worth to a player; without a budget, a glance."""
    if rest is None and not state.over and state.mover != CHANCE:
        value = search.seen_by(player, state.mover, float(state.evaluate()), "points")
        return (), value, search.agent.values_in
    value, unit, choice = search.worth(state, player, rest)
    return (choice.line or (choice.move,)) if choice else (), value, unit


# Whole games


@dataclass(frozen=True)
class JudgedMove:
    """A move of a game: what it was worth to who made it, what was best, and what it has cost."""

    ply: int
    player: int
    code: int
    move: str
    best: str  # what the agent would have played
    best_code: int
    before: float  # the value of the position to the player who moved
    after: float  # and behind the move
    unit: str  # of the value behind the move
    verdict: str = ""  # "mistake", "missed win", "losing move"

    @property
    def cost(self) -> float:
        """What the move has given away; never below 0."""
        return max(self.before - self.after, 0.0)

    @property
    def best_move(self) -> dict[str, Any]:
        """The best move as commands say moves: its name and its code."""
        return {"move": self.best, "code": self.best_code}


@dataclass(frozen=True)
class GameAnalysis:
    """A game, judged move by move. `values` are those of the positions, to player 0, the first before any move."""

    game: Game = field(repr=False)
    names: tuple[str, ...]
    agent: Agent
    moves: tuple[JudgedMove, ...] = field(repr=False)
    values: tuple[float, ...] = field(repr=False)
    units: tuple[str, ...] = field(repr=False)
    states: tuple[State, ...] = field(repr=False)
    texts: tuple[str, ...] = field(repr=False)  # of all moves, nature's included

    @property
    def levels(self) -> tuple[float, ...]:
        """The values as a curve shows them: beside points, what is decided stands beyond all of them."""
        if "points" not in self.units:
            return self.values
        points = [abs(value) for value, unit in zip(self.values, self.units, strict=True) if unit == "points"]
        beyond, draw = 1.25 * max(points) or 1.0, (self.game.payoff_sum or 0) / self.game.players
        return tuple(
            value if unit == "points" else beyond * ((value > draw) - (value < draw))
            for value, unit in zip(self.values, self.units, strict=True)
        )

    @property
    def faults(self) -> tuple[JudgedMove, ...]:
        """The moves with a verdict."""
        return tuple(one for one in self.moves if one.verdict)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each judged move, for a data frame."""
        return [
            {
                "ply": one.ply,
                "player": one.player,
                "agent": self.names[one.player],
                "move": one.move,
                "code": one.code,
                "best": one.best,
                "best_code": one.best_code,
                "before": one.before,
                "after": one.after,
                "cost": one.cost,
                "unit": one.unit,
                "verdict": one.verdict or None,
            }
            for one in self.moves
        ]

    def _repr_html_(self) -> str:
        from ludwin.arena.pages import curve_svg
        from ludwin.svg import dressed

        title = f"{self.game.text}: {' against '.join(self.names)}, analysed by {self.agent}"
        cells = [
            [str(one.ply + 1), one.move, self.names[one.player], one.verdict, f"{one.cost:.3g}", one.best]
            for one in self.faults
        ]
        columns = ["ply", "move", "by", "verdict", "cost", "best"]
        return dressed(curve_svg(self)) + html_table(title, columns, cells, (0, 4))

    def to_dict(self) -> dict[str, Any]:
        """Return it as `ludwin analyse FILE --json` prints it."""
        values = [
            {"ply": ply, "value": value, "unit": unit}
            for ply, (value, unit) in enumerate(zip(self.values, self.units, strict=True))
        ]
        who = {"game": self.game.text, "agents": list(self.names), "agent": str(self.agent)}
        moves = [
            {**{key: value for key, value in row.items() if key != "best_code"}, "best": one.best_move}
            for row, one in zip(self.rows(), self.moves, strict=True)
        ]
        return {**who, "values": values, "moves": moves}


def analyse_game(
    search: Searching,
    states: Sequence[State],
    codes: Sequence[int],
    names: Sequence[str],
    *,
    mistake: float = MISTAKE,
    progress: Progress = SILENT,
) -> GameAnalysis:
    """Judge every move of a game; `mistake` is the part of the span of its values that a mistake costs at least.

    Raises CannotPlay for games of three players or more, whose values are seen by one player only.
    """
    game = search.game
    if game.players > 2:
        raise CannotPlay(f"{game.name} has {game.players} players: whole games of one or two can be analysed")
    search.agent.suits(game)
    progress.total(len(states), "analyse", unit="positions")
    seen: list[tuple[float, str, Choice | None]] = []
    for ply, state in enumerate(states):
        seen.append(search.worth(state, 0) if state.over or state.mover != CHANCE else (0.0, "", None))
        progress.done(ply + 1)
    seen = _fill_nature(search, states, codes, seen)
    alike = [one[0] for one in seen if one[1] == "points"] or [one[0] for one in seen]
    span = max(alike) - min(alike)
    judged = []
    for ply, code in enumerate(codes):
        choice = seen[ply][2]
        if choice is not None:
            judged.append(_judge(search, states[ply], ply, code, (seen[ply], seen[ply + 1]), mistake * span))
    texts = tuple(state.name(code) for state, code in zip(states, codes, strict=False))
    values, units = tuple(one[0] for one in seen), tuple(one[1] for one in seen)
    return GameAnalysis(game, tuple(names), search.agent, tuple(judged), values, units, tuple(states), texts)


Seen = tuple[float, str, Choice | None]


def _fill_nature(search: Searching, states: Sequence[State], codes: Sequence[int], seen: Sequence[Seen]) -> list[Seen]:
    """Give nature's positions their values: what the search thought of the move that led there, else the mean."""
    found = list(seen)
    for ply, state in enumerate(states):
        if state.over or state.mover != CHANCE:
            continue
        before = found[ply - 1][2] if ply else None
        if before is not None and before.visits.get(codes[ply - 1], 0) > 0:
            mover, unit = states[ply - 1].mover, search.agent.values_in
            found[ply] = (search.seen_by(0, mover, before.values[codes[ply - 1]], unit), unit, None)
        elif ply and found[ply - 1][1] and states[ply - 1].mover == CHANCE:
            found[ply] = (found[ply - 1][0], found[ply - 1][1], None)  # nature moves twice
        else:
            found[ply] = search.worth(state, 0)
    return found


def _judge(search: Searching, state: State, ply: int, code: int, around: tuple[Seen, Seen], least: float) -> JudgedMove:
    """Return the verdict on one move; `around` are the values before and behind it, to player 0."""
    (_, unit, choice), (then, unit_then, _) = around
    assert choice is not None
    mover = state.mover
    before, after = choice.value, search.seen_by(mover, 0, then, unit_then) if mover else then
    draw = (search.game.payoff_sum or 0) / search.game.players
    won, lost = unit == "decided" and before > draw, unit_then == "decided" and after < draw
    verdict = ""
    if code != choice.move:
        if won and not (unit_then == "decided" and after > draw):
            verdict = "missed win"
        elif lost and not (unit == "decided" and before < draw) and search.game.players == 2:
            verdict = "losing move"
        elif _same_kind(unit, unit_then) and before - after >= least > 0:
            verdict = "mistake"
    comparable = _same_kind(unit, unit_then)
    best = state.name(choice.move)
    kept = after if comparable else before
    return JudgedMove(ply, mover, code, state.name(code), best, choice.move, before, kept, unit_then, verdict)


def _same_kind(one: str, other: str) -> bool:
    """Tell whether two values may be compared: payoffs with what is decided, points with points."""
    return (one == "points") == (other == "points")


def curve_text(analysis: GameAnalysis, width: int = 72, rows: int = 9) -> str:
    """Return the values of a game as a drawing of letters: from the first player's side, a column for each ply."""
    values = analysis.levels
    low, high = min(values), max(values)
    if high <= low:
        low, high = low - 1, high + 1
    columns = min(len(values), width)
    picked = [values[k * len(values) // columns] for k in range(columns)]
    levels = [round((value - low) / (high - low) * (rows - 1)) for value in picked]
    lines = []
    for row in reversed(range(rows)):
        edge = f"{high:8.3g} " if row == rows - 1 else f"{low:8.3g} " if row == 0 else " " * 9
        lines.append(edge + "|" + "".join("o" if level == row else " " for level in levels).rstrip())
    return "\n".join([*lines, " " * 9 + "+" + "-" * columns, f"{'':10}ply 0 to {len(values) - 1}"])
