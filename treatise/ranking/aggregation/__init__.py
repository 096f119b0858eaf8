"""One order out of many: models and rules that aggregate the rankings of experts."""

from treatise.ranking.aggregation.crf import CRFRankAggregator
from treatise.ranking.aggregation.multinomial import MultinomialPreferenceModel
from treatise.ranking.aggregation.preferences import preference_counts
from treatise.ranking.aggregation.rules import borda, copeland, kemeny, reciprocal_rank_fusion
from treatise.ranking.aggregation.svd import SVDRankAggregator

__all__ = [
    "CRFRankAggregator",
    "MultinomialPreferenceModel",
    "SVDRankAggregator",
    "borda",
    "copeland",
    "kemeny",
    "preference_counts",
    "reciprocal_rank_fusion",
]
