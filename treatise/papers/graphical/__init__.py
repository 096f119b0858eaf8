"""Experiments of the papers of ``treatise.graphical``."""
