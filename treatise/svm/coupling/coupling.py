"""From the probabilities of all pairs of classes to one probability per class (Wu, Lin & Weng, JMLR 5:975)."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from treatise.svm.coupling._bradley_terry_loops import bradley_terry_rows
from treatise.svm.coupling._loops import couple_rows, cyclic_least_squares, pack

_DIRECT = {"least_squares": 0, "markov": 1, "row_sum": 2, "vote": 3, "price": 4}
COUPLINGS = (*_DIRECT, "hastie_tibshirani", "refregier_vallet")
"""Names of the coupling methods."""

TRUNCATION = 1e-7
"""Pairwise probabilities are kept this far from 0 and 1, as in Section 6."""


def pairwise_coupling(R, method="least_squares", *, solver="direct", weights=None, pairs=None, tol=1e-10):
    """Class probabilities from pairwise ones.

    Given estimates r_ij of P(class i | class i or j), find p with p_i / (p_i + p_j) near r_ij. Where the estimates
    agree with one p, all methods but the sums and votes find it; the methods differ in how they share out the
    contradictions between noisy estimates. Take the default; "markov" is as stable where classes are many and level.
    "row_sum" and "hastie_tibshirani" lose the likeliest class where a few of many classes hold nearly all the mass,
    and "vote" gives no useful probabilities, though good decisions in that same case.

    Costs k^3 / 6 operations for each row and k classes for "least_squares", a few times that for "markov" and
    "hastie_tibshirani", k^2 for the rest. Rows are done in one compiled loop.

    Parameters
    ----------
    R : array-like of shape (k, k) or (n_samples, k, k)
        Pairwise probabilities, r_ij + r_ji = 1. The diagonal is not read. Entries within 1e-7 of 0 and 1 are moved
        to that distance, with a warning where an entry is 0 or 1: the solution is not unique there.
    method : str, default="least_squares"
        One of

        * "least_squares": least sum of squares of r_ji p_i - r_ij p_j, the paper's second method;
        * "markov": the stationary distribution of the chain moving from j to i with probability r_ij / (k - 1),
          the paper's first method;
        * "hastie_tibshirani": least Kullback-Leibler distance between r_ij and p_i / (p_i + p_j), the
          Bradley-Terry model;
        * "row_sum": sum of r_ij over j, of the same order as "hastie_tibshirani" with equal weights;
        * "vote": share of the pairs won; even pairs are shared;
        * "price": Price, Knerr, Personnaz & Dreyfus, p_i proportional to 1 / (sum over j of 1 / r_ij - (k - 2));
        * "refregier_vallet": p_i / p_j = r_ij / r_ji on k - 1 pairs, the others ignored.
    solver : {"direct", "iterative"}, default="direct"
        For "least_squares" only: a factorisation, or the paper's Algorithm 2, coordinate by coordinate.
    weights : array-like of shape (k, k) or None, default=None
        For "hastie_tibshirani" only: positive symmetric weights n_ij, such as the rows that each pair was learnt from.
    pairs : array-like of shape (k - 1, 2) or None, default=None
        For "refregier_vallet" only: the pairs in use, a spanning tree of the classes. None takes (0, 1), (1, 2), ...
    tol : float, default=1e-10
        Where to stop, for "hastie_tibshirani" (sum over classes of \\|observed / expected wins - 1\\|; the paper
        takes 1e-3) and for ``solver="iterative"`` (largest violation of the optimality condition).

    Returns
    -------
    P : ndarray of shape (k,) or (n_samples, k)
        Class probabilities.

    See Also
    --------
    PairwiseCouplingClassifier : Learns the pairs with any binary classifier, and couples them.
    exponential_decoding : Decisions from decision values, without probabilities.

    Notes
    -----
    "hastie_tibshirani" follows each sweep of the paper's Algorithm 1 with a Newton step where that is better; the
    minimum is unique, and hence the same.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.svm import pairwise_coupling
    >>> R = np.array([[0.5, 0.9, 0.4], [0.1, 0.5, 0.3], [0.6, 0.7, 0.5]])
    >>> pairwise_coupling(R).round(3)
    array([0.381, 0.115, 0.503])
    >>> pairwise_coupling(R, "markov").round(3)
    array([0.416, 0.114, 0.47 ])

    References
    ----------
    .. [1] Paper v05-0975, Sections 2 to 4, Algorithms 1 and 2, Appendix D.
    """
    if method not in COUPLINGS:
        raise ValueError(f"method={method!r} is no coupling; it may be {', '.join(COUPLINGS)}")
    if solver not in ("direct", "iterative"):
        raise ValueError(f"solver={solver!r} must be 'direct' or 'iterative'")
    for name, value, owner in (
        ("solver", None if solver == "direct" else solver, "least_squares"),
        ("weights", weights, "hastie_tibshirani"),
        ("pairs", pairs, "refregier_vallet"),
    ):
        if value is not None and method != owner:
            raise ValueError(f"{name} is for method={owner!r} alone, not for {method!r}")
    packed, k, single = _packed(R)
    if method == "hastie_tibshirani":
        P = _bradley_terry(packed, k, _checked_weights(weights, k), tol)
    elif method == "refregier_vallet":
        P = _spanning_tree(packed, k, _checked_tree(pairs, k))
    elif solver == "iterative":
        P, sweeps = cyclic_least_squares(packed, k, tol, 100_000)
        _warn_unless_converged(sweeps, 100_000, tol)
    else:
        P = couple_rows(packed, k, _DIRECT[method])
    return P[0] if single else P


def exponential_decoding(F):
    """Exponential loss of each class, given a decision value for each pair; the least loss wins.

    Needs no probabilities: SVM decision values will do, though r_ij - 1/2 is the better choice with many classes
    (Table 2 of the paper).

    Parameters
    ----------
    F : array-like of shape (k, k) or (n_samples, k, k)
        Decision values, f_ij > 0 for class i against j and f_ji = -f_ij. The diagonal is not read.

    Returns
    -------
    loss : ndarray of shape (k,) or (n_samples, k)
        Sum over j of exp(-f_ij); infinite where it overflows.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.svm import exponential_decoding
    >>> F = np.array([[0.0, 2.0, -0.5], [-2.0, 0.0, -1.0], [0.5, 1.0, 0.0]])
    >>> int(exponential_decoding(F).argmin())
    2

    References
    ----------
    .. [1] Paper v05-0975, equation (38).
    """
    F, single = _matrices(F, "F")
    k = F.shape[1]
    off = ~np.eye(k, dtype=bool)
    if not np.isfinite(F[:, off]).all():
        raise ValueError("F holds NaN or infinity off its diagonal")
    if not np.allclose(F[:, off], -F.transpose(0, 2, 1)[:, off], rtol=1e-6, atol=1e-9):
        raise ValueError("F must have f_ji = -f_ij; negate the decision values of each pair for the other order")
    with np.errstate(over="ignore"):
        loss = np.exp(-F)
    loss[:, ~off] = 0.0
    loss = loss.sum(axis=2)
    return loss[0] if single else loss


def couple(packed, n_classes, method):
    """Class probabilities from packed pairs that need no checking, as the classifier makes them."""
    packed = np.clip(packed, TRUNCATION, 1 - TRUNCATION)
    if method == "hastie_tibshirani":
        return _bradley_terry(packed, n_classes, np.ones((n_classes, n_classes)), 1e-10)
    if method == "refregier_vallet":
        return _spanning_tree(packed, n_classes, _checked_tree(None, n_classes))
    return couple_rows(packed, n_classes, _DIRECT[method])


def pair_indices(n_classes):
    """Both classes of each pair, in the order of packed pairs."""
    return np.triu_indices(n_classes, 1)


def _packed(R):
    """Pairs i < j of R as columns, checked and truncated; the number of classes; whether R was one matrix."""
    R, single = _matrices(R, "R")
    k = R.shape[1]
    packed = np.empty((len(R), k * (k - 1) // 2))
    worst, row, pair, low, high = pack(R, packed)
    if np.isnan(worst):
        raise ValueError("R holds NaN or infinity off its diagonal")
    if low < 0 or high > 1:
        raise ValueError(f"R must hold probabilities, from 0 to 1; it holds {low if low < 0 else high:.6g}")
    if worst > 1e-6:
        i, j = (classes[pair] for classes in pair_indices(k))
        total = R[row, i, j] + R[row, j, i]
        raise ValueError(
            f"R must have r_ij + r_ji = 1; in row {row}, r[{i}, {j}] + r[{j}, {i}] = {total:.6g}. "
            "Estimates that do not add up can be made to: (R + 1 - R.swapaxes(-1, -2)) / 2"
        )
    if low == 0 or high == 1:
        warnings.warn(
            f"pairwise probabilities of 0 or 1 were moved by {TRUNCATION:g}: they leave the class probabilities "
            "undetermined; estimate them with a prior",
            UserWarning,
            stacklevel=3,
        )
    return np.clip(packed, TRUNCATION, 1 - TRUNCATION, out=packed), k, single


def _matrices(R, name):
    R = np.asarray(R, dtype=np.float64)
    single = R.ndim == 2
    if single:
        R = R[np.newaxis]
    if R.ndim != 3 or R.shape[1] != R.shape[2] or R.shape[1] < 2:
        raise ValueError(f"{name} must be of shape (k, k) or (n_samples, k, k) with k >= 2, got {R.shape[single:]}")
    return np.ascontiguousarray(R), single


def _checked_weights(weights, k):
    if weights is None:
        return np.ones((k, k))
    weights = np.array(weights, dtype=np.float64)
    if weights.shape != (k, k):
        raise ValueError(f"weights must be of shape ({k}, {k}), got {weights.shape}")
    off = ~np.eye(k, dtype=bool)
    if not (np.isfinite(weights[off]).all() and (weights[off] > 0).all() and np.allclose(weights, weights.T)):
        raise ValueError("weights must be positive, finite and symmetric off the diagonal")
    return weights


def _checked_tree(pairs, k):
    """Pairs as a list in which every pair after the first touches an earlier one."""
    if pairs is None:
        return [(i, i + 1) for i in range(k - 1)]
    left = [tuple(map(int, pair)) for pair in np.asarray(pairs, dtype=int).reshape(-1, 2)]
    reached, ordered = {0}, []
    while left:
        touching = next((pair for pair in left if (pair[0] in reached) != (pair[1] in reached)), None)
        if touching is None or not all(0 <= c < k for c in touching):
            break
        left.remove(touching)
        ordered.append(touching if touching[0] in reached else touching[::-1])
        reached.update(touching)
    if left or len(ordered) != k - 1:
        raise ValueError(f"pairs must be {k - 1} pairs of the classes 0 to {k - 1} that connect all of them")
    return ordered


def _spanning_tree(packed, k, tree):
    column = np.zeros((k, k), dtype=int)
    column[pair_indices(k)] = np.arange(k * (k - 1) // 2)
    log_p = np.zeros((len(packed), k))
    for known, new in tree:
        r = packed[:, column[min(known, new), max(known, new)]]
        odds = np.log(r) - np.log1p(-r)
        log_p[:, new] = log_p[:, known] - (odds if known < new else -odds)
    P = np.exp(log_p - log_p.max(axis=1, keepdims=True))
    return P / P.sum(axis=1, keepdims=True)


def _bradley_terry(packed, k, weights, tol):
    P, iterations = bradley_terry_rows(packed, k, weights, tol, 1000)
    _warn_unless_converged(iterations, 1000, tol)
    return P


def _warn_unless_converged(iterations, limit, tol):
    short = int(np.count_nonzero(iterations >= limit))
    if short:
        warnings.warn(
            f"{short} of {len(iterations)} rows did not come within tol={tol:g} in {limit} iterations; raise tol",
            ConvergenceWarning,
            stacklevel=4,
        )
