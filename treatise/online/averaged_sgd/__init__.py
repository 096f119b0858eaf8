"""Averaged stochastic gradient descent with a step that needs no tuning, and its guarantees (Bach, JMLR 15:595)."""

from treatise.online.averaged_sgd.classifier import AveragedSGDClassifier
from treatise.online.averaged_sgd.guarantees import Certificate, averaged_sgd_bounds, self_concordant_certificate
from treatise.online.averaged_sgd.kernel import KernelAveragedSGDClassifier
from treatise.online.averaged_sgd.regressor import AveragedSGDRegressor

__all__ = [
    "AveragedSGDClassifier",
    "AveragedSGDRegressor",
    "Certificate",
    "KernelAveragedSGDClassifier",
    "averaged_sgd_bounds",
    "self_concordant_certificate",
]
