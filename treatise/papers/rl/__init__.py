"""Experiments of the papers of ``treatise.rl``."""
