"""Linear models: terascale and private training, sparse, additive and multi-task regression, majorised log-linear models."""

from treatise.linear.cluster_plan import ClusterPlan, communication_values, plan_cluster
from treatise.linear.hybrid import HybridLinearClassifier, HybridLinearRegressor
from treatise.linear.kernel_minimax import KernelMinimaxProbabilityMachine
from treatise.linear.minimax import MinimaxProbabilityMachine, worst_case_accuracy
from treatise.linear.minimax_plot import plot_frontier
from treatise.linear.private import PrivateLinearSVC, PrivateLogisticRegression
from treatise.linear.private_accountant import BudgetExceededError, PrivacyAccountant
from treatise.linear.private_audit import PrivacyAudit, audit_privacy, repeated_weights
from treatise.linear.private_kernel import PrivateKernelClassifier
from treatise.linear.private_mechanisms import (
    Perturbation,
    erm_sensitivity,
    excess_risk_bound,
    exponential_mechanism,
    exponential_probabilities,
    perturbation,
    vector_laplace,
)
from treatise.linear.private_tuning import PrivateTuner

__all__ = [
    "BudgetExceededError",
    "ClusterPlan",
    "HybridLinearClassifier",
    "HybridLinearRegressor",
    "KernelMinimaxProbabilityMachine",
    "MinimaxProbabilityMachine",
    "Perturbation",
    "PrivacyAccountant",
    "PrivacyAudit",
    "PrivateKernelClassifier",
    "PrivateLinearSVC",
    "PrivateLogisticRegression",
    "PrivateTuner",
    "audit_privacy",
    "communication_values",
    "erm_sensitivity",
    "excess_risk_bound",
    "exponential_mechanism",
    "exponential_probabilities",
    "perturbation",
    "plan_cluster",
    "plot_frontier",
    "repeated_weights",
    "vector_laplace",
    "worst_case_accuracy",
]
