"""Experiments of the papers of ``treatise.selection``."""
