"""Scores of greatest likelihood from duels, games and rankings."""

from treatise.ranking.bradley_terry.scores import ItemScores, bradley_terry, plackett_luce

__all__ = ["ItemScores", "bradley_terry", "plackett_luce"]
