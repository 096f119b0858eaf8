"""Softmax regressions of every column of categories on the others, with a price on whole tables of weights."""

from dataclasses import dataclass

import numpy as np

from treatise._core.threads import over_ranges
from treatise.optimize.group._multinomial_loops import solve_columns


@dataclass(frozen=True)
class GroupMultinomialSolution:
    """What :func:`solve_group_multinomial_columns` found.

    Attributes
    ----------
    intercepts : ndarray of shape (p, most states)
        Scores of the states of each column.
    tables : ndarray of shape (p, total states, most states)
        ``tables[s, starts[t]:starts[t + 1], :n_states[s]]`` scores the states of column s for each state of column t.
    starts : ndarray of int of shape (p + 1,)
        Where the states of each column begin.
    norms : ndarray of shape (p, p)
        Root of the sum of squares of each table; row s explains column s.
    losses : ndarray of shape (p,)
        Mean of ``-log p(column | the others)``.
    violation : float
        Largest failure of the conditions for the optimum.
    n_iter : int
        Rounds of the working set, at most.
    converged : bool
        Whether the violation is within ``tol``.
    """

    intercepts: np.ndarray
    tables: np.ndarray
    starts: np.ndarray
    norms: np.ndarray
    losses: np.ndarray
    violation: float
    n_iter: int
    converged: bool


def solve_group_multinomial_columns(codes, n_states, penalty, *, start=None, tol=1e-5, max_rounds=200):
    """For every column s minimise ``mean(-log p(x_s | rest)) + penalty * sum_t ||table_st||``.

    The scores of the states of s are an intercept plus, for every other column, the row of a table that belongs to its
    state; the norm of a table takes it in or out as a whole. Tables are stepped one by one on a working set, the
    columns shared out over threads. A pass over the working set costs n times its size times the states.

    Parameters
    ----------
    codes : ndarray of int of shape (n, p)
        States of the columns, from 0.
    n_states : ndarray of int of shape (p,)
        Number of states of each column; each must occur.
    penalty : float
        Price of a table's norm.
    start : GroupMultinomialSolution or None, default=None
        Where to begin, such as the solution of a larger penalty.
    tol : float, default=1e-5
        Largest violation of the conditions for the optimum.
    max_rounds : int, default=200
        Rounds of the working set at most.

    Returns
    -------
    solution : GroupMultinomialSolution
    """
    columns = np.ascontiguousarray(np.asarray(codes).T, dtype=np.int64)
    n_states = np.asarray(n_states, dtype=np.int64)
    p, n = columns.shape
    starts = np.concatenate([[0], np.cumsum(n_states)])
    most = int(n_states.max(initial=1))
    if start is None:
        tables, intercepts = np.zeros((p, starts[-1], most)), np.zeros((p, most))
    else:
        tables, intercepts = start.tables.copy(), start.intercepts.copy()
    worst, rounds, these = np.zeros(p), np.zeros(p, dtype=np.int64), np.arange(p)

    def part(first, last):
        span = slice(first, last)
        solve_columns(
            columns, n_states, these[span], float(penalty), intercepts[span], tables[span], starts, tol, max_rounds,
            worst[span], rounds[span],
        )  # fmt: skip

    over_ranges(part, p, cost=200.0 * n * p * most)
    norms = np.sqrt(np.add.reduceat((tables**2).sum(axis=2), starts[:-1], axis=1))
    losses = np.array([_loss(columns, n_states, s, intercepts[s], tables[s], starts, norms[s]) for s in range(p)])
    violation = float(worst.max(initial=0.0))
    return GroupMultinomialSolution(
        intercepts, tables, starts, norms, losses, violation, int(rounds.max(initial=0)), violation <= tol
    )


def _loss(columns, n_states, s, intercept, tables, starts, norms):
    """Mean of -log p(column s | the others)."""
    k = n_states[s]
    margins = np.tile(intercept[:k], (columns.shape[1], 1))
    for t in np.flatnonzero(norms):
        margins += tables[starts[t] + columns[t], :k]
    top = margins.max(axis=1)
    log_norm = top + np.log(np.exp(margins - top[:, None]).sum(axis=1))
    return float((log_norm - margins[np.arange(len(margins)), columns[s]]).mean())
