"""Experiments of the papers of ``treatise.information``."""
"""Experiments of the papers on information, divergence and dependence."""
