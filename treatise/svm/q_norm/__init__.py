"""Machines whose slack costs its q-th power, and what theory says of their scores."""

from treatise.svm.q_norm.classifier import QNormSVC
from treatise.svm.q_norm.plot import plot_q_norm_calibration
from treatise.svm.q_norm.theory import (
    comparison_constant,
    excess_error_bound,
    q_norm_minimal_risk,
    q_norm_probability,
    q_norm_target,
    regularization_error_bound,
    separable_error_bound,
    theory_cost,
    tradeoff_cost,
)

__all__ = [
    "QNormSVC",
    "comparison_constant",
    "excess_error_bound",
    "plot_q_norm_calibration",
    "q_norm_minimal_risk",
    "q_norm_probability",
    "q_norm_target",
    "regularization_error_bound",
    "separable_error_bound",
    "theory_cost",
    "tradeoff_cost",
]
