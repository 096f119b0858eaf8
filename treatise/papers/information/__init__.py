"""Experiments of the papers on information, divergence and dependence."""
