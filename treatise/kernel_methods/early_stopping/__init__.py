"""Kernel regression by gradient steps, and the rules that say when to stop."""

from treatise.kernel_methods.early_stopping.plot import plot_error_path
from treatise.kernel_methods.early_stopping.regressor import EarlyStoppedKernelRegressor
from treatise.kernel_methods.early_stopping.rules import (
    critical_radius,
    empirical_rademacher,
    matched_ridge,
    stopping_time,
    sure_stopping_time,
)

__all__ = [
    "EarlyStoppedKernelRegressor",
    "critical_radius",
    "empirical_rademacher",
    "matched_ridge",
    "plot_error_path",
    "stopping_time",
    "sure_stopping_time",
]
