"""Kernels between distributions, known by samples of them."""

from treatise.information.bag_kernels.estimators import (
    ExpectedKernel,
    ExponentiatedJensenRenyi,
    ExponentiatedJensenShannon,
    ExponentiatedJensenTsallis,
    JensenShannonKernel,
    JensenTsallisKernel,
    KnnBhattacharyyaKernel,
    KnnProbabilityProduct,
    MixtureRenyiKernel,
    MixtureTsallisKernel,
)
from treatise.information.bag_kernels.gram import BagKernel

__all__ = [
    "BagKernel",
    "ExpectedKernel",
    "ExponentiatedJensenRenyi",
    "ExponentiatedJensenShannon",
    "ExponentiatedJensenTsallis",
    "JensenShannonKernel",
    "JensenTsallisKernel",
    "KnnBhattacharyyaKernel",
    "KnnProbabilityProduct",
    "MixtureRenyiKernel",
    "MixtureTsallisKernel",
]
