"""The languages of GP-Gammon: chapter 7 of *Evolved to Win*, one for the contact tree and one for the race tree.

Why it is here.  Tables 7.1 to 7.3 of the book: nine functions that both trees share, eleven terminals in contact, two
in a race.  What a terminal means is said in `features.py`.  A *query* of the book is a number or a truth, as it is
needed; so is the type Query.

`PLAY` holds all of them: the two trees of a player are written in it when they play, since a brain has one language.

References.  Y. Azaria and M. Sipper, "GP-Gammon: genetically programming backgammon players", Genetic Programming and
Evolvable Machines 6 (2005), 283-300; M. Sipper, *Evolved to Win* (2011), tables 7.1 to 7.3.
"""

from collections.abc import Sequence
from functools import lru_cache

from ludwin.program.language import Language, Primitive
from ludwin.program.text import read, write
from ludwin.program.tree import Tree

F, B, Q = "Float", "Bool", "Query"
LOCATIONS = 26  # the bar, 24 points, off
CHOOSER = "contact"  # the game's stage_contact: on the board that is judged
ROLES = ("contact", "race")

FUNCTIONS = (
    Primitive("Add", F, (F, F), "a + b", help="the sum"),
    Primitive("Sub", F, (F, F), "a - b", help="the difference"),
    Primitive("Mul", F, (F, F), "a * b", help="the product"),
    Primitive("If", F, (B, F, F), "b if a else c", help="the second if the first is not 0, else the third"),
    Primitive("Greater", B, (F, F), "a > b", help="whether the first is greater"),
    Primitive("Smaller", B, (F, F), "a < b", help="whether the first is smaller"),
    Primitive("And", B, (B, B), "a and b", help="both"),
    Primitive("Or", B, (B, B), "a or b", help="one of them"),
    Primitive("Not", B, (B,), "not a", help="whether it is 0"),
)
NUMBER = Primitive("Float_ERC", F, rule="v", draws=(0.0, 5.0), help="a number drawn at creation")
PLACED = {
    "Player_Exposed": ("player exposed", "1 if the player has exactly one man there"),
    "Player_Blocked": ("player blocked", "1 if the player has two men or more there"),
    "Player_Tower": ("player tower", "how many more than two men the player has there"),
    "Enemy_Exposed": ("enemy exposed", "1 if the enemy has exactly one man there"),
    "Enemy_Blocked": ("enemy blocked", "1 if the enemy has two men or more there"),
}
GENERAL = {
    "Player_Pip": ("player pip", "the player's pips over 167"),
    "Enemy_Pip": ("enemy pip", "the enemy's pips over 167"),
    "Total_Hit_Prob": ("total hit prob", "chances of being hit, added up over the player's blots"),
    "Player_Escape": ("player escape", "ways out of the enemy's home, of 131"),
    "Enemy_Escape": ("enemy escape", "ways out of the player's home, of 131"),
}
POSITION = Primitive(
    "Player_Position", Q, reads="player position", places=LOCATIONS, help="how many men the player has there"
)
IN_CONTACT = (
    *(Primitive(word, Q, reads=query, places=LOCATIONS, help=told) for word, (query, told) in PLACED.items()),
    *(Primitive(word, F, reads=query, help=told) for word, (query, told) in GENERAL.items()),
)


def _language(name: str, terminals: Sequence[Primitive]) -> Language:
    return Language(name, (F, B), (*FUNCTIONS, NUMBER, *terminals), F, {Q: (F, B)})


CONTACT = _language("gp-gammon, contact", IN_CONTACT)
RACE = _language("gp-gammon, race", (POSITION,))
PLAY = _language("gp-gammon", (*IN_CONTACT, POSITION))


@lru_cache(maxsize=4096)
def in_play(tree: Tree) -> Tree:
    """Return a contact or a race tree in the language that has the words of both."""
    return read(PLAY, write(tree))
