"""Class probabilities from classifiers of two classes at a time."""

from treatise.svm.coupling.classifier import PairwiseCouplingClassifier
from treatise.svm.coupling.coupling import exponential_decoding, pairwise_coupling
from treatise.svm.coupling.platt import platt_sigmoid
from treatise.svm.coupling.plot import plot_coupling

__all__ = [
    "PairwiseCouplingClassifier",
    "exponential_decoding",
    "pairwise_coupling",
    "platt_sigmoid",
    "plot_coupling",
]
