"""Experiments of the papers of ``treatise.bayes``."""
