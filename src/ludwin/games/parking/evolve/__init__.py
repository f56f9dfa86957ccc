"""What evolves in the car park: policies that solve boards, and boards that are hard to solve."""

from ludwin.games.parking.evolve.boards import BOARDS
from ludwin.games.parking.evolve.policies import POLICIES

EXPERIMENTS = (POLICIES, BOARDS)
