"""Boosting, bagging and pruning."""

from treatise.ensemble.epsilon_boost import (
    EpsilonBoostClassifier,
    EpsilonBoostRegressor,
    PathComparison,
    compare_paths,
    plot_boosting_path,
    plot_margin_path,
)
from treatise.ensemble.margins import (
    MaximumMargin,
    l1_max_margin,
    l2_max_margin,
    lp_margin,
    norm_for_larger_margin,
)

__all__ = [
    "EpsilonBoostClassifier",
    "EpsilonBoostRegressor",
    "MaximumMargin",
    "PathComparison",
    "compare_paths",
    "l1_max_margin",
    "l2_max_margin",
    "lp_margin",
    "norm_for_larger_margin",
    "plot_boosting_path",
    "plot_margin_path",
]
