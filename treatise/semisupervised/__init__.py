"""Learning from few labels: semi-supervised and active."""

from treatise.semisupervised.generative import (
    ObjectiveVariance,
    SemiSupervisedGenerative,
    UnlabelledWorth,
    divergence_bounds,
    objective_variance,
    unlabelled_worth,
)

__all__ = [
    "ObjectiveVariance",
    "SemiSupervisedGenerative",
    "UnlabelledWorth",
    "divergence_bounds",
    "objective_variance",
    "unlabelled_worth",
]
