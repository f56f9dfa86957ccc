"""Games between agents, and what can be believed of their results."""
