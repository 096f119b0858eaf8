"""Support vector machines: bias-free solvers, whole paths, coresets, ensembles and probability coupling."""

from treatise.svm.bias_free import BiasFreeSVC
from treatise.svm.bias_free_grid import BiasFreeSVCGrid, steinwart_grid
from treatise.svm.coupling import exponential_decoding, pairwise_coupling
from treatise.svm.coupling_classifier import PairwiseCouplingClassifier
from treatise.svm.coupling_plot import plot_coupling
from treatise.svm.extreme_points import ExtremePointsSVC
from treatise.svm.extreme_points_plot import plot_representatives
from treatise.svm.path import SVMPath
from treatise.svm.path_cv import SVMPathCV
from treatise.svm.path_plot import plot_svm_path
from treatise.svm.platt import platt_sigmoid
from treatise.svm.representatives import RepresentativeSet, representative_set
from treatise.svm.surface_plot import plot_decision_surface

__all__ = [
    "BiasFreeSVC",
    "BiasFreeSVCGrid",
    "ExtremePointsSVC",
    "PairwiseCouplingClassifier",
    "RepresentativeSet",
    "SVMPath",
    "SVMPathCV",
    "exponential_decoding",
    "pairwise_coupling",
    "platt_sigmoid",
    "plot_coupling",
    "plot_decision_surface",
    "plot_representatives",
    "plot_svm_path",
    "representative_set",
    "steinwart_grid",
]
