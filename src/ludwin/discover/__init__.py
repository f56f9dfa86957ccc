"""Programs as clauses: search algorithms found by program transformation, with proofs."""
