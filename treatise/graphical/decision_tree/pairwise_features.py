"""Pairwise conjunctions from sparse logistic regressions: the partner of the trees in DT+L1."""

import numpy as np

from treatise.optimize import solve_l1_logistic_columns

COSTS = (0.001, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0)
"""The paper's costs C of a row's loss against an L1 penalty of weight one."""
_TOLERANCE = 1e-4
"""Enough to tell which coefficients are zero; the weights are fitted afterwards."""


def pairwise_candidates(X, costs=COSTS):
    """Feature sets of Ravikumar's method for several costs, joined where both or either column needs the other.

    Each set has a feature ``x_i = 1`` for every column and ``x_i = 1 and x_j = 1`` for every edge.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Zeros and ones.
    costs : sequence of float
        Costs of a row's loss.

    Yields
    ------
    name : str
        Cost and rule.
    features : list of tuple of (column, value)
        Sets that came before under another name are left out.
    """
    table = np.asarray(X, dtype=np.float64)
    n, p = table.shape
    share = table.mean(axis=0)
    varying = np.flatnonzero((share > 0) & (share < 1))
    part, start, seen = np.ascontiguousarray(table[:, varying]), None, set()
    for cost in sorted(costs):
        needs = np.zeros((p, p), dtype=bool)
        if len(varying) > 1:
            found = solve_l1_logistic_columns(part, 1.0 / (n * cost), start=start, tol=_TOLERANCE)
            start = (found.coef, found.intercept)
            needs[np.ix_(varying, varying)] = found.coef != 0
        for rule, joined in (("and", needs & needs.T), ("or", needs | needs.T)):
            if joined.tobytes() not in seen:
                seen.add(joined.tobytes())
                edges = np.argwhere(np.triu(joined, 1)).tolist()
                yield f"C={cost:g}, {rule}", [((i, 1),) for i in range(p)] + [((i, 1), (j, 1)) for i, j in edges]
