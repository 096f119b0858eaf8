"""Group-sparse regression: group ARD, its penalised form, and the group lasso beside them (paper v15-0217)."""

from treatise.linear.group_ard.ard import GroupARDRegressor
from treatise.linear.group_ard.mkl import GroupLassoMKL
from treatise.linear.group_ard.orthogonal import bayes_ridge_mse, orthogonal_variances, zero_probability

__all__ = ["GroupARDRegressor", "GroupLassoMKL", "bayes_ridge_mse", "orthogonal_variances", "zero_probability"]
