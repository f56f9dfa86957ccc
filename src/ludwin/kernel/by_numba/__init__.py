"""The second compiler: the same text through numba, kept for one release as a witness.

`LUDWIN_COMPILER=numba` chooses it (extra `numba`). It is slow to start, keeps nothing on disk, and exists so that
tests can ask two independent compilers the same question. Mutual recursion is beyond it.
"""
