"""Pairwise conjunctions from sparse logistic regressions: the partner of the trees in DT+L1."""

import numpy as np

from treatise.optimize import solve_group_multinomial_columns, solve_l1_logistic_columns

COSTS = (0.001, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0)
"""The paper's costs C of a row's loss against an L1 penalty of weight one."""
_TOLERANCE = 1e-4
"""Enough to tell which coefficients are zero; the weights are fitted afterwards."""


def pairwise_candidates(X, n_values, costs=COSTS):
    """Feature sets of Ravikumar's method for several costs, joined where both or either column needs the other.

    Each set has a feature ``x_i = u`` for every column and value but 0, and ``x_i = u and x_j = v`` for every edge and
    pair of such values.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Codes of values.
    n_values : ndarray of int of shape (n_features,)
        Number of values of each column.
    costs : sequence of float
        Costs of a row's loss.

    Yields
    ------
    name : str
        Cost and rule.
    features : list of tuple of (column, value)
        Sets that came before under another name are left out.
    """
    needs_at = _binary_needs(X) if np.all(n_values == 2) else _group_needs(X)
    singles = [((i, v),) for i, k in enumerate(n_values) for v in range(1, k)]
    seen = set()
    for cost in sorted(costs):
        needs = needs_at(cost)
        for rule, joined in (("and", needs & needs.T), ("or", needs | needs.T)):
            if joined.tobytes() not in seen:
                seen.add(joined.tobytes())
                edges = np.argwhere(np.triu(joined, 1)).tolist()
                yield (
                    f"C={cost:g}, {rule}",
                    singles
                    + [
                        ((i, u), (j, v)) for i, j in edges for u in range(1, n_values[i]) for v in range(1, n_values[j])
                    ],
                )


def _binary_needs(X):
    """Which columns need which by an L1 penalty, as a function of the cost; each starts where the one before ended."""
    table = np.asarray(X, dtype=np.float64)
    n, p = table.shape
    share = table.mean(axis=0)
    varying = np.flatnonzero((share > 0) & (share < 1))
    part, start = np.ascontiguousarray(table[:, varying]), None

    def needs_at(cost):
        nonlocal start
        needs = np.zeros((p, p), dtype=bool)
        if len(varying) > 1:
            found = solve_l1_logistic_columns(part, 1.0 / (n * cost), start=start, tol=_TOLERANCE)
            start = (found.coef, found.intercept)
            needs[np.ix_(varying, varying)] = found.coef != 0
        return needs

    return needs_at


def _group_needs(X):
    """The same for more values: a table of weights for each pair of columns is in or out as a whole."""
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in X.T])
    n_states, start = codes.max(axis=0) + 1, None

    def needs_at(cost):
        nonlocal start
        start = solve_group_multinomial_columns(codes, n_states, 1.0 / (len(codes) * cost), start=start, tol=_TOLERANCE)
        return start.norms > 0

    return needs_at
