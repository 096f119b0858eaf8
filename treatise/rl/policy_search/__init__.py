"""Policies from few trials: Bayesian optimisation that learns from trajectories (JMLR 15:253)."""

from treatise.rl.policy_search.behavior import behavior_kernel, trajectory_kl
from treatise.rl.policy_search.dynamics import EndRule, LinearDynamics
from treatise.rl.policy_search.episodes import run_policy
from treatise.rl.policy_search.gaussian_process import GaussianProcess, expected_improvement
from treatise.rl.policy_search.plot import plot_policy_search
from treatise.rl.policy_search.policies import ControlPolicy, GaussianControl, SoftmaxControl
from treatise.rl.policy_search.policy_bo import PolicyBO
from treatise.rl.policy_search.terms import StateTerms

__all__ = [
    "ControlPolicy",
    "EndRule",
    "GaussianControl",
    "GaussianProcess",
    "LinearDynamics",
    "PolicyBO",
    "SoftmaxControl",
    "StateTerms",
    "behavior_kernel",
    "expected_improvement",
    "plot_policy_search",
    "run_policy",
    "trajectory_kl",
]
