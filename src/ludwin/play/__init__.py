"""Games in progress: what the command line and other doors share."""
