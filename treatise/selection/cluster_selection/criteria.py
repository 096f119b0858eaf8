"""How good clusters are in a subset of features (Dy & Brodley, JMLR 5:845, Sections 2.3, 4 and 5)."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.utils import check_array

from treatise.statistics._mixture_loops import expectation
from treatise.statistics.merge_mixture import RIDGE, from_memberships


def _read(X, memberships):
    """Checked rows and memberships of the same length."""
    X = check_array(X, dtype=np.float64)
    memberships = check_array(memberships, dtype=np.float64)
    if len(X) != len(memberships):
        raise ValueError(f"memberships of {len(memberships)} rows do not fit the {len(X)} rows of X")
    if (memberships < 0).any() or not np.allclose(memberships.sum(axis=1), 1.0, atol=1e-6):
        raise ValueError("memberships must be shares: at least zero, and one in sum for each row")
    return X, memberships


def scatter_trace(X, memberships):
    """Scatter between clusters in units of that within them, tr(Sw^-1 Sb).

    Unchanged by any nonsingular linear map of the features; never smaller with a feature more. Zero for one cluster.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows.
    memberships : array-like of shape (n_samples, n_clusters)
        Share of each cluster in each row; each row sums to one.

    Returns
    -------
    trace : float

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.selection import scatter_trace
    >>> scatter_trace([[0.0], [1.0], [4.0], [5.0]], [[1, 0], [1, 0], [0, 1], [0, 1]])
    16.0
    """
    X, memberships = _read(X, memberships)
    if memberships.shape[1] == 1:
        return 0.0
    centred = X - X.mean(axis=0)
    shares = memberships.mean(axis=0)
    means = (memberships.T @ centred) / np.maximum(len(X) * shares, 1e-300)[:, np.newaxis]
    between = (means * shares[:, np.newaxis]).T @ means
    within = centred.T @ centred / len(X) - between
    try:
        factor = cho_factor(within, lower=True)
    except LinAlgError:
        # Clusters of no width: the ridge that the mixtures have.
        variance = float(centred.var(axis=0).mean()) or 1.0
        factor = cho_factor(within + 2 * RIDGE * variance * np.eye(len(within)), lower=True)
    return float(np.trace(cho_solve(factor, between)))


def mixture_loglik(X, memberships):
    """Log-likelihood of rows under the Gaussian mixture that memberships give by one M-step.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows.
    memberships : array-like of shape (n_samples, n_clusters)
        Share of each cluster in each row; each row sums to one.

    Returns
    -------
    log_likelihood : float

    Notes
    -----
    The paper has it as Q + H of the given memberships. That is a lower bound, and the same only at a fixed point of EM
    in the same features: with it the maximum likelihood criterion would stop at one feature.
    """
    X, memberships = _read(X, memberships)
    columns = np.ascontiguousarray((X - X.mean(axis=0)).T)
    ridge = RIDGE * (float(columns.var(axis=1).mean()) or 1.0)
    parameters = from_memberships(columns, np.ascontiguousarray(memberships.T), ridge)
    k, n = len(parameters[0]), len(X)
    return float(expectation(columns, k, *parameters, np.empty((k, n)), np.empty(n)))


CRITERIA = {"trace": scatter_trace, "likelihood": mixture_loglik}


def cross_projected(X, first, first_memberships, second, second_memberships, criterion="trace"):
    """Two clusterings in two subsets of features, each judged in both (Section 5).

    The raw criteria grow, or fall, with the number of features. Judged in the other's features too, both have the same
    number: the traces are multiplied, the log-likelihoods added. Equal clusterings get equal values.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The rows.
    first, second : sequence of int
        The two subsets of features.
    first_memberships, second_memberships : array-like of shape (n_samples, n_clusters)
        The clusters found in each.
    criterion : {"trace", "likelihood"}, default="trace"
        How a clustering is judged.

    Returns
    -------
    first_value, second_value : float
        The greater is better.
    """
    if criterion not in CRITERIA:
        raise ValueError(f"criterion={criterion!r} is none of {', '.join(map(repr, CRITERIA))}")
    X = check_array(X, dtype=np.float64)
    judge = CRITERIA[criterion]
    values = [
        [judge(X[:, list(subset)], memberships) for subset in (first, second)]
        for memberships in (first_memberships, second_memberships)
    ]
    if criterion == "trace":
        return values[0][0] * values[0][1], values[1][1] * values[1][0]
    return values[0][0] + values[0][1], values[1][1] + values[1][0]


def likelihood_prefers_smaller(smaller_covariances, larger_covariances, weights):
    """Whether the likelihood is at least as great in a subset of features as in a larger one, for equal memberships.

    Theorem 4.1 of the paper: so it is unless the new features have little room of their own, given the old ones and
    the cluster: a variance of 1 / (2 pi e), about 0.06, where one feature is new.

    Parameters
    ----------
    smaller_covariances, larger_covariances : array-like of shape (n_clusters, d, d)
        Covariances of the clusters in the two subsets.
    weights : array-like of shape (n_clusters,)
        Shares of the clusters.

    Returns
    -------
    prefers : bool
    """
    smaller, larger = (np.asarray(part, dtype=np.float64) for part in (smaller_covariances, larger_covariances))
    weights = np.asarray(weights, dtype=np.float64)
    if not len(smaller) == len(larger) == len(weights):
        raise ValueError(
            f"{len(smaller)} and {len(larger)} covariances and {len(weights)} weights: give one of each a cluster"
        )
    more = larger.shape[1] - smaller.shape[1]
    gained = weights @ (np.linalg.slogdet(larger)[1] - np.linalg.slogdet(smaller)[1])
    return bool(gained >= -more * np.log(2.0 * np.pi * np.e))
