"""Clustering of a stream: centres within a factor of the best, and experts on its latest window (Choromanska, 2014)."""

from treatise.online.clustering.doubling import DoublingKCenter
from treatise.online.clustering.experts import OnlineClusteringExperts, learning_alphas
from treatise.online.clustering.window import (
    kmeans_plus_plus_centers,
    kmeans_sharp_centers,
    lloyd_centers,
    online_kmeans_centers,
)

__all__ = [
    "DoublingKCenter",
    "OnlineClusteringExperts",
    "kmeans_plus_plus_centers",
    "kmeans_sharp_centers",
    "learning_alphas",
    "lloyd_centers",
    "online_kmeans_centers",
]
