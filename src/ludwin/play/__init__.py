"""Games in progress: what a command line, a page and a program share.

Why it is here.  A person at a prompt and a person at a page play the same game: seats, a referee, taking back, advice,
a clock, saved games, and secrets that must not be shown.  All of it lives here, below the doors, without a terminal:
`session` is one game in progress, `events` is what it tells, `view` is what a player may see of it, `saved` keeps it in
a file, `referee` is the game as it is played, for matches, too.
"""
