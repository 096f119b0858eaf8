"""Matrices of rights and wrongs on which AdaBoost's dynamics are known, and those of fitted rules."""

import numpy as np
from scipy.optimize import brentq

_MATRICES = {
    "4x5": """-+++-
              +-++-
              ++-++
              +++-+""",
    "8x8": """-++++--+
              -++--+++
              +-+++-++
              +-++-+++
              +-+-+++-
              ++-++++-
              ++-+++-+
              ++++--+-""",
}


def rudin_matrix(name):
    """A matrix on which AdaBoost, or AdaBoost with a careless weak learner, misses the largest margin.

    Parameters
    ----------
    name : {"4x5", "8x8"}
        "4x5": with the best columns the margin tends to 1/2, the largest; with columns that are merely good enough it
        may tend to 1/3. "8x8": with the best columns it tends to 1/3, while 3/8 is possible.

    Returns
    -------
    M : ndarray of int of shape (n_examples, n_columns)

    Examples
    --------
    >>> from treatise.ensemble import rudin_matrix
    >>> (rudin_matrix("8x8") @ [2, 3, 4, 1, 2, 2, 1, 1] / 16).tolist()
    [0.375, 0.375, 0.375, 0.375, 0.375, 0.375, 0.375, 0.375]

    References
    ----------
    .. [1] Paper v05-1557, Theorems 6 and 7.
    """
    if name not in _MATRICES:
        raise ValueError(f"name={name!r} is unknown; it may be {', '.join(_MATRICES)}")
    return np.array([[1 if sign == "+" else -1 for sign in row] for row in _MATRICES[name].split()])


def one_mistake_matrix(m):
    """m rules, each wrong about one of m examples: -1 on the diagonal, 1 elsewhere.

    Parameters
    ----------
    m : int
        From 3 on.

    Returns
    -------
    M : ndarray of int of shape (m, m)

    Examples
    --------
    >>> from treatise.ensemble import one_mistake_matrix
    >>> one_mistake_matrix(3)
    array([[-1,  1,  1],
           [ 1, -1,  1],
           [ 1,  1, -1]])

    References
    ----------
    .. [1] Paper v05-1557, Sections 4 and 5.
    """
    if m < 3:
        raise ValueError(f"m={m}; AdaBoost cycles with 3 rules or more")
    return 1 - 2 * np.eye(m, dtype=np.int64)


def one_mistake_cycle(m):
    """Weights, in rising order, that AdaBoost's cycles on :func:`one_mistake_matrix` take turns in.

    Parameters
    ----------
    m : int
        From 3 on.

    Returns
    -------
    weights : ndarray of shape (m,)

    Examples
    --------
    >>> from treatise.ensemble import one_mistake_cycle
    >>> one_mistake_cycle(3).round(6)
    array([0.190983, 0.309017, 0.5     ])

    References
    ----------
    .. [1] Paper v05-1557, Theorem 2 and Appendix A.
    """
    if m < 3:
        raise ValueError(f"m={m}; AdaBoost cycles with 3 rules or more")
    least = brentq(lambda b: b * 2.0**m * (1.0 - b) ** (m - 1) - 1.0, 0.0, 1.0 / m, xtol=1e-16)
    return 0.5 * (2.0 * (1.0 - least)) ** np.arange(1.0 - m, 1.0)


def margin_matrix(rules, X, y):
    """Where fitted rules are right about examples, as 1 and -1, for :func:`adaboost_map`.

    Parameters
    ----------
    rules : sequence of fitted classifiers
        One column each.
    X : array-like of shape (n_examples, n_features)
        Examples.
    y : array-like of shape (n_examples,)
        Their classes.

    Returns
    -------
    M : ndarray of int of shape (n_examples, n_rules)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treatise.ensemble import margin_matrix
    >>> X, y = load_iris(return_X_y=True)
    >>> stumps = [DecisionTreeClassifier(max_depth=1).fit(X[:, [j]], y > 0) for j in range(4)]
    >>> margin_matrix([stumps[3]], X[:, [3]], y > 0).min()
    np.int64(1)
    """
    y = np.asarray(y)
    columns = [np.where(np.asarray(rule.predict(X)) == y, 1, -1) for rule in rules]
    if not columns:
        raise ValueError("no rules were given; a matrix needs one column at least")
    return np.column_stack(columns)
