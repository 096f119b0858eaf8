"""Optimal transport, exact: single problems, and many over one table of costs that changes from call to call."""

from treatise.optimize.transport.pairs import PairTransport
from treatise.optimize.transport.single import TransportSolution, solve_transport

__all__ = ["PairTransport", "TransportSolution", "solve_transport"]
