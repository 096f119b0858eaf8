"""Values of states under a policy, from steps of that policy or of another (JMLR 15:809 and 15:289)."""

from treatise.rl.policy_evaluation.finite import FiniteEvaluation
from treatise.rl.policy_evaluation.gradient import GTD, GTD2, TD, TDC, GradientBRM, ResidualGradient
from treatise.rl.policy_evaluation.least_squares import BRM, FPKF, LSPE, LSTD
from treatise.rl.policy_evaluation.linear_gaussian import LinearGaussianEvaluation
from treatise.rl.policy_evaluation.log_value import LogValue, effective_size, evaluate_log
from treatise.rl.policy_evaluation.objectives import Moments
from treatise.rl.policy_evaluation.penalized import PenalizedLSTD
from treatise.rl.policy_evaluation.plot import plot_learning_curves, plot_objective, plot_tuning
from treatise.rl.policy_evaluation.probabilistic import GPTD, KTD, MonteCarlo
from treatise.rl.policy_evaluation.transitions import Transitions, transitions_of
from treatise.rl.policy_evaluation.tuning import Tuned, tune, weighted_score

__all__ = [
    "BRM",
    "FPKF",
    "GPTD",
    "GTD",
    "GTD2",
    "KTD",
    "LSPE",
    "LSTD",
    "TD",
    "TDC",
    "FiniteEvaluation",
    "GradientBRM",
    "LinearGaussianEvaluation",
    "LogValue",
    "Moments",
    "MonteCarlo",
    "PenalizedLSTD",
    "ResidualGradient",
    "Transitions",
    "Tuned",
    "effective_size",
    "evaluate_log",
    "plot_learning_curves",
    "plot_objective",
    "plot_tuning",
    "transitions_of",
    "tune",
    "weighted_score",
]
