"""Experiments of the papers of ``treatise.cluster``."""
