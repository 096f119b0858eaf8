"""Experiments of the papers of ``treatise.linear``."""
