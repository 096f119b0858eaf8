"""Log-linear models and maximum entropy, trained by quadratic bounds on the partition function (Choromanska, 2014)."""

from treatise.linear.majorized.latent import LatentLogLinearClassifier
from treatise.linear.majorized.logistic import MajorizedLogisticRegression
from treatise.linear.majorized.maximum_entropy import MaximumEntropy, maximum_entropy
from treatise.linear.majorized.semistochastic import SemiStochasticLogisticRegression

__all__ = [
    "LatentLogLinearClassifier",
    "MajorizedLogisticRegression",
    "MaximumEntropy",
    "SemiStochasticLogisticRegression",
    "maximum_entropy",
]
