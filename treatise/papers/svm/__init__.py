"""Experiments of the papers of ``treatise.svm``."""
