"""Embeddings from comparisons of similarity, which may contradict one another (McFee & Lanckriet, JMLR 12:491)."""

from treatise.metric.partial_order.comparison_graph import ComparisonGraph, embed_partial_order
from treatise.metric.partial_order.embedding import PartialOrderEmbedding
from treatise.metric.partial_order.plot import plot_embedding

__all__ = ["ComparisonGraph", "PartialOrderEmbedding", "embed_partial_order", "plot_embedding"]
