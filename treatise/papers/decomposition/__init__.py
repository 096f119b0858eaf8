"""Experiments of the papers of ``treatise.decomposition``."""
