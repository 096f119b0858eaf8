"""Machines whose slack costs its q-th power, and what theory says of their scores."""

from treatise.svm.q_norm.classifier import QNormSVC
from treatise.svm.q_norm.plot import plot_q_norm_calibration
from treatise.svm.q_norm.theory import (
    q_norm_probability,
    q_norm_target,
    theory_cost,
)

__all__ = [
    "QNormSVC",
    "plot_q_norm_calibration",
    "q_norm_probability",
    "q_norm_target",
    "theory_cost",
]
