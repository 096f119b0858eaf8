"""Estimators of mutual information, in the wide sense: everything that says how much groups of columns depend."""

from treatise.information.dependence.composed import (
    ChiSquareInformation,
    ComplexInformation,
    CorrentropyIndependence,
    CountedInformation,
    DistanceCovarianceFromHSIC,
    GeneralisedVariance,
    L2Information,
    RenyiInformation,
    ShannonFromDivergence,
    ShannonFromEntropies,
    TsallisInformation,
)
from treatise.information.dependence.copulas import (
    CopulaKernelDependency,
    CopulaRenyiInformation,
    HoeffdingPhi,
    SchweizerWolffKappa,
    SchweizerWolffSigma,
)
from treatise.information.dependence.distance import DistanceCorrelation, DistanceCovariance
from treatise.information.dependence.kernels import (
    HSIC,
    CauchySchwarzInformation,
    EuclideanInformation,
    KernelCanonicalCorrelation,
    KernelGeneralisedVariance,
)
from treatise.information.dependence.neighbours import KSGMutualInformation

__all__ = [
    "HSIC",
    "CauchySchwarzInformation",
    "ChiSquareInformation",
    "ComplexInformation",
    "CopulaKernelDependency",
    "CopulaRenyiInformation",
    "CorrentropyIndependence",
    "CountedInformation",
    "DistanceCorrelation",
    "DistanceCovariance",
    "DistanceCovarianceFromHSIC",
    "EuclideanInformation",
    "GeneralisedVariance",
    "HoeffdingPhi",
    "KSGMutualInformation",
    "KernelCanonicalCorrelation",
    "KernelGeneralisedVariance",
    "L2Information",
    "RenyiInformation",
    "SchweizerWolffKappa",
    "SchweizerWolffSigma",
    "ShannonFromDivergence",
    "ShannonFromEntropies",
    "TsallisInformation",
]
