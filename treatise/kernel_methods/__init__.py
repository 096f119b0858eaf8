"""Methods over kernels: learned combinations of kernels, kernel regression, influence functions."""

from treatise.kernel_methods.certificate import (
    KernelCertificate,
    OffsetInterval,
    kernel_certificate,
    svm_offset_interval,
)
from treatise.kernel_methods.early_stopping import (
    EarlyStoppedKernelRegressor,
    critical_radius,
    empirical_rademacher,
    matched_ridge,
    plot_error_path,
    stopping_time,
    sure_stopping_time,
)
from treatise.kernel_methods.influence import (
    Influence,
    InfluenceFunction,
    influence_bound,
    plot_influence,
    robustness_bound,
    sensitivity_curve,
)
from treatise.kernel_methods.kernel_machine import KernelMachineClassifier, KernelMachineRegressor
from treatise.kernel_methods.knowledge import (
    Knowledge,
    KnowledgeKernelRegressor,
    LinearKnowledgeRegressor,
    Polyhedron,
    plot_knowledge,
)
from treatise.kernel_methods.mkl import (
    GroupedMKLClassifier,
    LpMKLClassifier,
    LpMKLOneClass,
    LpMKLRegressor,
    lp_kernel_weights,
    lp_mkl_bound,
    plot_kernel_weights,
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
