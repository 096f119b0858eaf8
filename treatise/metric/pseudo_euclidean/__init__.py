"""Dissimilarities that are no metric: their embedding, and how far from one they are (Laub & Müller, JMLR 5:801)."""

from treatise.metric.pseudo_euclidean.binary_similarities import jaccard_similarity, simpson_similarity
from treatise.metric.pseudo_euclidean.embedding import PseudoEuclideanEmbedding
from treatise.metric.pseudo_euclidean.metric_violations import (
    Metricity,
    NegativeSpectrum,
    metricity,
    negative_spectrum,
)
from treatise.metric.pseudo_euclidean.plot import plot_pseudo_euclidean

__all__ = [
    "Metricity",
    "NegativeSpectrum",
    "PseudoEuclideanEmbedding",
    "jaccard_similarity",
    "metricity",
    "negative_spectrum",
    "plot_pseudo_euclidean",
    "simpson_similarity",
]
