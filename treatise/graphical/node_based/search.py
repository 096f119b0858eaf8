"""Choice of the two penalties of node-based graphs by cross-validation, each problem started from its neighbour."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from treatise.graphical.node_based._solver import solve_joint_graphs
from treatise.graphical.node_based.graphs import _NodeBasedGraphs, _second_moments, heldout_fit


@dataclass(frozen=True)
class PenaltySearch:
    """What a grid of penalties gave on held-out rows.

    Attributes
    ----------
    lam1, lam2 : ndarray
        The grid; lam1 falls, lam2 rises.
    heldout : ndarray of shape (len(lam1), len(lam2))
        Sum over conditions of ``log det T - tr(S T)`` on held-out rows, mean over folds.
    n_edges : ndarray of shape (len(lam1), len(lam2))
        Edges of all conditions together, mean over folds.
    best_lam1, best_lam2 : float
        Where ``heldout`` is largest.
    best_estimator : estimator
        Fitted with them to all rows.
    n_iter : ndarray of shape (len(lam1), len(lam2))
        Iterations, mean over folds.
    """

    lam1: np.ndarray
    lam2: np.ndarray
    heldout: np.ndarray
    n_edges: np.ndarray
    best_lam1: float
    best_lam2: float
    best_estimator: _NodeBasedGraphs
    n_iter: np.ndarray


def search_penalties(estimator, tables, lam1, lam2, *, n_folds=5, random_state=None):
    """Try a grid of penalties on held-out rows.

    Rows of every condition are dealt into folds. Along the grid each problem starts from the solution of its
    neighbour; convergence is linear, so that saves a share of the iterations. Likelihood chooses for prediction: it
    tends to keep more edges and nodes than are true. For the fewest nodes take the largest lam2 whose ``heldout`` is
    still near the best.

    Parameters
    ----------
    estimator : NodePerturbationGraphs or CoHubGraphs
        Gives all other parameters; is not changed.
    tables : list of array-like of shape (n_samples, n_features)
        One table per condition.
    lam1, lam2 : array-like
        Values to try, for training on all rows. Folds use them in proportion to their rows, so that the balance of
        penalties and likelihood is that of the final fit.
    n_folds : int, default=5
        At least two.
    random_state : int, RandomState or None, default=None
        Deals the rows.

    Returns
    -------
    search : PenaltySearch

    Examples
    --------
    >>> from treatise.datasets import make_perturbed_graphs
    >>> from treatise.graphical import NodePerturbationGraphs, search_penalties
    >>> data = make_perturbed_graphs(60, 12, random_state=0)
    >>> search = search_penalties(NodePerturbationGraphs(), data.tables, [3, 30], [30, 60], n_folds=3, random_state=0)
    >>> search.heldout.shape, search.best_lam1
    ((2, 2), 3.0)

    References
    ----------
    .. [1] Paper v15-0445, section 7.2.
    """
    model = clone(estimator)
    model._validate_params()
    tables = model._check_tables(tables, reset=True)
    lam1, lam2 = _grid(lam1, "lam1")[::-1], _grid(lam2, "lam2")
    fewest = min(len(table) for table in tables)
    if not 2 <= n_folds <= fewest // 2:
        raise ValueError(
            f"n_folds={n_folds} must be at least 2 and leave two rows in every fold; the smallest table has {fewest}"
        )
    rng = check_random_state(random_state)
    folds = [rng.permutation(np.arange(len(table)) % n_folds) for table in tables]
    shape = (n_folds, len(lam1), len(lam2))
    heldout, n_edges, n_iter, unfinished = np.zeros(shape), np.zeros(shape), np.zeros(shape), 0
    coupling = model._coupling(len(tables))
    for f in range(n_folds):
        train = [table[fold != f] for table, fold in zip(tables, folds)]
        means = [np.zeros(part.shape[1]) if model.assume_centered else part.mean(axis=0) for part in train]
        S = np.stack([_second_moments(part - mean) for part, mean in zip(train, means)])
        tests = [_second_moments(table[fold == f] - mean) for table, fold, mean in zip(tables, folds, means)]
        n = np.array([len(part) for part in train], dtype=np.float64)
        share = n.sum() / sum(len(table) for table in tables)
        first_of_row = None
        for i, edge_price in enumerate(lam1):
            state = first_of_row
            for j, node_price in enumerate(lam2):
                model._check_bounded(S, edge_price, node_price)
                found = solve_joint_graphs(
                    S, n, share * edge_price, share * node_price, coupling, q=model.q, screen=model.screen,
                    tol=model.tol, max_iter=model.max_iter, start=state,
                )  # fmt: skip
                state = found.state
                first_of_row = state if j == 0 else first_of_row
                unfinished += not found.converged
                heldout[f, i, j] = sum(heldout_fit(test, T) for test, T in zip(tests, found.precision))
                n_edges[f, i, j] = np.count_nonzero(np.triu(found.precision, 1))
                n_iter[f, i, j] = found.n_iter
    if unfinished:
        warnings.warn(
            f"{unfinished} of {heldout.size} fits ended at max_iter={model.max_iter}; raise it or tol",
            ConvergenceWarning,
            stacklevel=2,
        )
    mean = heldout.mean(axis=0)
    i, j = np.unravel_index(mean.argmax(), mean.shape)
    best = clone(estimator).set_params(lam1=float(lam1[i]), lam2=float(lam2[j])).fit(tables)
    if hasattr(model, "feature_names_in_"):
        best.feature_names_in_ = model.feature_names_in_
    return PenaltySearch(
        lam1, lam2, mean, n_edges.mean(axis=0), float(lam1[i]), float(lam2[j]), best, n_iter.mean(axis=0)
    )


def _grid(values, name):
    grid = np.unique(np.asarray(values, dtype=np.float64))
    if not grid.size or not (np.isfinite(grid) & (grid >= 0)).all():
        raise ValueError(f"{name} must hold numbers that are not negative; got {values!r}")
    return grid
