"""Skill ratings from games, preference aggregation and survival times."""

from treatise.datasets import Games
from treatise.ranking.elo import EloRater
from treatise.ranking.glicko import GlickoRater
from treatise.ranking.minlip import MinlipOrdinal, MinlipRanker, MinlipSurvival
from treatise.ranking.weng_lin import OnlineRater

__all__ = ["EloRater", "Games", "GlickoRater", "MinlipOrdinal", "MinlipRanker", "MinlipSurvival", "OnlineRater"]
