"""Whole paths of ``min |x|_1 subject to |S x - b| <= lambda``: CLIME's and the Dantzig selector's programs."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numba
import numpy as np
from threadpoolctl import threadpool_limits

from treatise.optimize.l1._basis_loops import Basis, refresh
from treatise.optimize.l1._path_loops import (
    FINISHED,
    FULL,
    OUT_OF_PIVOTS,
    STALE,
    History,
    follow,
    path_at,
)

_PERTURBATION = 1e-10
"""Of the right-hand side, where ties make the pivots go round in circles."""
_PIVOTS_PER_ROW = 60


@dataclass(frozen=True)
class L1Path:
    """The solutions of one program for all lambda.

    Attributes
    ----------
    breakpoints : ndarray of shape (n_breakpoints,)
        Values of lambda, from the one above which the solution is zero down to the end; linear in between.
    starts, places, values : ndarray
        Entry e of breakpoint q, for e in ``starts[q]:starts[q + 1]``, has the value ``values[e]`` at ``places[e]``.
    dual_objectives : ndarray of shape (n_breakpoints,)
        Objective of the dual solution at each breakpoint: the certificate of optimality, equal to the l1 norm.
    status : {"finished", "infeasible", "out of pivots"}
        Whether the end was reached, no solution exists below the last breakpoint, or the pivots were too many.
    n_features : int
        Length of a solution.
    """

    breakpoints: np.ndarray
    starts: np.ndarray
    places: np.ndarray
    values: np.ndarray
    dual_objectives: np.ndarray
    status: str
    n_features: int

    def at(self, penalty):
        """The solution at one lambda; an error below the end of the path.

        Parameters
        ----------
        penalty : float
            Not below the last breakpoint.

        Returns
        -------
        x : ndarray of shape (n_features,)
        """
        if penalty < self.breakpoints[-1] * (1 - 1e-12):
            why = "no solution exists there" if self.status == "infeasible" else "the path was not followed further"
            raise ValueError(f"the path ends at {self.breakpoints[-1]:g}, and {penalty:g} lies below: {why}")
        x = np.empty(self.n_features)
        path_at(self.breakpoints, self.starts, self.places, self.values, float(penalty), x)
        return x

    @property
    def norms(self):
        """The l1 norm at every breakpoint."""
        return np.add.reduceat(np.append(np.abs(self.values), 0.0), self.starts[:-1]) * (np.diff(self.starts) > 0)

    @property
    def gap(self):
        """Largest difference of the primal and dual objectives along the path, relative to one plus the norm."""
        return float((np.abs(self.norms - self.dual_objectives) / (1 + self.norms)).max())


def l1_constraint_paths(S, b=None, *, lowest=0.0):
    """Paths of ``min |x|_1 subject to |S x - b| <= lambda`` for one or many right-hand sides, by parametric simplex.

    A path is exact: every breakpoint is a vertex with its dual certificate, and solutions between are linear. Use it
    where S is a covariance or Gram matrix and solutions are sparse down to ``lowest``; a pivot costs the number of
    non-zeros times the length of a row, and there are at least as many pivots as non-zeros. Columns are shared out over
    threads, and nothing of the size of S is made besides the paths.

    Parameters
    ----------
    S : ndarray of shape (d, d)
        Symmetric.
    b : ndarray of shape (d,) or (d, k) or None, default=None
        Right-hand sides as columns; None takes the identity's.
    lowest : float, default=0.0
        Where the paths end.

    Returns
    -------
    paths : L1Path or list of L1Path
        One path for a vector ``b``, a list otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import l1_constraint_paths
    >>> path = l1_constraint_paths(np.array([[1.0, 0.5], [0.5, 1.0]]), np.array([1.0, 0.0]))
    >>> path.breakpoints.round(4)
    array([1.    , 0.3333, 0.    ])
    >>> path.at(0.5).round(4)
    array([0.5, 0. ])

    References
    ----------
    .. [1] Paper v15-0489, sections 2 and 3.
    """
    S = np.ascontiguousarray(S, dtype=np.float64)
    if not np.isfinite(S).all():
        raise ValueError("S has an entry that is not finite")
    if S.ndim != 2 or S.shape[0] != S.shape[1] or np.abs(S - S.T).max() > 1e-10 * np.abs(S).max():
        raise ValueError(f"S must be a symmetric matrix; it has shape {S.shape}")
    S = (S + S.T) / 2
    if lowest < 0:
        raise ValueError(f"lowest={lowest:g} must not be negative")
    one = b is not None and np.ndim(b) == 1
    sides = np.eye(len(S)) if b is None else np.asarray(b, dtype=np.float64).reshape(len(S), -1)
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(max(1, numba.get_num_threads())) as pool:
        paths = list(
            pool.map(lambda column: _path(S, np.ascontiguousarray(sides[:, column]), lowest), range(sides.shape[1]))
        )
    return paths[0] if one else paths


def _path(S, b, lowest):
    limit = _PIVOTS_PER_ROW * max(len(S), 10)
    history, status = _followed(S, b, lowest, limit)
    if status == OUT_OF_PIVOTS:
        # Ties, as between columns that repeat each other: no two of them stay equal under a tiny change of b.
        nudge = _PERTURBATION * np.abs(b).max() * np.random.default_rng(0).uniform(0.5, 1.0, len(b))
        history, status = _followed(S, b + nudge, lowest, limit)
    # Copies, which let go of the room that was not needed.
    n, kept = history.filled
    return L1Path(
        history.breaks[:n].copy(),
        history.starts[: n + 1].copy(),
        history.places[:kept].copy(),
        history.values[:kept].copy(),
        history.duals[:n].copy(),
        {FINISHED: "finished", OUT_OF_PIVOTS: "out of pivots"}.get(status, "infeasible"),
        len(S),
    )


def _followed(S, b, lowest, limit):
    """The vertices of the path, and how it ended."""
    basis, history = Basis.at_zero(b), History.empty(1024, 16384)
    while True:
        status = follow(S, b, lowest, limit, basis, history)
        if status == STALE:
            refresh(S, b, basis)
        elif status == FULL:
            history = history.grown(len(b))
        else:
            return history, status
