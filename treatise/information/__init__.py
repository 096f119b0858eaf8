"""Estimators of entropy, divergence and dependence; divergences, proper losses and ROC curves in each other's terms."""

from treatise.information._estimator import EstimatorInfo, list_estimators
from treatise.information.bag_kernels import BagKernel
from treatise.information.binary_experiments import (
    FDivergence,
    ProperLoss,
    cost_curve,
    optimal_roc,
    pinsker_kl,
    plot_roc_and_risk,
    plot_variation_bounds,
    risk_curve,
    risk_to_roc,
    roc_to_risk,
    statistical_information,
)
from treatise.information.dependence_plot import plot_dependence, plot_subspaces
from treatise.information.hypothesis_tests import independence_test, two_sample_test
from treatise.information.profile import divergence_profile
from treatise.information.quantities import (
    association,
    conditional_entropy,
    conditional_mutual_information,
    cross_entropy,
    distribution_kernel,
    divergence,
    entropy,
    make_estimator,
    mutual_information,
)
from treatise.information.subspaces import (
    AutoregressiveISA,
    ComplexISA,
    ConvolutiveISA,
    IndependentSubspaceAnalysis,
    PostNonlinearISA,
    amari_index,
    landmark_spectral_clustering,
)

__all__ = [
    "AutoregressiveISA",
    "BagKernel",
    "ComplexISA",
    "ConvolutiveISA",
    "EstimatorInfo",
    "FDivergence",
    "IndependentSubspaceAnalysis",
    "PostNonlinearISA",
    "ProperLoss",
    "amari_index",
    "association",
    "conditional_entropy",
    "conditional_mutual_information",
    "cost_curve",
    "cross_entropy",
    "distribution_kernel",
    "divergence",
    "divergence_profile",
    "entropy",
    "independence_test",
    "landmark_spectral_clustering",
    "list_estimators",
    "make_estimator",
    "mutual_information",
    "optimal_roc",
    "pinsker_kl",
    "plot_dependence",
    "plot_roc_and_risk",
    "plot_subspaces",
    "plot_variation_bounds",
    "risk_curve",
    "risk_to_roc",
    "roc_to_risk",
    "statistical_information",
    "two_sample_test",
]
