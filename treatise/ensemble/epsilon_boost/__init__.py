"""Boosting by tiny steps, which traces a regularised path (Rosset, Zhu & Hastie, JMLR 5:941)."""

from treatise.ensemble.epsilon_boost.classifier import EpsilonBoostClassifier
from treatise.ensemble.epsilon_boost.comparison import PathComparison, compare_paths
from treatise.ensemble.epsilon_boost.plot import plot_boosting_path, plot_margin_path
from treatise.ensemble.epsilon_boost.regressor import EpsilonBoostRegressor

__all__ = [
    "EpsilonBoostClassifier",
    "EpsilonBoostRegressor",
    "PathComparison",
    "compare_paths",
    "plot_boosting_path",
    "plot_margin_path",
]
