"""More than one machine: who is admitted, how errands get there, and what happens when somebody dies.

Why it is here.  Everything that Ludwin computes is cut into parts that are pure functions of texts (`ludwin.spread`).
This room carries them to other machines with Dask distributed, which is imported only when a cluster is asked for, and
keeps what Dask does not: results live with the coordinator, workers come back after the scheduler's death, and
machines are admitted by a fingerprint of their arithmetic.
"""
