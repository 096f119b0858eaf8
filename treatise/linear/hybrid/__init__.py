"""Linear models from files of any size: online passes, averaging, then preconditioned L-BFGS (JMLR 15:1111)."""

from treatise.linear.hybrid.cluster_plan import ClusterPlan, plan_cluster
from treatise.linear.hybrid.estimators import HybridLinearClassifier, HybridLinearRegressor

__all__ = ["ClusterPlan", "HybridLinearClassifier", "HybridLinearRegressor", "plan_cluster"]
