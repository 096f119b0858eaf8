"""Non-negative factors of a wished sparseness (Hoyer, JMLR 5:1457)."""

from treatise.decomposition.sparse_nmf.estimator import SparseNMF

__all__ = ["SparseNMF"]
