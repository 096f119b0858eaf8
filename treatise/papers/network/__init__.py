"""Experiments of the papers of ``treatise.network``."""
