"""Experiments of the papers of ``treatise.semisupervised``."""
