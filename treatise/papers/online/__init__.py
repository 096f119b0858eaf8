"""Experiments of the papers of ``treatise.online``."""
