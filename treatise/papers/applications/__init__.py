"""Experiments of the papers of ``treatise.applications``."""
