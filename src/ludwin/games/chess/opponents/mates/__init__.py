"""Searches for mates: solvers that prove them, programs that evolve, and pools of problems."""
