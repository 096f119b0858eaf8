"""Weights of a binary field on a given graph by the pseudo-likelihood, and samples of such fields."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from treatise.graphical._two_values import zeros_and_ones
from treatise.inference import FactorGraph, JunctionTree, gibbs_sample
from treatise.optimize import minimize_lbfgs

_RIDGE = 1e-4
"""Holds weights finite where the rows separate a column's values; far below what the data say elsewhere."""
_LARGEST_TABLE = 2**18
_MAX_ITER = 1000


def ising_node_losses(X, fields, couplings):
    """Mean over rows of ``-log p(x_s | the others)`` for every column s.

    Parameters
    ----------
    X : ndarray of shape (n_samples, p)
        Zeros and ones.
    fields : ndarray of shape (p,)
        Fields ``theta_s``.
    couplings : ndarray of shape (p, p)
        Couplings ``theta_st`` with zero diagonal; row s predicts column s.

    Returns
    -------
    losses : ndarray of shape (p,)
    """
    margin = X @ couplings.T + fields
    return (np.logaddexp(0.0, margin) - X * margin).mean(axis=0)


def fit_ising_on_graph(X, adjacency, *, start=None, ridge=_RIDGE):
    """Fields and couplings of a binary field that maximise the pseudo-likelihood of rows.

    Parameters
    ----------
    X : array-like of shape (n_samples, p)
        Zeros and ones.
    adjacency : array-like of bool of shape (p, p)
        The graph, symmetric: couplings elsewhere are zero.
    start : tuple (fields, couplings) or None, default=None
        Where to begin.
    ridge : float, default=1e-4
        Price of the squares of all weights, against infinite weights.

    Returns
    -------
    fields : ndarray of shape (p,)
    couplings : ndarray of shape (p, p)
        Symmetric.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import fit_ising_on_graph
    >>> X = np.repeat([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [30, 10, 10, 30], axis=0)
    >>> fit_ising_on_graph(X, ~np.eye(2, dtype=bool), ridge=0)[1][0, 1].round(3)  # 2 log 3
    np.float64(2.197)
    """
    adjacency = np.asarray(adjacency)
    X = zeros_and_ones(X, adjacency, "adjacency")
    n, p = X.shape
    rows, columns = np.nonzero(np.triu(adjacency, 1))

    def unpacked(w):
        couplings = np.zeros((p, p))
        couplings[rows, columns] = couplings[columns, rows] = w[p:]
        return w[:p], couplings

    def objective(w):
        fields, couplings = unpacked(w)
        margin = X @ couplings + fields
        value = (np.logaddexp(0.0, margin) - X * margin).sum() / n + ridge / 2 * (w @ w)
        residual = (0.5 * (1 + np.tanh(margin / 2)) - X) / n
        cross = X.T @ residual
        gradient = np.concatenate([residual.sum(axis=0), cross[rows, columns] + cross[columns, rows]])
        return value, gradient + ridge * w

    begin = np.zeros(p + len(rows))
    if start is not None:
        begin[:p], begin[p:] = start[0], start[1][rows, columns]
    end = minimize_lbfgs(objective, begin, max_iter=_MAX_ITER, gradient_tolerance=1e-7)
    if end.status == "running":
        warnings.warn(
            f"the pseudo-likelihood still rises after {_MAX_ITER} steps of L-BFGS; raise ridge={ridge:g}",
            ConvergenceWarning,
            stacklevel=2,
        )
    fields, couplings = unpacked(end.w)
    return fields.copy(), couplings


def sample_ising(fields, couplings, n_samples=1, *, random_state=None):
    """Rows of zeros and ones from ``exp(sum theta_s x_s + sum theta_st x_s x_t)``.

    Exact, through a junction tree, where the graph is narrow enough; otherwise by Gibbs sampling from four chains with
    a burn-in, whose rows depend a little on each other.

    Parameters
    ----------
    fields : array-like of shape (p,)
        Fields ``theta_s``.
    couplings : array-like of shape (p, p)
        Symmetric couplings ``theta_st``; the diagonal is ignored.
    n_samples : int, default=1
        Number of rows.
    random_state : int, RandomState or None, default=None
        Draws the rows.

    Returns
    -------
    X : ndarray of int of shape (n_samples, p)

    Examples
    --------
    >>> from treatise.graphical import sample_ising
    >>> X = sample_ising([0.0, -2.0], [[0, 4.0], [4.0, 0]], 2000, random_state=0)
    >>> bool((X[:, 0] == X[:, 1]).mean() > 0.8)
    True
    """
    fields, couplings = np.asarray(fields, dtype=np.float64), np.asarray(couplings, dtype=np.float64)
    if couplings.shape != (len(fields),) * 2 or not np.allclose(couplings, couplings.T):
        raise ValueError(
            f"couplings must be a symmetric matrix of shape {(len(fields),) * 2}; they have shape {couplings.shape}"
        )
    edges = np.argwhere(np.triu(couplings, 1))
    graph = FactorGraph.ising(fields, edges, couplings[edges[:, 0], edges[:, 1]], values=(0, 1))
    try:
        tree = JunctionTree(graph, max_table=_LARGEST_TABLE)
    except ValueError:
        return gibbs_sample(graph, n_samples, thin=10, random_state=random_state)
    return tree.sample(n_samples, random_state=random_state)
