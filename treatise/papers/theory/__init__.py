"""Experiments of the papers of ``treatise.theory``."""
