"""Classifiers with differential privacy, their budget, and an audit of it (JMLR 12:1069)."""

from treatise.linear.private.accountant import BudgetExceededError, PrivacyAccountant
from treatise.linear.private.audit import PrivacyAudit, audit_privacy, repeated_weights
from treatise.linear.private.kernel import PrivateKernelClassifier
from treatise.linear.private.linear import PrivateLinearSVC, PrivateLogisticRegression
from treatise.linear.private.mechanisms import (
    Perturbation,
    erm_sensitivity,
    excess_risk_bound,
    exponential_mechanism,
    exponential_probabilities,
    perturbation,
    vector_laplace,
)
from treatise.linear.private.tuning import PrivateTuner

__all__ = [
    "BudgetExceededError",
    "Perturbation",
    "PrivacyAccountant",
    "PrivacyAudit",
    "PrivateKernelClassifier",
    "PrivateLinearSVC",
    "PrivateLogisticRegression",
    "PrivateTuner",
    "audit_privacy",
    "erm_sensitivity",
    "excess_risk_bound",
    "exponential_mechanism",
    "exponential_probabilities",
    "perturbation",
    "repeated_weights",
    "vector_laplace",
]
