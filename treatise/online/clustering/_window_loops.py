"""Clustering the few hundred rows of a window, many times over."""

import numpy as np

from treatise._core.jit import compiled

_SWEEPS = 100


@compiled
def nearest(centers, row):
    """Index of the closest centre, and its squared distance."""
    best, least = 0, np.inf
    for c in range(len(centers)):
        distance = 0.0
        for i in range(len(row)):
            difference = row[i] - centers[c, i]
            distance += difference * difference
        if distance < least:
            best, least = c, distance
    return best, least


@compiled
def lloyd(window, centers):
    """Lloyd's sweeps until no row changes its centre; a centre without rows stays where it is."""
    owner = np.full(len(window), -1)
    sums, counts = np.empty_like(centers), np.empty(len(centers))
    for _ in range(_SWEEPS):
        changed = False
        sums[:], counts[:] = 0.0, 0.0
        for j in range(len(window)):
            c, _ = nearest(centers, window[j])
            changed |= c != owner[j]
            owner[j] = c
            counts[c] += 1.0
            sums[c] += window[j]
        if not changed:
            break
        for c in range(len(centers)):
            if counts[c] > 0.0:
                centers[c] = sums[c] / counts[c]


@compiled
def running_means(window, centers):
    """The online heuristic: each row in turn draws the nearest centre to itself, by one over its rows so far."""
    counts = np.ones(len(centers))
    for j in range(len(centers), len(window)):
        c, _ = nearest(centers, window[j])
        counts[c] += 1.0
        centers[c] += (window[j] - centers[c]) / counts[c]


@compiled
def distance_seeds(window, rounds, chances):
    """Rows drawn with chances proportional to the squared distance from those drawn in earlier rounds.

    ``rounds[j]`` is the round of draw j and ``chances[j]`` a uniform number; the first round is uniform. A draw when
    all rows are at distance zero is left out.
    """
    distance, pending = np.full(len(window), np.inf), np.full(len(window), np.inf)
    seeds = np.empty((len(rounds), window.shape[1]))
    n_seeds, last = 0, rounds[0]
    for j in range(len(rounds)):
        if rounds[j] != last:
            distance[:] = np.minimum(distance, pending)
            last = rounds[j]
        total = 0.0
        for i in range(len(window)):
            total += 1.0 if distance[i] == np.inf else distance[i]
        if total == 0.0:
            continue
        level, row = chances[j] * total, -1
        for i in range(len(window)):
            weight = 1.0 if distance[i] == np.inf else distance[i]
            if weight > 0.0:
                row = i
                level -= weight
                if level < 0.0:
                    break
        seeds[n_seeds] = window[row]
        for i in range(len(window)):
            square = 0.0
            for k in range(window.shape[1]):
                difference = window[i, k] - window[row, k]
                square += difference * difference
            pending[i] = min(pending[i], square)
        n_seeds += 1
    return seeds[:n_seeds].copy()
