"""Support vector machines: bias-free solvers, whole paths, coresets, ensembles and probability coupling."""

from treatise.svm.bias_free import BiasFreeSVC, BiasFreeSVCGrid, steinwart_grid
from treatise.svm.coupling import (
    PairwiseCouplingClassifier,
    exponential_decoding,
    pairwise_coupling,
    platt_sigmoid,
    plot_coupling,
)
from treatise.svm.ensemble import EnsembleSVC, merge_svms, plot_ensemble_growth, stratified_bootstrap
from treatise.svm.extreme_points import ExtremePointsSVC, RepresentativeSet, plot_representatives, representative_set
from treatise.svm.path import SVMPath, SVMPathCV, plot_svm_path
from treatise.svm.q_norm import (
    QNormSVC,
    plot_q_norm_calibration,
    q_norm_probability,
    q_norm_target,
    theory_cost,
)
from treatise.svm.surface_plot import plot_decision_surface

__all__ = [
    "BiasFreeSVC",
    "BiasFreeSVCGrid",
    "EnsembleSVC",
    "ExtremePointsSVC",
    "PairwiseCouplingClassifier",
    "QNormSVC",
    "RepresentativeSet",
    "SVMPath",
    "SVMPathCV",
    "exponential_decoding",
    "merge_svms",
    "pairwise_coupling",
    "platt_sigmoid",
    "plot_coupling",
    "plot_decision_surface",
    "plot_ensemble_growth",
    "plot_q_norm_calibration",
    "plot_representatives",
    "plot_svm_path",
    "q_norm_probability",
    "q_norm_target",
    "representative_set",
    "steinwart_grid",
    "stratified_bootstrap",
    "theory_cost",
]
