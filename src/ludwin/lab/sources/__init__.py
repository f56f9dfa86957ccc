"""Sources: where the figures of a table come from.

Why it is here.  A row of a table is a source, a column of it, what was published and a verdict rule.  There are few
sources and many tables:

| source | gives | module |
|---|---|---|
| match, league | records of games, on file or played | `matches` |
| decisions | what searches thought, one file an agent | `decisions` |
| champions | the best of evolved runs, and fresh games of them | `champions` |
| positions | the same positions for every agent, and ratios of nodes | `positions` |

All of them go on with what the folder of a run already holds, and none depends on the number of workers.
"""
