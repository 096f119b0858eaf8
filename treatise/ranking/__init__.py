"""Skill ratings from games, preference aggregation and survival times."""

from treatise.datasets import Games
from treatise.ranking.aggregation import (
    CRFRankAggregator,
    MultinomialPreferenceModel,
    SVDRankAggregator,
    borda,
    copeland,
    kemeny,
    preference_counts,
    reciprocal_rank_fusion,
)
from treatise.ranking.bradley_terry import BradleyTerryRater, ItemScores, bradley_terry, plackett_luce
from treatise.ranking.elo import EloRater
from treatise.ranking.glicko import GlickoRater
from treatise.ranking.intervals import RatingIntervals, rating_intervals
from treatise.ranking.minlip import MinlipOrdinal, MinlipRanker, MinlipSurvival
from treatise.ranking.weng_lin import OnlineRater

__all__ = [
    "BradleyTerryRater",
    "CRFRankAggregator",
    "EloRater",
    "Games",
    "GlickoRater",
    "ItemScores",
    "MinlipOrdinal",
    "MinlipRanker",
    "MinlipSurvival",
    "MultinomialPreferenceModel",
    "OnlineRater",
    "RatingIntervals",
    "SVDRankAggregator",
    "borda",
    "bradley_terry",
    "copeland",
    "kemeny",
    "plackett_luce",
    "preference_counts",
    "rating_intervals",
    "reciprocal_rank_fusion",
]
