"""The web page: play, analyse, watch and explain any game in a browser (`ludwin web`).

Why it is here.  A board that can be clicked, a search that can be watched and a run that draws its own curve teach more
than a table of numbers, and a protocol that other programs can speak makes client and server two machines.

How it is built.  The server (`app`, `guard`, `hub`) speaks HTTP and WebSocket and never runs rules.  Every open table
is a process of its own (`table_worker`), forked from a warm one (`nursery`), and what is read from folders is read in
one more process (`desk_worker`); each can be killed without harm to the others.  Long work is the ordinary commands,
carried out in a folder (`jobs`); the page watches folders.  The front end is in `static/`, built from `web/` of the
repository.
"""
