"""Experiments of the papers of ``treatise.bayesnet``."""
