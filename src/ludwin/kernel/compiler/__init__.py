"""The compiler: from the syntax trees of rules and searches to machine code.

Read in this order: `kinds` (what values there are), `flow` (which assignment a reading sees), `scope` (what a
name means), `infer` (the kinds of all expressions), `emit` with `operators` and `words` (LLVM's language),
`faults` (how compiled code says that something is wrong), `module` (a whole kernel) and `machine` (LLVM).
"""
