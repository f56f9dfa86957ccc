"""Words that several doors understand, spelled once.

Why it is here.  A user who has learnt `--preset quick` or `--mode checked` from one command knows them for all.
"""

MODES = ("plain", "checked", "fast")  # how rules and searches are run; slowest and most careful first
EVENTS = ("round-robin", "gauntlet", "swiss", "knockout")  # who meets whom
PRESETS = ("quick", "standard", "paper")  # how much work a run is
VERDICTS = ("reproduced", "beaten", "below", "differs", "measured")  # what a row of a table says
