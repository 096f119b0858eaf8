"""Methods over kernels: learned combinations of kernels, kernel regression, influence functions."""

from treatise.kernel_methods.certificate import (
    KernelCertificate,
    OffsetInterval,
    kernel_certificate,
    svm_offset_interval,
)
from treatise.kernel_methods.early_stopping import (
    EarlyStoppedKernelRegressor,
    first_order_sobolev,
    plot_error_path,
)
from treatise.kernel_methods.grouped_mkl import GroupedMKLClassifier
from treatise.kernel_methods.influence import (
    Influence,
    InfluenceFunction,
    influence_bound,
    plot_influence,
    robustness_bound,
    sensitivity_curve,
)
from treatise.kernel_methods.kernel_machine import KernelMachineClassifier, KernelMachineRegressor
from treatise.kernel_methods.kernel_weights import lp_kernel_weights, lp_mkl_bound
from treatise.kernel_methods.kernel_weights_plot import plot_kernel_weights
from treatise.kernel_methods.knowledge import Knowledge
from treatise.kernel_methods.knowledge_plot import plot_knowledge
from treatise.kernel_methods.knowledge_regressor import KnowledgeKernelRegressor
from treatise.kernel_methods.linear_knowledge import LinearKnowledgeRegressor
from treatise.kernel_methods.lp_mkl import LpMKLClassifier, LpMKLOneClass, LpMKLRegressor
from treatise.kernel_methods.polyhedron import Polyhedron
from treatise.kernel_methods.stopping_rules import (
    critical_radius,
    empirical_rademacher,
    matched_ridge,
    stopping_time,
    sure_stopping_time,
)

__all__ = [
    "EarlyStoppedKernelRegressor",
    "GroupedMKLClassifier",
    "Influence",
    "InfluenceFunction",
    "KernelCertificate",
    "KernelMachineClassifier",
    "KernelMachineRegressor",
    "Knowledge",
    "KnowledgeKernelRegressor",
    "LinearKnowledgeRegressor",
    "LpMKLClassifier",
    "LpMKLOneClass",
    "LpMKLRegressor",
    "OffsetInterval",
    "Polyhedron",
    "critical_radius",
    "empirical_rademacher",
    "first_order_sobolev",
    "influence_bound",
    "kernel_certificate",
    "lp_kernel_weights",
    "lp_mkl_bound",
    "matched_ridge",
    "plot_error_path",
    "plot_influence",
    "plot_kernel_weights",
    "plot_knowledge",
    "robustness_bound",
    "sensitivity_curve",
    "stopping_time",
    "sure_stopping_time",
    "svm_offset_interval",
]
