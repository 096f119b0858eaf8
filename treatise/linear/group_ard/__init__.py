"""Group-sparse regression: group ARD, its penalised form, and the group lasso beside them (paper v15-0217)."""

from treatise.linear.group_ard.ard import GroupARDRegressor
from treatise.linear.group_ard.mkl import GroupLassoMKL
from treatise.linear.group_ard.orthogonal import bayes_ridge_mse, orthogonal_variances, zero_probability
from treatise.linear.group_ard.variances_plot import plot_group_variances

__all__ = [
    "GroupARDRegressor",
    "GroupLassoMKL",
    "bayes_ridge_mse",
    "orthogonal_variances",
    "plot_group_variances",
    "zero_probability",
]
