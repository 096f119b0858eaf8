"""Scores and ratings of greatest likelihood from duels, games and rankings."""

from treatise.ranking.bradley_terry.rater import BradleyTerryRater
from treatise.ranking.bradley_terry.scores import ItemScores, bradley_terry, plackett_luce

__all__ = ["BradleyTerryRater", "ItemScores", "bradley_terry", "plackett_luce"]
