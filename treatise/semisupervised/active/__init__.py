"""Rankings and groups from few answers about pairs."""

from treatise.semisupervised.active._answers import OneByOne
from treatise.semisupervised.active._sampling import ranking_shells
from treatise.semisupervised.active.clustering import ActivePairClustering
from treatise.semisupervised.active.linear_regions import disagreement_layers
from treatise.semisupervised.active.ranker import ActivePreferenceRanker
from treatise.semisupervised.active.regret import RelativeRegret

__all__ = [
    "ActivePairClustering",
    "ActivePreferenceRanker",
    "OneByOne",
    "RelativeRegret",
    "disagreement_layers",
    "ranking_shells",
]
