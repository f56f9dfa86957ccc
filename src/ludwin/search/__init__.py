"""Agents: one file, one idea. `ludwin.library` says under which name each is called, and where it lives."""
