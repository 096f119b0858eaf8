"""Bayesian networks: exact structure, model averaging, hard instances, identifiable linear networks."""
