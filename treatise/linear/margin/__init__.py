"""Multi-category large margin classifiers, and which of their losses are consistent (JMLR 5:1225)."""

from treatise.linear.margin.background import BackgroundClassifier
from treatise.linear.margin.consistency import (
    ConsistencyReport,
    check_consistency,
    conditional_risk,
    excess_error_bound,
    minimize_conditional_risk,
)
from treatise.linear.margin.kernel import KernelMarginClassifier
from treatise.linear.margin.linear import MarginClassifier

__all__ = [
    "BackgroundClassifier",
    "ConsistencyReport",
    "KernelMarginClassifier",
    "MarginClassifier",
    "check_consistency",
    "conditional_risk",
    "excess_error_bound",
    "minimize_conditional_risk",
]
