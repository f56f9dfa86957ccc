"""Other people's programs as agents: files of a user's, and programs that are spoken to over pipes."""
