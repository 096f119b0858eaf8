"""The dual problem of support vector machines without offset (Steinwart, Hush & Scovel, JMLR 12:141)."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from treatise.optimize.svm._without_offset_loops import CONVERGED, NEEDS_ROWS, ascend, sum_rows
from treatise.optimize.svm._working_set_loops import FROM_MATRIX, PREVIOUS, RANDOM

STOPPINGS = ("clipped", "gap")
"""Slack cut off at 2, equation (9); or the plain duality gap, equation (7)."""
WARM_STARTS = ("W0", "W1", "W2", "W3", "W4", "W5", "W6")
"""Ways from the solution of one cost to the start of the next, Section 2.3."""

_ALL_CODES = 4095
_ROUNDING = 1e-15
"""Least gap, as a share of the sum of the upper bounds, that sums of double precision can show."""


@dataclass(frozen=True)
class SVMStart:
    """Where to begin: weights of the objects, and the scores that go with them."""

    beta: np.ndarray
    scores: np.ndarray


@dataclass(frozen=True)
class SVMWithoutOffsetSolution:
    """Where the solver came to.

    Attributes
    ----------
    beta : ndarray of shape (n,)
        Weights of the objects: the machine is ``sum_i beta_i k(x_i, x)``.
    scores : ndarray of shape (n,)
        ``K beta`` of the objects.
    upper : ndarray of shape (n,)
        Upper bounds of the variables.
    objective : float
        Value W of the dual problem, which was maximised.
    gap : float
        The gap that decided where to stop.
    n_iter : int
        Steps made.
    converged : bool
        Whether the tolerance was reached, or nothing could move any more in double precision.
    """

    beta: np.ndarray
    scores: np.ndarray
    upper: np.ndarray
    objective: float
    gap: float
    n_iter: int
    converged: bool

    @property
    def alpha(self):
        """The variables of the dual problem, from 0 to ``upper``."""
        return np.abs(self.beta)


def solve_svm_without_offset(
    rows, y, upper, *, start="I0", tol=1e-3, stopping="clipped", wss=7, n_neighbors=10, neighbours=None,
    max_iter=None, random_state=0, callback=None,
):  # fmt: skip
    """Maximise ``sum(alpha) - beta' K beta / 2`` over ``0 <= alpha <= upper``, with ``beta = y * alpha``.

    Without an offset no condition ties the variables together: any one may move alone, any two may move to the best
    point of their box, and a solution for one cost is close to one for the next. A step costs O(n) and reads at most
    two rows of the Gram matrix. Use it with kernels that are rich enough to do without the offset (Gaussian,
    Laplacian); with a linear or a low polynomial kernel the machine must pass through the origin.

    Parameters
    ----------
    rows : GramRows
        Rows of the Gram matrix of the objects; those absent are asked for. The kernel need not be normalised.
    y : array-like of shape (n,)
        Labels -1 and 1.
    upper : float or array-like of shape (n,)
        Upper bounds: ``weight_i / (2 lambda n)`` in the terms of the paper, ``C * weight_i`` in those of SVMs.
    start : {"I0", "I1"} or SVMStart, default="I0"
        Zeros; the kernel rule, which puts all variables at their upper bound and needs the whole matrix; or what
        :func:`warm_start` gave.
    tol : float, default=1e-3
        The paper's epsilon: the gap may be this share of ``sum(upper)``, so that the mean (weighted) loss plus the
        penalty is within ``tol`` of the least.
    stopping : {"clipped", "gap"}, default="clipped"
        Whether slack counts up to 2 only, as scores beyond -1 and 1 are cut off for a decision, or in full.
    wss : int or "1d", default=7
        Sum of the codes of the rules that propose a working set; the pair with the largest gain is taken. With i the
        best single variable: 1 joins the previous i; 2 takes the best of the first and of the second half; 4 joins one
        of the nearest neighbours of i while inner variables move, else the previous i; 8 the best after i has moved;
        32 the best partner of all; 64 of a random fifth; 128 of all by a clipped gain; 512 among inner variables while
        these move; 1024 among a random fifth of those. Rules that read the whole matrix: 0 best of all pairs; 16 the
        two largest violations; 256 best of n random pairs; 2048 random inner pairs. "1d" moves i alone.
    n_neighbors : int, default=10
        Neighbours of rule 4.
    neighbours : ndarray of shape (n, n_neighbors), or None, default=None
        Neighbours found by earlier runs on the same objects, -1 where not yet known; filled in place.
    max_iter : int or None, default=None
        Most steps; None allows ``max(10**7, 100 n)``.
    random_state : int, RandomState instance or None, default=0
        For the rules that draw.
    callback : callable or None, default=None
        Called as ``callback(n_iter, gap)`` after every round of at most ``max(1000, n)`` steps; a true return value
        ends the work.

    Returns
    -------
    solution : SVMWithoutOffsetSolution

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernels import Gaussian, GramRows
    >>> from treatise.optimize import solve_svm_without_offset
    >>> x = Gaussian().prepare([[0.0], [1.0], [3.0], [4.0]])
    >>> solution = solve_svm_without_offset(GramRows(Gaussian(), x), [-1, -1, 1, 1], 10.0, tol=1e-9)
    >>> solution.scores.round(4) + 0.0
    array([-1., -1.,  1.,  1.])

    References
    ----------
    .. [1] Steinwart, Hush & Scovel, "Training SVMs Without Offset", JMLR 12:141-202, 2011, Algorithms 1 and 2.
    """
    y, upper = _labels_and_bounds(rows, y, upper)
    if stopping not in STOPPINGS:
        raise ValueError(f"stopping={stopping!r} must be one of {', '.join(STOPPINGS)}")
    if isinstance(start, str):
        start = _cold_start(rows, y, upper, start)
    solver = _Ascent(rows, y, upper, start, _rule(wss, rows), n_neighbors, neighbours, random_state)
    return solver.solve(tol, stopping, max(10**7, 100 * len(y)) if max_iter is None else max_iter, callback)


def svm_without_offset_path(rows, y, uppers, *, initial="I1", warm=None, **options):
    """Solve for one set of upper bounds after the other, each from the solution before.

    Costs that rise are the cheaper order: what is at its bound mostly stays there.

    Parameters
    ----------
    rows, y
        As for :func:`solve_svm_without_offset`.
    uppers : iterable of float or of arrays of shape (n,)
        Upper bounds, each a multiple of the first.
    initial : {"I0", "I1"}, default="I1"
        Start of the first: zeros, or the kernel rule. Take "I0" where the matrix does not fit into memory.
    warm : {"W0", ..., "W6"} or None, default=None
        Start of the others, see :func:`warm_start`; None takes W4 where bounds rise and W6 where they fall.
    **options
        Others of :func:`solve_svm_without_offset`.

    Yields
    ------
    solution : SVMWithoutOffsetSolution
        One for each of ``uppers``.
    """
    options.setdefault("neighbours", unknown_neighbours(len(rows), options.get("n_neighbors", 10)))
    solution = None
    for upper in uppers:
        if solution is None:
            start = initial
        else:
            rises = np.mean(upper) >= np.mean(solution.upper)
            start = warm_start(rows, y, solution, upper, warm or ("W4" if rises else "W6"))
        solution = solve_svm_without_offset(rows, y, upper, start=start, **options)
        yield solution


def warm_start(rows, y, solution, upper, strategy):
    """The start for new upper bounds from the solution for old ones, with its scores recycled where possible.

    Parameters
    ----------
    rows, y
        As for :func:`solve_svm_without_offset`.
    solution : SVMWithoutOffsetSolution
        For bounds that are a multiple of the new ones.
    upper : float or array-like of shape (n,)
        The new bounds.
    strategy : {"W0", "W1", "W2", "W3", "W4", "W5", "W6"}
        W0 zeros; W1 the kernel rule; W2 (bounds rise) the same variables; W3 and W5 (rise, fall) all times the ratio;
        W4 (rise) variables at their bound move with it; W6 (fall) variables beyond their new bound move to it.

    Returns
    -------
    start : SVMStart
    """
    y, upper = _labels_and_bounds(rows, y, upper)
    if strategy not in WARM_STARTS:
        raise ValueError(f"strategy={strategy!r} must be one of {', '.join(WARM_STARTS)}")
    if strategy in ("W0", "W1"):
        return _cold_start(rows, y, upper, strategy)
    ratio = _ratio(solution.upper, upper)
    if (strategy in ("W2", "W3", "W4") and ratio < 1.0) or (strategy in ("W5", "W6") and ratio > 1.0):
        wanted = "rise" if ratio < 1.0 else "fall"
        raise ValueError(f"{strategy} is for bounds that {wanted}; these are {ratio:g} times the old ones")
    beta, scores = solution.beta, solution.scores
    if strategy == "W2":
        return SVMStart(beta.copy(), scores.copy())
    if strategy in ("W3", "W5"):
        return SVMStart(np.clip(ratio * beta, -upper, upper), ratio * scores)
    at_bound = (np.abs(beta) == solution.upper) & (solution.upper > 0)
    new = np.where(at_bound | (np.abs(beta) > upper), np.sign(beta) * upper, beta)
    # Either all rows with a change are summed up, or all go with the bounds and the others are taken back:
    # ratio * scores is right for variables at their bound (Procedures 6 and 7).
    changed, unscaled = new - beta, new - ratio * beta
    unscaled[at_bound] = 0.0
    if np.count_nonzero(changed) <= np.count_nonzero(unscaled):
        return SVMStart(new, scores + _weighted_rows(rows, changed))
    return SVMStart(new, ratio * scores + _weighted_rows(rows, unscaled))


def unknown_neighbours(n, n_neighbors=10):
    """An array for ``neighbours`` that runs on the same objects share and fill."""
    return np.full((n, max(0, min(n_neighbors, n - 1))), -1, np.int64)


class _Ascent:
    """The state of one solution, and the rounds in which it moves."""

    def __init__(self, rows, y, upper, start, rule, n_neighbors, neighbours, random_state):
        self.rows, self.y, self.upper, self.rule = rows, y, upper, rule
        self.cost = y * upper
        self.beta = np.clip(np.asarray(start.beta, np.float64), np.minimum(self.cost, 0.0), np.maximum(self.cost, 0.0))
        self.pull = y - start.scores
        self.diagonal = np.asarray(rows.diagonal, np.float64)
        # An object of length zero has a score of zero whatever its weight, which then goes straight to its bound.
        self.inverse = 1.0 / np.maximum(self.diagonal, np.finfo(float).tiny)
        self.neighbours = unknown_neighbours(len(y), n_neighbors) if neighbours is None else neighbours
        self.state = np.zeros(4, np.int64)
        self.state[PREVIOUS] = -1
        draws = rule > 0 and rule & RANDOM
        self.random = np.array([check_random_state(random_state).randint(2**31) if draws else 0], np.uint64)

    def solve(self, tol, stopping, max_iter, callback):
        n = len(self.y)
        enough = max(tol, _ROUNDING) * self.upper.sum()
        # Slack is at most this times the bound; anything finite and out of reach stands for no limit.
        cap = 2.0 if stopping == "clipped" else 1e100
        round_steps, refresh = max(1000, min(n, 5000)), 10 * max(n, 1000)
        n_iter = since_refresh = 0
        while True:
            status, gap, done = self._round(cap, enough, min(round_steps, max_iter - n_iter))
            n_iter += done
            since_refresh += done
            if status == CONVERGED or n_iter >= max_iter or (callback and callback(n_iter, gap)):
                break
            if since_refresh >= refresh:
                # Rounding adds up in the pulls: the paper, too, computes them afresh now and then.
                self.pull = self.y - _weighted_rows(self.rows, self.beta)
                since_refresh = 0
        return SVMWithoutOffsetSolution(
            beta=self.beta,
            scores=self.y - self.pull,
            upper=self.upper,
            objective=float(0.5 * self.beta @ (self.y + self.pull)),
            gap=float(max(gap, 0.0)),
            n_iter=n_iter,
            converged=status == CONVERGED,
        )

    def _round(self, cap, enough, steps):
        """Move until convergence or for ``steps`` steps, fetching rows as they are asked for."""
        rows, total = self.rows, 0
        while True:
            status, i, j, done, gap = ascend(
                rows.store, rows.slot_of, rows.used, rows.clock, self.pull, self.beta, self.cost, self.diagonal,
                self.inverse, cap, enough, self.rule, self.neighbours, self.state, self.random, steps - total,
            )  # fmt: skip
            rows.clock += done
            total += done
            if status != NEEDS_ROWS:
                return status, gap, total
            rows.fetch([i, j])


def _cold_start(rows, y, upper, name):
    if name in ("I0", "W0"):
        return SVMStart(np.zeros(len(y)), np.zeros(len(y)))
    if name in ("I1", "W1"):
        _hold_all(rows)
        return SVMStart(y * upper, _weighted_rows(rows, y * upper))
    raise ValueError(f"start={name!r} must be 'I0', 'I1' or what warm_start gave")


def _hold_all(rows):
    """Compute all rows, many at a time, where all have their place."""
    if rows.holds_all:
        absent = np.flatnonzero(rows.slot_of < 0)
        width = max(1, (32 << 20) // (8 * max(len(rows), 1)))
        for start in range(0, len(absent), width):
            rows.fetch(absent[start : start + width].tolist())


def _weighted_rows(rows, weights):
    """``weights @ K``, with the rows that are held read where they lie."""
    total = np.zeros(len(rows))
    positions = np.flatnonzero(weights)
    held = rows.slot_of[positions] >= 0
    sum_rows(rows.store, rows.slot_of[positions[held]], weights[positions[held]], total)
    absent = positions[~held]
    return total + rows.product(absent, weights[absent]) if len(absent) else total


def _labels_and_bounds(rows, y, upper):
    y = np.ascontiguousarray(y, np.float64)
    if y.shape != (len(rows),):
        raise ValueError(f"y has shape {y.shape} for {len(rows)} objects; it must have one label for each")
    if not np.all(np.abs(y) == 1.0):
        raise ValueError("labels must be -1 and 1")
    upper = np.array(np.broadcast_to(np.asarray(upper, np.float64), y.shape))
    if not np.all((upper >= 0) & np.isfinite(upper)):
        raise ValueError("upper bounds must be finite and not negative")
    return y, upper


def _ratio(old, new):
    at = int(np.argmax(old))
    ratio = new[at] / old[at] if old[at] > 0 else np.nan
    # Bounds are products of a few factors: they agree to some units in the last place.
    if not (np.isfinite(ratio) and np.allclose(new, ratio * old, rtol=1e-10, atol=0.0)):
        raise ValueError("a warm start needs upper bounds that are one multiple of the old ones")
    return float(ratio)


def _rule(wss, rows):
    if wss == "1d":
        return -1
    if isinstance(wss, bool) or not isinstance(wss, (int, np.integer)) or not 0 <= wss <= _ALL_CODES:
        raise ValueError(f"wss={wss!r} must be '1d' or a sum of the codes 1, 2, 4, ..., 2048, or 0")
    if wss == 0 or wss & FROM_MATRIX:
        if not rows.holds_all:
            raise ValueError(f"wss={wss} reads the whole Gram matrix, which does not fit into the cache of rows")
        _hold_all(rows)
    return int(wss)
