"""Match files as backgammon programs exchange them (.mat, after Jellyfish): read and written.

A file has the length of the match (0 for single games), then games: the players with their scores, and numbered lines
with a play of the one on the left and of the other on the right.  Bar and off are 25 and 0; `Doubles => 2`, `Takes` and
`Drops` are about the cube, and `Wins 2 points` ends a game, also one that somebody has given up: then the rest of a
match is a story of its own, from the score on.  What files of others leave open, the variant and what a game pays,
stands in comments such as `; [Variation "hypergammon"]`.

References.  GNU Backgammon, eXtreme Gammon and Jellyfish all write it; GNU Backgammon reads what we write.
"""

import re

from ludwin.games.backgammon.rules import _DOUBLE, _OPENING

_STAGES = {_OPENING: "opening", _DOUBLE: "double"}
_LEFT = 34  # columns of the left player's cell, the number included
_TAGS = {"variation": "variant", "payoff": "payoff", "turnlimit": "turn_limit", "cube": "cube"}
_USUAL = {"variant": "backgammon", "payoff": "points", "turn_limit": 2000}
_PLAYERS = re.compile(r"\s*(\S.*?)\s*:\s*(\d{1,4})\s+(\S.*?)\s*:\s*(\d{1,4})\s*$")  # with the score
_EVENT = re.compile(
    r"(?P<dice>[1-6][1-6]):(?P<play>.*?)(?=\s+[1-6][1-6]:|\s+(?:Doubles|Takes|Drops|Wins|Resigns)\b|$)"
    r"|(?P<word>Doubles|Takes|Drops|Wins|Resigns)\b(?P<rest>[^\n]*?)(?=\s{2,}|$)",
    re.IGNORECASE,
)


def tell(stories):
    """Return games as the text of a match file; a story has parameters, players, seats, states and moves."""
    lines = _head(stories[0].parameters)
    score, game = [0, 0], 0
    for number, story in enumerate(stories):
        length = int(story.parameters["match"])
        if length or number == 0:
            lines += [f" {length} point match", ""]
            score, game = [0, 0], 0
        swapped = story.seats[0] > story.seats[1]  # the same player is always on the left
        players = story.players[::-1] if swapped else story.players
        for moves, winner, points in _games(story):
            game += 1
            lines += [f" Game {game}", f" {players[0]} : {score[0]}".ljust(_LEFT) + f"{players[1]} : {score[1]}"]
            cells = _cells(moves)
            if winner is not None:
                score = [score[0], score[1]]
                score[winner ^ swapped] += points
                over = " and the match" if length and score[winner ^ swapped] >= length else ""
                cells.append((winner, f" Wins {points} point{'s' * (points != 1)}{over}"))
            lines += [*_rows([(side ^ swapped, text) for side, text in cells]), ""]
    return "\n".join(lines) + "\n"


def _head(parameters):
    """Return the comments that say what is not as usual; whether a cube was there that nobody touched is told, too."""
    tags = {tag: parameters[name] for tag, name in _TAGS.items() if parameters[name] != _USUAL.get(name, 0)}
    spelt = {"variation": "Variation", "payoff": "Payoff", "turnlimit": "TurnLimit", "cube": "Cube"}
    return [f'; [{spelt[tag]} "{value}"]' for tag, value in tags.items()]


def _games(story):
    """Yield the games of a story: their moves, (player, name) each, the winner (None: a draw) and its points."""
    moves = []
    for before, move, after in zip(story.states, story.moves, story.states[1:], strict=False):
        moves.append((before.mover, before.name(move)))
        won = [now - then for now, then in zip(after.score, before.score, strict=True)]
        if any(won):
            winner = 0 if won[0] else 1
            yield moves, winner, won[winner]
            moves = []
        elif after.over:
            yield moves, after.turn if after.points else None, after.points
            moves = []
    if moves:
        yield moves, None, 0


def _cells(moves):
    """Return what stands in the cells of a game: (player, text)."""
    cells, dice, cube = [], "", 1
    for player, text in moves:
        if player < 0:
            dice = "".join(sorted(text.replace("-", ""), reverse=True))
        elif text == "double":
            cube *= 2
            cells.append((player, f" Doubles => {cube}"))
        elif text in ("take", "drop"):
            cells.append((player, f" {text.capitalize()}s"))
        elif text != "roll":
            cells.append((player, f"{dice}: {_written(text)}".rstrip()))
    return cells


def _rows(cells):
    """Return the numbered lines of a game."""
    rows = []
    for side, text in cells:
        if side == 0 or not rows or rows[-1][1]:
            rows.append(["", ""])
        rows[-1][side] = text
    lefts = [f"{k:>3}) {left}" for k, (left, _) in enumerate(rows, 1)]
    # Two blanks end a cell, also one that is longer than its column.
    return [(f"{left}  " if right else left).ljust(_LEFT) + right for left, (_, right) in zip(lefts, rows, strict=True)]


def _written(text):
    """Return a play as match files have it: no brackets, 25 and 0 for bar and off."""
    if text == "pass":
        return ""
    words = []
    for word in text.split():
        match = re.fullmatch(r"([^(]+)(?:\((\d)\))?", word)
        words += [match[1].replace("bar", "25").replace("off", "0")] * int(match[2] or 1)
    return " ".join(words)


