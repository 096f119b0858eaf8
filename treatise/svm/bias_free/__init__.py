"""Machines without offset, and the search for their width and penalty."""

from treatise.svm.bias_free.classifier import BiasFreeSVC
from treatise.svm.bias_free.grid import BiasFreeSVCGrid, steinwart_grid

__all__ = [
    "BiasFreeSVC",
    "BiasFreeSVCGrid",
    "steinwart_grid",
]
