"""The dual problem of support vector machines with an offset, solved pair by pair."""

from dataclasses import dataclass

import numpy as np

from treatise.optimize.svm._dual_loops import (
    CONVERGED,
    FALLS,
    NEEDS_ROWS,
    RISES,
    freedoms,
    minimize_pairs,
)

_ROUNDING = 16 * np.finfo(np.float64).eps
"""Share of the largest target by which scores that were moved step by step are off."""


@dataclass(frozen=True)
class SVMDualProblem:
    """Minimise ``beta' K beta / 2 - pull' beta`` with ``beta = signs * alpha``, ``0 <= alpha <= upper``.

    The sum of beta keeps the value it has at ``start``: that is the condition that belongs to an offset. Each object
    has one variable, or two that stand for the two sides of its target (regression); the second ones follow all the
    first.

    Parameters
    ----------
    signs : ndarray of shape (n,) or (2 n,)
        -1.0 or 1.0: the direction in which a variable moves the score of its object.
    pull : ndarray of the same shape
        Score at which a variable rests, in units of the score.
    upper : ndarray of the same shape
        Upper bounds: cost times weight.
    start : ndarray of the same shape
        Where to begin; decides the sum of beta.
    """

    signs: np.ndarray
    pull: np.ndarray
    upper: np.ndarray
    start: np.ndarray

    @classmethod
    def classification(cls, y, upper, start=None):
        """Hinge loss of labels -1 and 1; ``start`` of a warm start must have ``start @ y == 0``."""
        y = np.asarray(y, np.float64)
        return cls(y, y.copy(), _per_object(upper, y), np.zeros(len(y)) if start is None else np.array(start, float))

    @classmethod
    def regression(cls, y, upper, epsilon, start=None):
        """Distance from a number beyond ``epsilon``; ``start`` is beta, with sum zero."""
        y = np.asarray(y, np.float64)
        upper = _per_object(upper, y)
        beta = np.zeros(len(y)) if start is None else np.asarray(start, float)
        return cls(
            np.concatenate([np.ones(len(y)), -np.ones(len(y))]),
            np.concatenate([y - epsilon, y + epsilon]),
            np.concatenate([upper, upper]),
            np.concatenate([np.maximum(beta, 0.0), np.maximum(-beta, 0.0)]),
        )

    @classmethod
    def one_class(cls, n, nu, weights=None):
        """Smallest half-space off the origin that leaves out a share ``nu`` of the (weighted) objects."""
        upper = np.ones(n) if weights is None else np.asarray(weights, float)
        total = nu * upper.sum()
        filled = np.clip(total - np.concatenate([[0.0], np.cumsum(upper)[:-1]]), 0.0, upper)
        return cls(np.ones(n), np.zeros(n), upper, filled)


@dataclass(frozen=True)
class SVMDualSolution:
    """Where the solver came to.

    Attributes
    ----------
    alpha : ndarray
        The variables.
    beta : ndarray of shape (n,)
        Weights of the objects: the machine is ``sum_i beta_i k(x_i, x) + offset``.
    scores : ndarray of shape (n,)
        ``K beta`` of the objects, without the offset.
    offset : float
        The offset, or the middle of its interval where it is not unique.
    objective : float
        Value of the problem.
    violation : float
        Width by which the two conditions on the offset miss each other; at most ``tol`` on success.
    n_iter : int
        Pairs moved.
    converged : bool
        Whether the tolerance was reached.
    """

    alpha: np.ndarray
    beta: np.ndarray
    scores: np.ndarray
    offset: float
    objective: float
    violation: float
    n_iter: int
    converged: bool


def solve_svm_dual(rows, problem, *, tol=1e-3, max_iter=None, shrinking=True, callback=None):
    """Solve the dual of a support vector machine with an offset.

    Two variables move at a time: the one that violates optimality most, and the partner that gains most by the
    second-order rule. A step costs O(n) and reads two rows of the Gram matrix, so that the matrix as a whole is never
    needed. Bad conditioning (very large costs) costs many steps; there the machines without offset do better.

    Parameters
    ----------
    rows : GramRows
        Rows of the Gram matrix of the objects; those absent are asked for.
    problem : SVMDualProblem
        What to minimise, and from where.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of the score; no less than rounding allows.
    max_iter : int or None, default=None
        Most steps; None allows ``max(10**7, 100 n)``.
    shrinking : bool, default=True
        Whether to leave variables that stay at their bounds out of the search for a while.
    callback : callable or None, default=None
        Called as ``callback(n_iter, violation)`` after every round of at most ``max(1000, n)`` steps; a true return
        value ends the work.

    Returns
    -------
    solution : SVMDualSolution

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernels import GramRows, Linear
    >>> from treatise.optimize import SVMDualProblem, solve_svm_dual
    >>> x = Linear().prepare([[0.0], [1.0], [3.0], [4.0]])
    >>> solution = solve_svm_dual(GramRows(Linear(), x), SVMDualProblem.classification([-1, -1, 1, 1], 10.0))
    >>> solution.beta, round(solution.offset, 6)
    (array([ 0. , -0.5,  0.5,  0. ]), -2.0)
    """
    return _PairSolver(rows, problem, tol, max_iter, shrinking, callback).solve()


