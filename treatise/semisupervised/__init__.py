"""Learning from few labels: semi-supervised and active."""

from treatise.semisupervised.active import (
    ActivePairClustering,
    ActivePreferenceRanker,
    OneByOne,
    RelativeRegret,
    disagreement_layers,
    ranking_shells,
)
from treatise.semisupervised.generative import (
    ObjectiveVariance,
    SemiSupervisedGenerative,
    UnlabelledWorth,
    divergence_bounds,
    objective_variance,
    unlabelled_worth,
)

__all__ = [
    "ActivePairClustering",
    "ActivePreferenceRanker",
    "ObjectiveVariance",
    "OneByOne",
    "RelativeRegret",
    "SemiSupervisedGenerative",
    "UnlabelledWorth",
    "disagreement_layers",
    "divergence_bounds",
    "objective_variance",
    "ranking_shells",
    "unlabelled_worth",
]
