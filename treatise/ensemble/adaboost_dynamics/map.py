"""AdaBoost as a dynamical system: its weights step by step, for the best or any other choice of rules."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_array

from treatise.ensemble.adaboost_dynamics._loops import (
    FIXED_POINT,
    INFINITE_STEP,
    RAN,
    edges_of,
    follow_map,
    reweighted,
)
from treatise.ensemble.margins import MaximumMargin, game_value

_TIE = 1e-12


@dataclass(frozen=True)
class AdaBoostTrajectory:
    """What AdaBoost did.

    Attributes
    ----------
    chosen : ndarray of int of shape (n_steps,)
        Column chosen in each step.
    edges : ndarray of shape (n_steps,)
        Its edge: the weight of the examples that it has right less that of those it has wrong.
    weights : ndarray of shape (n_examples,)
        Weights of the examples after the last step.
    path : ndarray of shape (n_steps + 1, n_examples) or (0, n_examples)
        Weights before the first step and after each, where they were kept.
    status : {"ran", "fixed point"}
        "fixed point": no column was better than chance any more, as happens where rules cannot separate the examples.
    n_columns : int
        Columns of the matrix.
    """

    chosen: np.ndarray
    edges: np.ndarray
    weights: np.ndarray
    path: np.ndarray
    status: str
    n_columns: int

    @property
    def increments(self):
        """What each step added to the coefficient of its column, ``log((1 + r) / (1 - r)) / 2``."""
        return np.arctanh(self.edges)

    @property
    def coef(self):
        """Coefficients of the columns, not normalised."""
        return np.bincount(self.chosen, self.increments, minlength=self.n_columns)


def adaboost_map(M, n_steps=1000, *, weights=None, choose=None, order=None, keep_path=False):
    """Follow AdaBoost's weights: ``d / (1 + M_j r)`` for the chosen column j and its edge r.

    Use it to see what AdaBoost does with a fixed set of rules, where it cycles and to which margin. It is no learner:
    it knows the training examples alone. A step costs the size of M; a million steps of 8 x 8 take a tenth of a second.

    Parameters
    ----------
    M : array-like of shape (n_examples, n_columns)
        1 where a rule is right about an example and -1 where it is wrong; no column may be right everywhere.
    n_steps : int, default=1000
        Steps.
    weights : array-like of shape (n_examples,) or None, default=None
        To begin with, not negative; None is equal weights, AdaBoost's start.
    choose : callable or None, default=None
        ``choose(edges, step)`` gives the column to take, for AdaBoost with a weak learner that is not the best one;
        None takes the largest edge.
    order : array-like of int of shape (n_columns,) or None, default=None
        Columns in the order of preference where edges tie (to 1e-12); None is from the first to the last. Ties are
        part of the dynamics: another order may lead to another cycle.
    keep_path : bool, default=False
        Keep the weights of every step.

    Returns
    -------
    trajectory : AdaBoostTrajectory

    Examples
    --------
    >>> from treatise.ensemble import adaboost_map, rudin_matrix
    >>> trajectory = adaboost_map(rudin_matrix("8x8"), 9)
    >>> trajectory.chosen
    array([0, 2, 1, 0, 2, 1, 0, 2, 1])

    References
    ----------
    .. [1] Paper v05-1557, Figures 1 and 2.
    """
    M = checked_matrix(M)
    d = _start(weights, len(M))
    order = np.arange(M.shape[1]) if order is None else np.asarray(order, dtype=np.int64)
    if not np.array_equal(np.sort(order), np.arange(M.shape[1])):
        raise ValueError(f"order must name each of the {M.shape[1]} columns once")
    if n_steps < 1:
        raise ValueError(f"n_steps={n_steps} leaves nothing to do; give 1 or more")
    chosen, edges = np.zeros(n_steps, dtype=np.int64), np.zeros(n_steps)
    path = np.empty((n_steps + 1 if keep_path else 0, len(M)))
    if choose is None:
        done, status = follow_map(M, d, order, _TIE, chosen, edges, path)
    else:
        done, status = _follow_choice(M, d, choose, chosen, edges, path)
    if status == INFINITE_STEP:
        raise ValueError(
            f"after {done} steps a column is right about all examples that have weight, so its coefficient would be "
            "infinite; give weight to the others, or leave the column out"
        )
    if len(path):
        path[done] = d
        path = path[: done + 1]
    words = {RAN: "ran", FIXED_POINT: "fixed point"}
    return AdaBoostTrajectory(chosen[:done], edges[:done], d, path, words[status], M.shape[1])


def _follow_choice(M, d, choose, chosen, edges_taken, path):
    """As the compiled map, with a choice from outside."""
    edges = np.empty(M.shape[1])
    for t in range(len(chosen)):
        if len(path):
            path[t] = d
        edges_of(M, d, edges)
        j = int(choose(edges.copy(), t))
        if not 0 <= j < M.shape[1]:
            raise ValueError(f"choose gave column {j} in step {t}; there are {M.shape[1]}, numbered from 0")
        if edges[j] >= 1.0 - 1e-15:
            return t, INFINITE_STEP
        if edges[j] <= _TIE:
            if edges.max() <= _TIE:
                return t, FIXED_POINT
            raise ValueError(
                f"choose gave column {j} in step {t}, whose edge is {edges[j]:.3g}; AdaBoost needs a rule that is "
                "better than chance"
            )
        chosen[t], edges_taken[t] = j, edges[j]
        reweighted(M, d, j, edges[j])
    return len(chosen), RAN


def adaboost_margins(M, trajectory, steps=None):
    """Least margin of an example after some steps, ``min_i (M coef)_i / sum(coef)``.

    Parameters
    ----------
    M : array-like of shape (n_examples, n_columns)
        The matrix of the trajectory.
    trajectory : AdaBoostTrajectory
        What :func:`adaboost_map` gave.
    steps : array-like of int or None, default=None
        After how many steps, from 1 on; None is after every one.

    Returns
    -------
    margins : ndarray of shape (n_steps,)

    Examples
    --------
    >>> from treatise.ensemble import adaboost_map, adaboost_margins, rudin_matrix
    >>> M = rudin_matrix("8x8")
    >>> adaboost_margins(M, adaboost_map(M, 20_000), [20_000]).round(5)
    array([0.33329])

    References
    ----------
    .. [1] Paper v05-1557, Section 2.
    """
    M = checked_matrix(M)
    taken = len(trajectory.chosen)
    steps = np.arange(1, taken + 1) if steps is None else np.asarray(steps, dtype=np.int64)
    if len(steps) and not 1 <= steps.min() <= steps.max() <= taken:
        raise ValueError(f"steps must lie between 1 and {taken}, the length of the trajectory")
    increments, margins = trajectory.increments, np.empty(len(steps))
    total, coef, before = np.zeros(len(M)), 0.0, 0
    for place in np.argsort(steps, kind="stable"):
        part = slice(before, steps[place])
        added = np.bincount(trajectory.chosen[part], increments[part], minlength=M.shape[1])
        total += M @ added
        coef += added.sum()
        before = steps[place]
        margins[place] = total.min() / coef
    return margins


def max_margin(M):
    """The largest margin that a mixture of the columns has, by a linear program.

    Parameters
    ----------
    M : array-like of shape (n_examples, n_columns)
        1 where a rule is right about an example and -1 where it is wrong.

    Returns
    -------
    found : MaximumMargin
        ``margin`` is the paper's rho; ``coef`` are the weights of the columns and ``weights`` those of the examples
        under which no column has a larger edge.

    Examples
    --------
    >>> from treatise.ensemble import max_margin, rudin_matrix
    >>> round(max_margin(rudin_matrix("8x8")).margin, 9)
    0.375

    References
    ----------
    .. [1] Paper v05-1557, Section 2.
    """
    found: MaximumMargin = game_value(checked_matrix(M, separating=True).astype(np.float64))
    return found


def checked_matrix(M, *, separating=False):
    """A matrix of 1 and -1; without a column of ones, whose coefficient AdaBoost would make infinite."""
    M = check_array(M, dtype=np.float64, input_name="M")
    if not np.all(np.abs(M) == 1.0):
        raise ValueError("M must hold 1 where a rule is right and -1 where it is wrong, and nothing else")
    always = np.flatnonzero((M > 0).all(axis=0))
    if len(always) and not separating:
        raise ValueError(
            f"column {always[0]} is right about every example, so its coefficient would be infinite and nothing is "
            "left to follow; leave it out"
        )
    return np.ascontiguousarray(M, dtype=np.int8)


def _start(weights, n):
    if weights is None:
        return np.full(n, 1.0 / n)
    d = np.array(weights, dtype=np.float64)
    if d.shape != (n,):
        raise ValueError(f"weights has the shape {d.shape}; M has {n} examples")
    if not (np.isfinite(d).all() and (d >= 0).all() and d.sum() > 0):
        raise ValueError("weights must be finite and not negative, and one of them positive")
    return d / d.sum()