def hear(text):
    """Return the games of a match file as (parameters, players, events); an event is (player, text). Raises ValueError.

    A match is one story, single games are one each.
    """
    stories, length, players, events, told, cube = [], None, ("?", "?"), None, {}, 1
    for number, line in enumerate(text.lstrip("\ufeff").expandtabs().splitlines(), 1):
        if not line.strip() or line.lstrip().startswith((";", "#")):
            told |= _tag(line, number)
            continue
        if match := re.match(r"\s*(\d{1,3})\s+point\s+match", line, re.IGNORECASE):
            length, events = int(match[1]), None
        elif re.match(r"\s*Game\s+\d+\s*$", line, re.IGNORECASE):
            if length is None:
                raise ValueError(f"line {number}: a game before the length of the match (7 point match)")
            cube = 1
            if events is None or length == 0:
                events = []
                stories.append((length, players, events))
        elif events is not None and (match := re.match(r"\s*(\d+)\)(.*)$", line)):
            for side, said in _line_events(match[2], number):
                if said.startswith("double"):
                    cube *= 2
                    if said not in ("double", f"double {cube}"):
                        raise ValueError(f"line {number}: a {said} where the cube goes to {cube}")
                events.append((side, said.split()[0] if said.startswith("double") else said))
        elif events is not None and (match := _PLAYERS.match(line)):
            players = (match[1], match[3])
            stories[-1] = (length, players, events)
            if length:
                events.append((0, f"score {match[2]} {match[4]}"))
        elif events is not None and re.match(r"\s+Wins\b", line, re.IGNORECASE):
            events += _line_events(line, number)
        else:
            raise ValueError(f"line {number}: {line.strip()[:60]!r} is no line of a match file")
    if not stories:
        raise ValueError("there is no game in it")
    cube = int(any(text == "double" for _, _, events in stories for _, text in events))
    return [({"match": length, "cube": cube, **told}, players, events) for length, players, events in stories]


def _tag(line, number):
    """Return the parameter that a comment tells; other comments tell none. Raises ValueError."""
    match = re.match(r'\s*[;#]\s*\[\s*(\w+)\s+"([^"]*)"\s*\]\s*$', line)
    name = _TAGS.get(match[1].lower()) if match else None
    if name is None:
        return {}
    value = match[2].lower()
    if name == "cube":
        return {"cube": 1} if value == "1" else {}
    known = {"variant": "backgammon|nackgammon|hypergammon", "payoff": "points|wins", "turn_limit": r"\d{2,4}"}[name]
    if not re.fullmatch(known, value):
        raise ValueError(f"line {number}: {match[1]} {match[2][:40]!r} is not played here")
    return {} if value == str(_USUAL[name]) else {name: value}


def given_up(begun, state, player, text):
    """Return the position after a game that the file ends and the rules do not, None if the rules have ended it.

    `begun` is the position where the game began. Raises ValueError if the points are not those of the rules.
    """
    points, length = int(text.split()[1]), state.game.module.MATCH
    gained = [now - then for now, then in zip(state.score, begun.score, strict=True)]
    if state.over:
        worth = state.points if not length else gained[state.turn]
        # A match ends with more points than it needs; for money a gammon may count once while the cube is untouched.
        fits = points >= worth if length else points == worth or (points < worth and state.cube == 1)
        if player != state.turn or not fits:
            raise ValueError(f"player {player} wins {points} says the file, player {state.turn} wins {worth} the rules")
        return None
    if any(gained):
        if gained[player] != points:
            raise ValueError(f"player {player} wins {points} says the file, the score has changed by {gained}")
        return None
    if state.moves() and state.turns == 0 and state.stage == _OPENING:
        raise ValueError(f"player {player} wins {points} in a game that nobody has begun")
    if not 1 <= points <= 3 * 64 or (not length and points % state.cube):
        raise ValueError(f"player {player} cannot win {points} points with the cube at {state.cube}")
    s = state.thaw()
    s.turn = player
    state.game.module.won(s, points)
    return state.game.state(**{field.name: getattr(s, field.name) for field in state.game.fields})


def follow(state, player, text):
    """Return the moves that an event means at a position: before a roll somebody says that it rolls.

    A score means none, but must be that of the games before. Raises ValueError.
    """
    if text.startswith("score "):
        said = ":".join(str(int(points)) for points in text.split()[1:])
        if said != _stand(state):
            raise ValueError(f"the file says that it stands {said}, after the games before it stands {_stand(state)}")
        return []
    name = _STAGES.get(state.stage)
    dice = re.fullmatch(r"([1-6])-([1-6])", text)
    if name == "opening" and dice:
        high, low = sorted(dice.groups(), reverse=True)
        return [f"{high}-{low}" if player == 0 else f"{low}-{high}"]
    if name == "double" and dice:
        return ["roll", text]
    return [text]


def _stand(state):
    return ":".join(map(str, state.score))


def _line_events(line, number):
    """Return the events of one line: the left player's begin at its beginning."""
    found = []
    for event in _EVENT.finditer(line):
        side = 0 if event.start() < _LEFT // 2 and not found else 1
        if event["dice"]:
            found.append((side, f"{event['dice'][0]}-{event['dice'][1]}"))
            play = " ".join(event["play"].split())
            if play.strip("? ") and not re.fullmatch(r"(?i)cannot move|illegal play.*", play):
                found.append((side, play.replace("bar", "25")))
            else:
                found.append((side, "pass"))
        else:
            word = event["word"].lower()
            if word == "wins":
                points = re.search(r"\d+", event["rest"])
                found.append((side, f"wins {points[0] if points else 1}"))
            elif word == "doubles":
                found.append((side, " ".join(["double", *re.findall(r"\d+", event["rest"])[:1]])))
            elif word != "resigns":  # the points behind it say what it comes to
                found.append((side, word.removesuffix("s")))
    if not found and "resigns" not in line.lower():
        raise ValueError(f"line {number}: {line.strip()[:60]!r} has neither dice nor cube")
    return found
