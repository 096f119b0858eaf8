"""Experiments of the papers of ``treatise.information``."""
