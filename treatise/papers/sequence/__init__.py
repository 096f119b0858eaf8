"""Experiments of the papers of ``treatise.sequence``."""
