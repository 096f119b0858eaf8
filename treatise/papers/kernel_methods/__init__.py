"""Experiments of the papers of ``treatise.kernel_methods``."""
