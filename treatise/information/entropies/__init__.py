"""Estimators of entropies: neighbours, trees, spacings, moments, densities, and what is built from them."""

from treatise.information.entropies.composed import (
    ComplexEntropy,
    EnsembleEntropy,
    ProjectedEntropy,
    ShannonFromGaussian,
    ShannonFromUniform,
    TsallisFromRenyi,
)
from treatise.information.entropies.densities import (
    CountedShannonEntropy,
    KernelDensityShannonEntropy,
    PartitionShannonEntropy,
)
from treatise.information.entropies.moments import (
    EdgeworthShannonEntropy,
    GaussianRenyiEntropy,
    GaussianShannonEntropy,
    GaussianSharmaMittalEntropy,
    GaussianTsallisEntropy,
    MaximumEntropyShannon,
)
from treatise.information.entropies.neighbours import (
    KnnGraphRenyiEntropy,
    KnnRenyiEntropy,
    KnnShannonEntropy,
    KnnSharmaMittalEntropy,
    KnnTsallisEntropy,
)
from treatise.information.entropies.spacings import SpacingPhiEntropy, SpacingRenyiEntropy, SpacingShannonEntropy
from treatise.information.entropies.trees import SpanningTreeRenyiEntropy

__all__ = [
    "ComplexEntropy",
    "CountedShannonEntropy",
    "EdgeworthShannonEntropy",
    "EnsembleEntropy",
    "GaussianRenyiEntropy",
    "GaussianShannonEntropy",
    "GaussianSharmaMittalEntropy",
    "GaussianTsallisEntropy",
    "KernelDensityShannonEntropy",
    "KnnGraphRenyiEntropy",
    "KnnRenyiEntropy",
    "KnnShannonEntropy",
    "KnnSharmaMittalEntropy",
    "KnnTsallisEntropy",
    "MaximumEntropyShannon",
    "PartitionShannonEntropy",
    "ProjectedEntropy",
    "ShannonFromGaussian",
    "ShannonFromUniform",
    "SpacingPhiEntropy",
    "SpacingRenyiEntropy",
    "SpacingShannonEntropy",
    "SpanningTreeRenyiEntropy",
    "TsallisFromRenyi",
]
