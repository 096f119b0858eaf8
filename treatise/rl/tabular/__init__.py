"""Learning with one number for each state and action."""

from treatise.rl.tabular.q_lambda import QLambda

__all__ = ["QLambda"]
