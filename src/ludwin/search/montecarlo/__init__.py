"""Monte Carlo tree search: one loop whose parts are exchanged by rules and options (`mcts`), and searches that breed
their selection formula while they think (`evolving`).
"""
