"""The doubling algorithm for k-center (Charikar, Chekuri, Feder & Motwani, 2004), one row at a time."""

import math

import numpy as np

from treatise._core.jit import compiled
from treatise.online._window_clustering_loops import nearest


@compiled
def closest_pair(centers, n_centers):
    """Distance of the two centres closest to each other."""
    least = np.inf
    for c in range(1, n_centers):
        least = min(least, nearest(centers[:c], centers[c])[1])
    return math.sqrt(least)


@compiled
def merge(centers, n_centers, reach):
    """Each centre in turn swallows the later ones within reach; gives the number of those that remain."""
    n_kept = 0
    for c in range(n_centers):
        if n_kept == 0 or math.sqrt(nearest(centers[:n_kept], centers[c])[1]) > reach:
            centers[n_kept] = centers[c]
            n_kept += 1
    return n_kept


@compiled
def double(rows, centers, n_centers, threshold):
    """Take rows; ``centers`` has room for one more than are wanted. Gives the number of centres and the threshold."""
    for j in range(len(rows)):
        if n_centers > 0 and math.sqrt(nearest(centers[:n_centers], rows[j])[1]) <= 2.0 * threshold:
            continue
        centers[n_centers] = rows[j]
        n_centers += 1
        if n_centers == len(centers) and threshold == 0.0:
            threshold = closest_pair(centers, n_centers)
        # One centre too many: all are farther apart than the threshold, so the best radius exceeds half of it.
        while n_centers == len(centers):
            threshold *= 2.0
            n_centers = merge(centers, n_centers, threshold)
    return n_centers, threshold
