"""Generative classifiers from labelled and unlabelled rows, and whether the latter help."""

from treatise.semisupervised.generative.diagnostics import (
    ObjectiveVariance,
    UnlabelledWorth,
    divergence_bounds,
    objective_variance,
    unlabelled_worth,
)
from treatise.semisupervised.generative.generative import SemiSupervisedGenerative

__all__ = [
    "ObjectiveVariance",
    "SemiSupervisedGenerative",
    "UnlabelledWorth",
    "divergence_bounds",
    "objective_variance",
    "unlabelled_worth",
]
