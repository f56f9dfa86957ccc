"""Evolution inside a search: EA-MCTS and SIEA-MCTS."""
