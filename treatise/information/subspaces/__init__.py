"""Independent subspace analysis and its relatives."""

from treatise.information.subspaces.amari import amari_index
from treatise.information.subspaces.isa import IndependentSubspaceAnalysis
from treatise.information.subspaces.landmarks import landmark_spectral_clustering
from treatise.information.subspaces.relatives import (
    AutoregressiveISA,
    ComplexISA,
    ConvolutiveISA,
    PostNonlinearISA,
)

__all__ = [
    "AutoregressiveISA",
    "ComplexISA",
    "ConvolutiveISA",
    "IndependentSubspaceAnalysis",
    "PostNonlinearISA",
    "amari_index",
    "landmark_spectral_clustering",
]
