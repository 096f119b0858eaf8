"""Penalties on norms of groups: least squares, logistic and softmax regression."""

from treatise.optimize.group.lasso import GroupLassoSolution, group_lasso_path, group_logistic_path, group_penalty_limit
from treatise.optimize.group.multinomial import GroupMultinomialSolution, solve_group_multinomial_columns

__all__ = [
    "GroupLassoSolution",
    "GroupMultinomialSolution",
    "group_lasso_path",
    "group_logistic_path",
    "group_penalty_limit",
    "solve_group_multinomial_columns",
]
