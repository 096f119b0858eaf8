"""Support vector machines: bias-free solvers, whole paths, coresets, ensembles and probability coupling."""

from treatise.svm._ensemble_members import stratified_bootstrap
from treatise.svm.bias_free import BiasFreeSVC
from treatise.svm.bias_free_grid import BiasFreeSVCGrid, steinwart_grid
from treatise.svm.coupling import exponential_decoding, pairwise_coupling
from treatise.svm.coupling_classifier import PairwiseCouplingClassifier
from treatise.svm.coupling_plot import plot_coupling
from treatise.svm.ensemble import EnsembleSVC
from treatise.svm.ensemble_merge import merge_svms
from treatise.svm.ensemble_plot import plot_ensemble_growth
from treatise.svm.extreme_points import ExtremePointsSVC
from treatise.svm.extreme_points_plot import plot_representatives
from treatise.svm.path import SVMPath
from treatise.svm.path_cv import SVMPathCV
from treatise.svm.path_plot import plot_svm_path
from treatise.svm.platt import platt_sigmoid
from treatise.svm.q_norm import QNormSVC
from treatise.svm.q_norm_plot import plot_q_norm_calibration
from treatise.svm.q_norm_theory import (
    comparison_constant,
    excess_error_bound,
    q_norm_minimal_risk,
    q_norm_probability,
    q_norm_target,
    regularization_error_bound,
    separable_error_bound,
    theory_cost,
    tradeoff_cost,
)
from treatise.svm.representatives import RepresentativeSet, representative_set
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
    "comparison_constant",
    "excess_error_bound",
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
    "q_norm_minimal_risk",
    "q_norm_probability",
    "q_norm_target",
    "regularization_error_bound",
    "representative_set",
    "separable_error_bound",
    "steinwart_grid",
    "stratified_bootstrap",
    "theory_cost",
    "tradeoff_cost",
]
