"""Linear models: terascale and private training, sparse, additive and multi-task regression, majorised log-linear models."""

from treatise.linear.hybrid import HybridLinearClassifier, HybridLinearRegressor

__all__ = ["HybridLinearClassifier", "HybridLinearRegressor"]
