"""Estimators of entropy, divergence and dependence."""
