"""MINLIP: utilities whose order is that of outcomes, for numbers, ordered classes and survival times."""

from treatise.ranking.minlip.ordinal import MinlipOrdinal
from treatise.ranking.minlip.ranker import MinlipRanker
from treatise.ranking.minlip.survival import MinlipSurvival

__all__ = ["MinlipOrdinal", "MinlipRanker", "MinlipSurvival"]
