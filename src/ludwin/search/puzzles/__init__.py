"""Searching alone: how one player finds a way to a goal.

Every search here is an agent for every game of one player that says when it is `solved`.  `solver.py` is what they
share: budgets, counts, and an answer that says what is proved.  Kernel text that several of them use lies in `pool.py`
(states and the table that finds them again), `heap.py` and `estimate.py`; each other file is one idea.
"""
