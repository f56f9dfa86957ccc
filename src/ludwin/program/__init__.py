"""Typed programs: languages, trees, how they are made, varied, read, drawn and run."""
