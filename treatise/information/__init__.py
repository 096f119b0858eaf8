"""Estimators of entropy, divergence and dependence."""

from treatise.information._estimator import EstimatorInfo, list_estimators
from treatise.information.bag_kernels import BagKernel
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

__all__ = [
    "BagKernel",
    "EstimatorInfo",
    "association",
    "conditional_entropy",
    "conditional_mutual_information",
    "cross_entropy",
    "distribution_kernel",
    "divergence",
    "divergence_profile",
    "entropy",
    "independence_test",
    "list_estimators",
    "make_estimator",
    "mutual_information",
    "two_sample_test",
]
