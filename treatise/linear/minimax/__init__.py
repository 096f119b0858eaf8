"""Minimax probability machines: two classes told apart by their moments alone (JMLR 5:1253)."""

from treatise.linear.minimax.kernel import KernelMinimaxProbabilityMachine
from treatise.linear.minimax.linear import MinimaxProbabilityMachine
from treatise.linear.minimax.plot import plot_frontier
from treatise.statistics.half_spaces import worst_case_accuracy

__all__ = ["KernelMinimaxProbabilityMachine", "MinimaxProbabilityMachine", "plot_frontier", "worst_case_accuracy"]
