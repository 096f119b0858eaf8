"""Histograms of learned distances: what is alike against what is not."""

import numpy as np
from sklearn.utils import check_random_state

from treatise._core.figures import axes_for
from treatise.metric.fixed_rank.metric import pair_distances, random_pairs


def plot_pair_distances(learner, X, y, *, n_pairs=5000, random_state=None, ax=None):
    """Distances of pairs of one class and of different classes, with the bounds that were asked for.

    The less the two histograms overlap, the better a nearest-neighbour search by the learned distance.

    Parameters
    ----------
    learner : FixedRankMetricLearner
        A fitted one.
    X : array or sparse matrix of shape (n_samples, n_features)
        Rows, best ones that the learner did not see.
    y : array of shape (n_samples,)
        Their classes.
    n_pairs : int, default=5000
        Number of pairs drawn.
    random_state : int, RandomState or None, default=None
        Draws the pairs.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from treatise.metric import FixedRankMetricLearner, plot_pair_distances
    >>> X, y = load_iris(return_X_y=True)
    >>> ax = plot_pair_distances(FixedRankMetricLearner(2, random_state=0).fit(X, y), X, y, random_state=0)
    >>> [text.get_text() for text in ax.get_legend().get_texts()][:2]
    ['same class', 'different classes']
    """
    y = np.asarray(y)
    pairs = random_pairs(len(y), n_pairs, check_random_state(random_state))
    distances = np.sqrt(pair_distances(learner, X, pairs))
    alike = y[pairs[:, 0]] == y[pairs[:, 1]]
    if alike.all() or not alike.any():
        raise ValueError(
            f"the {n_pairs} pairs drawn are all of {'one class' if alike.all() else 'different classes'}; give rows of "
            "at least two classes with several rows each, or raise n_pairs"
        )
    ax = axes_for(ax, figsize=(6, 3.5))
    edges = np.linspace(0.0, max(float(distances.max()), 1e-12), 41)
    for chosen, name, colour in ((alike, "same class", "#2b6cb0"), (~alike, "different classes", "#c05621")):
        ax.hist(distances[chosen], edges, density=True, alpha=0.6, color=colour, label=name)
    low, high = np.sqrt(learner.bounds_)
    ax.axvline(low, color="#2b6cb0", linestyle="--", label="at most, for the same class")
    ax.axvline(high, color="#c05621", linestyle="--", label="at least, for different ones")
    ax.set_xlabel("learned distance of a pair")
    ax.set_ylabel("density")
    ax.legend(fontsize="small")
    return ax
