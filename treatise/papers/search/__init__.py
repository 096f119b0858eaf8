"""Experiments of the papers of ``treatise.search``."""
