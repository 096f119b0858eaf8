"""Machines that learn how to weigh many kernels: by an l_p norm, or in groups."""

from treatise.kernel_methods.mkl.grouped import GroupedMKLClassifier
from treatise.kernel_methods.mkl.lp import LpMKLClassifier, LpMKLOneClass, LpMKLRegressor
from treatise.kernel_methods.mkl.plot import plot_kernel_weights
from treatise.kernel_methods.mkl.weights import lp_kernel_weights, lp_mkl_bound

__all__ = [
    "GroupedMKLClassifier",
    "LpMKLClassifier",
    "LpMKLOneClass",
    "LpMKLRegressor",
    "lp_kernel_weights",
    "lp_mkl_bound",
    "plot_kernel_weights",
]
