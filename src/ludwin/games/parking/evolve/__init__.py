"""What evolves in the car park: policies and sums of words that solve boards, and boards that are hard to solve."""

from ludwin.games.parking.evolve.boards import BOARDS
from ludwin.games.parking.evolve.policies import POLICIES
from ludwin.games.parking.evolve.sums import SUMS

EXPERIMENTS = (POLICIES, SUMS, BOARDS)
