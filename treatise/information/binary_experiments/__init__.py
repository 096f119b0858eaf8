"""Binary experiments: divergences, proper losses, ROC and risk curves, each from any other, and tight bounds."""

from treatise.information.binary_experiments.curves import (
    cost_curve,
    optimal_roc,
    risk_curve,
    risk_to_roc,
    roc_to_risk,
)
from treatise.information.binary_experiments.f_divergence import FDivergence, pinsker_kl
from treatise.information.binary_experiments.plot import plot_roc_and_risk, plot_variation_bounds
from treatise.information.binary_experiments.proper_loss import ProperLoss, statistical_information

__all__ = [
    "FDivergence",
    "ProperLoss",
    "cost_curve",
    "optimal_roc",
    "pinsker_kl",
    "plot_roc_and_risk",
    "plot_variation_bounds",
    "risk_curve",
    "risk_to_roc",
    "roc_to_risk",
    "statistical_information",
]
