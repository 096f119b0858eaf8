"""Experiments of the papers of ``treatise.ranking``."""
