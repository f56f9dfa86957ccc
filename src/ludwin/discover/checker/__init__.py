"""The independent checker: reads a derivation file by itself and prints what it proves, or refuses it in one line.

Why it is here.  "Nobody has to believe the engine" is only true if the checker is small, shares no code with the
search, and says what it believes.  The modules, in the order in which they depend on each other:

    terms      programs as values            reader     bytes to programs, strictly
    formula    what solvers are asked        kinds      numbers, lists and things apart
    order      orders decided by cases       smt        sums, by a solver, from a public file format
    reading    what a clause says            theory     the obligations of a program
    descent    recursion goes downwards      axioms     that some world satisfies the axioms
    statement  the theorem in words          verify     from a file to a theorem

`verify_bytes(raw)` returns `Verified` or raises `RefusedProof`.
"""

from typing import Any

from ludwin.discover.checker.terms import RefusedProof
from ludwin.discover.checker.verify import Verified, holds_of, verify, verify_bytes


def recheck(data: dict[str, Any], where: str = "derivation") -> int:
    """Check a derivation's data and return the number of its steps. Raises RefusedProof with the step that fails."""
    return verify(data, where).steps


__all__ = ["RefusedProof", "Verified", "holds_of", "recheck", "verify", "verify_bytes"]
