"""Estimators of entropy, divergence and dependence; divergences, proper losses and ROC curves in each other's terms."""

from treatise.information.binary_experiments import (
    FDivergence,
    ProperLoss,
    cost_curve,
    optimal_roc,
    pinsker_kl,
    plot_roc_and_risk,
    plot_variation_bounds,
    risk_curve,
    risk_to_roc,
    roc_to_risk,
    statistical_information,
)

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
