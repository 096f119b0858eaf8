"""One order out of many: models and rules that aggregate the rankings of experts."""

from treatise.ranking.aggregation.multinomial import MultinomialPreferenceModel
from treatise.ranking.aggregation.preferences import preference_counts
from treatise.ranking.aggregation.rules import borda, copeland, kemeny, reciprocal_rank_fusion

__all__ = [
    "MultinomialPreferenceModel",
    "borda",
    "copeland",
    "kemeny",
    "preference_counts",
    "reciprocal_rank_fusion",
]
