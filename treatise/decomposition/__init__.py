"""Matrices and signals into parts: non-negative factors, robust subspaces, slow features, sources."""

from treatise.decomposition.parts import plot_parts
from treatise.decomposition.sparse_nmf import SparseNMF

__all__ = ["SparseNMF", "plot_parts"]
