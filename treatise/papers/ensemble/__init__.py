"""Experiments of the papers of ``treatise.ensemble``."""
