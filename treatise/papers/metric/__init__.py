"""Experiments of the papers of ``treatise.metric``."""
