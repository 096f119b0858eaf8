"""Groups of independent components: by swaps where their sizes are known, by spectra where they are not."""

import numpy as np
from sklearn.cluster import KMeans

_LEAST_GAIN = 1e-12


def swap_groups(dependence, dims, n_restarts, rng):
    """Groups of given sizes with the largest sum of dependence within them, found by exchanging pairs.

    Each start ends where no exchange of two components gains; the best of them is returned, as labels.
    """
    p = len(dependence)
    labels = np.repeat(np.arange(len(dims)), dims)
    best, best_value = labels, -np.inf
    for start in range(n_restarts):
        current = _greedy(dependence, dims) if start == 0 else rng.permutation(labels)
        while True:
            membership = np.eye(len(dims))[current]
            toward = dependence @ membership
            own = toward[np.arange(p), current]
            gain = toward[:, current] - own[:, np.newaxis]
            gain = gain + gain.T - 2.0 * dependence
            gain[current[:, np.newaxis] == current] = 0.0
            i, j = np.unravel_index(np.argmax(gain), gain.shape)
            if gain[i, j] <= _LEAST_GAIN:
                break
            current[i], current[j] = current[j], current[i]
        value = _within(dependence, current)
        if value > best_value:
            best, best_value = current.copy(), value
    return best


def _within(dependence, labels):
    return float(dependence[labels[:, np.newaxis] == labels].sum())


def _greedy(dependence, dims):
    """Fill the largest group first, from the strongest pair left, always with what depends most on its members."""
    labels, free = np.full(len(dependence), -1), np.ones(len(dependence), bool)
    for group in np.argsort(dims)[::-1]:
        members: list[int] = []
        for _ in range(dims[group]):
            if members:
                score = dependence[members].sum(axis=0)
            else:
                score = np.where(free, dependence, 0.0).max(axis=1)
            chosen = int(np.argmax(np.where(free, score, -np.inf)))
            members.append(chosen)
            free[chosen] = False
            labels[chosen] = group
    return labels


def improve_by_cost(labels, cost):
    """Exchange pairs of components as long as a cost of the grouping falls; costs of groups are remembered by it."""
    labels, value = labels.copy(), cost(labels)
    improved = True
    while improved:
        improved = False
        for i in range(len(labels)):
            for j in range(i):
                if labels[i] == labels[j]:
                    continue
                labels[i], labels[j] = labels[j], labels[i]
                trial = cost(labels)
                if trial < value - _LEAST_GAIN:
                    value, improved = trial, True
                else:
                    labels[i], labels[j] = labels[j], labels[i]
    return labels, value


def spectral_groups(affinity, n_groups, rng):
    """Normalised cut of an affinity; the number of groups is where its spectrum has the largest gap, unless given.

    Components without any affinity are groups of their own.
    """
    degree = affinity.sum(axis=1)
    linked = np.flatnonzero(degree > 0)
    labels = np.full(len(affinity), -1)
    alone = np.flatnonzero(degree <= 0)
    if n_groups is not None and n_groups - len(alone) < 1 and len(linked):
        alone = alone[: max(0, n_groups - 1)]  # as many groups as asked for: the rest joins the cut
        linked = np.setdiff1d(np.arange(len(affinity)), alone)
    labels[alone] = np.arange(len(alone))
    if len(linked) == 0:
        return labels
    part = affinity[np.ix_(linked, linked)] + 1e-12
    root = 1.0 / np.sqrt(part.sum(axis=1))
    values, vectors = np.linalg.eigh(root[:, np.newaxis] * part * root)
    values, vectors = values[::-1], vectors[:, ::-1]
    if n_groups is None:
        wanted = 1 if len(linked) < 3 else 1 + int(np.argmax(values[:-1] - values[1:]))
    else:
        wanted = min(n_groups - len(alone), len(linked))
    rows = vectors[:, :wanted]
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    labels[linked] = len(alone) + KMeans(wanted, n_init=10, random_state=rng).fit_predict(rows)
    return labels
