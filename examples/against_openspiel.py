"""Our alpha-beta against OpenSpiel's C++ MCTS bot at draughts, at equal seconds a move.

    python examples/against_openspiel.py --games 100 --seconds 0.02

The bot's budget is counted in simulations, so its speed is measured first (on CPU time, like our own
clock-free budget in nodes) and both sides get what they can do in so many seconds. OpenSpiel plays each jump
as a move of its own and draws after 40 quiet moves; the referee here is ours.
"""

import argparse
import time

import pyspiel

from ludwin import agent, load
from ludwin.arena.stats import pentanomial, summary
from ludwin.search.alphabeta import AlphaBeta

REFINED = "eval=strong,order=twist,killers=ply,killer_size=2,history=1,table=16,pvs=1,quiescence=usual"


def place(square):
    """Return OpenSpiel's name of a square: it has Black at the bottom, so the board is turned."""
    row, k = divmod(square - 1, 4)
    return "hgfedcba"[2 * k + (row % 2 == 0)] + str(row + 1)


def whole_turns(state, so_far=()):
    """Yield (squares, actions, state after them) for every whole turn of OpenSpiel's mover."""
    player = state.current_player()
    for action in state.legal_actions():
        text = state.action_to_string(action)
        squares = (*(so_far or (text[:2],)), text[2:4])
        after = state.clone()
        after.apply_action(action)
        if not after.is_terminal() and after.current_player() == player:
            yield from whole_turns(after, squares)
        else:
            yield squares, after


def squares_of(game, state, move):
    """Return the squares that one of our moves touches, in OpenSpiel's names."""
    return tuple(map(place, game.module._path(move)))


def bot_turn(bot, theirs):
    """Let the bot play a whole turn and return the squares it touched and the state after it."""
    player, squares, state = theirs.current_player(), (), theirs.clone()
    while not squares or (not state.is_terminal() and state.current_player() == player):
        action = bot.step(state)
        text = state.action_to_string(action)
        squares = (*(squares or (text[:2],)), text[2:4])
        state.apply_action(action)
    return squares, state


def play(game, ours, bot, spiel, our_seat, seed):
    """Play one game and return our payoff; a draw when either side's rules say so."""
    state, theirs = game.start(), spiel.new_initial_state()
    ply = 0
    while not state.over and not theirs.is_terminal() and ply < 200:
        paths = {squares_of(game, state, m): m for m in state.moves()}
        if state.mover == our_seat:
            squares = squares_of(game, state, ours.choose(game, state, seed=seed + ply).move)
            theirs = dict(whole_turns(theirs))[squares]
        else:
            squares, theirs = bot_turn(bot, theirs)
        state = state.play(paths[squares])
        ply += 1
    return state.payoff(our_seat) if state.over else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=0.02)
    options = parser.parse_args()
    game, spiel = load("draughts"), pyspiel.load_game("checkers")
    began = time.process_time()
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    pyspiel.MCTSBot(spiel, evaluator, 1.0, 2000, 1000, False, 1, False).step(spiel.new_initial_state())
    simulations = max(1, round(2000 / (time.process_time() - began) * options.seconds))
    probe = agent(f"alphabeta:nodes=300000,{REFINED}")
    probe.choose(game, game.start())
    began = time.process_time()
    nodes = round(probe.choose(game, game.start()).nodes / (time.process_time() - began) * options.seconds)
    ours = AlphaBeta.parse(dict(part.split("=") for part in f"nodes={nodes},{REFINED}".split(",")))
    print(f"{options.seconds} CPU seconds a move: ours {nodes} nodes, OpenSpiel {simulations} simulations")
    scores = []
    for number in range(options.games):
        bot = pyspiel.MCTSBot(
            spiel, pyspiel.RandomRolloutEvaluator(1, number), 1.0, simulations, 1000, False, number, False
        )
        payoff = play(game, ours, bot, spiel, number % 2, 1000 * number)
        scores.append((payoff + 1) / 2)
    pairs = [a + b for a, b in zip(scores[::2], scores[1::2], strict=True)]
    found = summary(pentanomial(pairs))
    print(
        f"{scores.count(1)} wins, {scores.count(0.5)} draws, {scores.count(0)} losses: score {found.score}, Elo "
        f"{found.elo}"
    )


if __name__ == "__main__":
    main()
