"""Linear models: terascale, private and majorised training; sparse, additive and multi-task regression."""

from treatise.linear.background_losses import BackgroundClassifier
from treatise.linear.cluster_plan import ClusterPlan, communication_values, plan_cluster
from treatise.linear.hybrid import HybridLinearClassifier, HybridLinearRegressor
from treatise.linear.kernel_margin_losses import KernelMarginClassifier
from treatise.linear.kernel_minimax import KernelMinimaxProbabilityMachine
from treatise.linear.majorized_latent import LatentLogLinearClassifier
from treatise.linear.majorized_logistic import MajorizedLogisticRegression
from treatise.linear.margin_consistency import (
    ConsistencyReport,
    check_consistency,
    conditional_risk,
    excess_error_bound,
    minimize_conditional_risk,
)
from treatise.linear.margin_losses import MarginClassifier
from treatise.linear.maximum_entropy import MaximumEntropy, maximum_entropy
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
from treatise.linear.semistochastic_logistic import SemiStochasticLogisticRegression
from treatise.linear.solver_race import SolverRace, race_logistic_solvers
from treatise.linear.spam import SpAMRegressor
from treatise.linear.spam_classifier import SpAMClassifier
from treatise.linear.spam_plot import plot_components, plot_norm_path

__all__ = [
    "BackgroundClassifier",
    "BudgetExceededError",
    "ClusterPlan",
    "ConsistencyReport",
    "HybridLinearClassifier",
    "HybridLinearRegressor",
    "KernelMarginClassifier",
    "KernelMinimaxProbabilityMachine",
    "LatentLogLinearClassifier",
    "MajorizedLogisticRegression",
    "MarginClassifier",
    "MaximumEntropy",
    "MinimaxProbabilityMachine",
    "Perturbation",
    "PrivacyAccountant",
    "PrivacyAudit",
    "PrivateKernelClassifier",
    "PrivateLinearSVC",
    "PrivateLogisticRegression",
    "PrivateTuner",
    "SemiStochasticLogisticRegression",
    "SolverRace",
    "SpAMClassifier",
    "SpAMRegressor",
    "audit_privacy",
    "check_consistency",
    "communication_values",
    "conditional_risk",
    "erm_sensitivity",
    "excess_error_bound",
    "excess_risk_bound",
    "exponential_mechanism",
    "exponential_probabilities",
    "maximum_entropy",
    "minimize_conditional_risk",
    "perturbation",
    "plan_cluster",
    "plot_components",
    "plot_frontier",
    "plot_norm_path",
    "race_logistic_solvers",
    "repeated_weights",
    "vector_laplace",
    "worst_case_accuracy",
]
