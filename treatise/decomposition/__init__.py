"""Matrices and signals into parts: non-negative factors, robust subspaces, slow features, sources."""
