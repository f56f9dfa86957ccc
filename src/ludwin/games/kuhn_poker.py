"""Kuhn poker: three cards, one round of betting, and already bluffs.

Rules.  Each of two players puts 1 chip into the pot and gets one of the cards J, Q, K.  Player 0
checks or bets 1 chip.  After a check player 1 may check, which leads to a showdown, or bet.  A bet
is answered by folding, which gives the pot to the bettor, or by calling, which leads to a showdown:
the higher card takes the pot.  Payoffs are chips won or lost: 1 or 2.

Why it is here.  The smallest game of hidden information with a theory: best play mixes, the second
player gains 1/18 of a chip per game, and a search that averages over the unseen card as if the
opponent showed it gets this wrong.

References.  H. W. Kuhn, "A simplified two-person poker", Contributions to the Theory of Games 1,
Annals of Mathematics Studies 24 (1950), 97-103.
"""

import re

from ludwin.primitives import CHANCE, draw

FIELDS = {
    "cards": 2,  # s.cards[p]: 0 before the deal, then 1, 2, 3 for J, Q, K
    "history": int,  # a 1, then a binary digit for each action: 0 check or fold, 1 bet or call
}
MAX_MOVES = 3
MAX_PLIES = 5

# What `history` says when the betting is over.
_CHECK_CHECK = 0b100
_BET_FOLD = 0b110
_CHECK_BET_FOLD = 0b1010


def setup(s):
    s.cards[0] = 0
    s.cards[1] = 0
    s.history = 1


def mover(s):
    if s.cards[1] == 0:
        return CHANCE
    return 1 if s.history == 0b10 or s.history == 0b11 else 0


def moves(s, out):
    if s.cards[1] == 0:
        n = 0
        for card in range(1, 4):
            if card != s.cards[0]:
                out[n] = card
                n += 1
        return n
    if s.history >= 0b100 and s.history != 0b101:
        return 0
    out[0] = 0
    out[1] = 1
    return 2


def play(s, m):
    if s.cards[0] == 0:
        s.cards[0] = m
    elif s.cards[1] == 0:
        s.cards[1] = m
    else:
        s.history = 2 * s.history + m


def payoff(s, p):
    if s.history == _BET_FOLD:
        return 1 if p == 0 else -1
    if s.history == _CHECK_BET_FOLD:
        return 1 if p == 1 else -1
    chips = 1 if s.history == _CHECK_CHECK else 2
    return chips if s.cards[p] > s.cards[1 - p] else -chips


def observe(s, p, rng):
    # All that is hidden is the other player's card, and it is not one's own.
    other = 1 - p
    mine = s.cards[p]
    if s.cards[other] != 0:
        card = draw(rng, 3 if mine == 0 else 2) + 1
        s.cards[other] = card + 1 if mine != 0 and card >= mine else card


def _actions(s):
    return bin(s.history)[3:].translate(str.maketrans("01", "pb"))


def show(s):
    cards = "  ".join(f"player {p}: {'?JQK'[s.cards[p]]}" for p in range(2))
    said = {"": "", "p": "check", "b": "bet", "pp": "check, check", "pb": "check, bet"}
    said |= {"bp": "bet, fold", "bb": "bet, call"}
    said |= {"pbp": "check, bet, fold", "pbb": "check, bet, call"}
    return f"{cards}\n{said[_actions(s)]}".rstrip()


def picture(s):
    from ludwin.svg import Sheet, player

    sheet, said = Sheet(360, 190, "Kuhn poker"), _actions(s)
    betting = s.cards[1] != 0
    bets = [1, 1]
    for k, action in enumerate(said):
        bets[k % 2] += action == "b"
    for p in range(2):
        x = 80 + 200 * p
        sheet.text(x, 22, f"player {p}", player(p), 14, bold=betting and mover(s) == p)
        sheet.card(x, 78, "?JQK"[s.cards[p]].strip("?"), 84)
        for chip in range(bets[p]):
            sheet.circle(x + (34 + 16 * chip) * (1 - 2 * p) + (p == 0) * 16, 132, 7, player(p), line="ink")
    out = [0] * MAX_MOVES
    legal = [name(s, m) for m in out[: moves(s, out)]]
    for k, word in enumerate(legal if betting else ()):
        sheet.rect(68 + 118 * k, 150, 106, 30, "panel", line=player(mover(s)), round=6, move=word, thick=1.5)
        sheet.text(121 + 118 * k, 165, word, size=14)
    words = "the betting is over" if betting else "nature deals"
    if not legal or not betting:
        sheet.text(180, 165, words, "quiet", 14)
    return str(sheet)


def name(s, m):
    if mover(s) == CHANCE:
        return "?JQK"[m]
    return (("fold", "call") if _actions(s).endswith("b") else ("check", "bet"))[m]


def parse(s, text):
    out = [0] * MAX_MOVES
    legal = {name(s, m).lower(): m for m in out[: moves(s, out)]}
    if text.strip().lower() not in legal:
        raise ValueError(f"a move is one of {' '.join(legal) or '(none)'}, got {text!r}")
    return legal[text.strip().lower()]


def write(s):
    return "".join("-JQK"[s.cards[p]] for p in range(2)) + ":" + _actions(s)


def read(s, text):
    match = re.fullmatch("(--|[JQK]-|[JQK][JQK]):(|p|b|pp|pb|bp|bb|pbp|pbb)", text.strip())
    if not match or match[1] in ("JJ", "QQ", "KK") or ("-" in match[1] and match[2]):
        raise ValueError(
            "a position is two different cards of J, Q, K, or - before the deal, and the actions, p to pass (check, "
            "fold) and b to bet or call, such as 'KJ:pb'"
        )
    for p in range(2):
        s.cards[p] = "-JQK".index(match[1][p])
    s.history = int("1" + match[2].translate(str.maketrans("pb", "01")), 2)