class _PairSolver:
    """The state of one solution, and the rounds in which it moves.

    ``alpha`` holds all variables between rounds with all of them in play; the arrays with ``play`` in their name hold
    those that take part, in the order of ``in_play``.
    """

    def __init__(self, rows, problem, tol, max_iter, shrinking, callback):
        n, m = len(rows), len(problem.signs)
        if m not in (n, 2 * n):
            raise ValueError(f"the problem has {m} variables for {n} objects; it must have one or two for each")
        if not np.all(np.abs(problem.signs) == 1.0):
            raise ValueError("signs must be -1 and 1; labels of two classes are given as these")
        if not np.all(problem.upper >= 0):
            raise ValueError("upper bounds must not be negative")
        self.rows, self.problem, self.callback = rows, problem, callback
        # A violation below the rounding of large targets is none, and would be chased for ever.
        self.tol = max(tol, _ROUNDING * np.abs(problem.pull).max(initial=0.0))
        self.max_iter = max(10**7, 100 * n) if max_iter is None else max_iter
        self.alpha = np.clip(np.ascontiguousarray(problem.start, np.float64), 0.0, problem.upper)
        self.shrinking = shrinking
        self.n_iter = 0
        self._bring_all_into_play()

    def solve(self):
        round_steps = max(1000, min(len(self.rows), 5000))
        while True:
            status, violation, lowest, highest = self._round(min(round_steps, self.max_iter - self.n_iter))
            whole = len(self.in_play) == len(self.alpha)
            if status == CONVERGED and whole:
                break
            if self.n_iter >= self.max_iter or (self.callback and self.callback(self.n_iter, violation)):
                if not whole:
                    self._bring_all_into_play()
                    violation = self._ends()[0]
                break
            if status == CONVERGED:
                # What was left out may move again now that the rest has settled: look at all, then go on.
                self._bring_all_into_play()
            elif self.shrinking:
                self._shrink(lowest, highest)
        problem, alpha = self.problem, self.play_alpha
        beta = self._beta(alpha)
        scores = (problem.pull - self.play_pull)[: len(self.rows)]
        return SVMDualSolution(
            alpha=alpha,
            beta=beta,
            scores=scores,
            offset=self._offset(),
            objective=float(0.5 * beta @ scores - (problem.signs * problem.pull) @ alpha),
            violation=float(max(violation, 0.0)),
            n_iter=self.n_iter,
            converged=violation <= self.tol,
        )

    def _round(self, steps):
        """Move pairs until those in play have converged, or for ``steps`` steps, and fetch the rows asked for."""
        rows = self.rows
        while True:
            status, i, j, done, violation, lowest, highest = minimize_pairs(
                rows.store, rows.slot_of, rows.used, rows.clock, self.play_objects, self.play_diagonal,
                self.play_alpha, self.play_upper, self.play_sign, self.play_free, self.play_pull, self.tol, steps,
            )  # fmt: skip
            rows.clock += done
            self.n_iter += done
            steps -= done
            if status != NEEDS_ROWS:
                return status, violation, lowest, highest
            rows.fetch([i, j])

    def _beta(self, alpha):
        return (self.problem.signs * alpha).reshape(-1, len(self.rows)).sum(axis=0)

    def _bring_all_into_play(self):
        problem, m = self.problem, len(self.alpha)
        if hasattr(self, "in_play"):
            self.alpha[self.in_play] = self.play_alpha
        beta = self._beta(self.alpha)
        support = np.flatnonzero(beta)
        scores = self.rows.product(support, beta[support])
        self.in_play = np.arange(m)
        self.play_objects = self.in_play % len(self.rows)
        self.play_diagonal = self.rows.diagonal[self.play_objects]
        self.play_alpha = self.alpha.copy()
        self.play_upper, self.play_sign = problem.upper.copy(), problem.signs.copy()
        self.play_free = freedoms(self.play_alpha, self.play_upper, self.play_sign)
        self.play_pull = problem.pull - scores[self.play_objects]

    def _shrink(self, lowest, highest):
        """Leave out variables at a bound whose pull lies beyond both ends of the offset's interval, on the far side."""
        rises, falls = (self.play_free & RISES) > 0, (self.play_free & FALLS) > 0
        may_move = (rises & falls) | (rises & (self.play_pull >= lowest)) | (falls & (self.play_pull <= highest))
        if np.count_nonzero(may_move) >= 0.9 * len(self.in_play):
            return
        self.alpha[self.in_play] = self.play_alpha
        for name in ("in_play", "play_objects", "play_diagonal", "play_alpha", "play_upper", "play_sign", "play_free",
                     "play_pull"):  # fmt: skip
            setattr(self, name, getattr(self, name)[may_move])

    def _ends(self):
        highest = self.play_pull[(self.play_free & RISES) > 0].max(initial=-np.inf)
        lowest = self.play_pull[(self.play_free & FALLS) > 0].min(initial=np.inf)
        return highest - lowest, lowest, highest

    def _offset(self):
        """Mean over the variables between their bounds, where every one of them names the offset; else of its ends."""
        between = self.play_free == RISES | FALLS
        if between.any():
            return float(np.mean(self.play_pull[between]))
        _, lowest, highest = self._ends()
        ends = [end for end in (lowest, highest) if np.isfinite(end)]
        return float(np.mean(ends)) if ends else 0.0


def _per_object(value, y):
    return np.ascontiguousarray(np.broadcast_to(np.asarray(value, np.float64), y.shape))
