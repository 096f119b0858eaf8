"""Gradients of the average reward of a policy: from a run, exactly, and with the least variance (JMLR 5:1471)."""

from treatise.rl.policy_gradient.exact import (
    ExactGradient,
    exact_policy_gradient,
    gradient_variance,
    mixing_time,
    optimal_baseline,
    variance_bound,
)
from treatise.rl.policy_gradient.gpomdp import GPOMDP, GradientEstimate
from treatise.rl.policy_gradient.learned_control import baseline_distance_gradient, value_error_gradient
from treatise.rl.policy_gradient.policies import ParameterizedPolicy, SoftmaxPolicy, SquashedPolicy

__all__ = [
    "GPOMDP",
    "ExactGradient",
    "GradientEstimate",
    "ParameterizedPolicy",
    "SoftmaxPolicy",
    "SquashedPolicy",
    "baseline_distance_gradient",
    "exact_policy_gradient",
    "gradient_variance",
    "mixing_time",
    "optimal_baseline",
    "value_error_gradient",
    "variance_bound",
]
