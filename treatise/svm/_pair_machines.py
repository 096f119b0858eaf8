"""One machine for each pair of classes, on weighted rows."""

from itertools import combinations

import numpy as np

from treatise._core.classifier import signs_of
from treatise.optimize import SVMDualProblem, solve_svm_dual


def pair_machines(rows_of, codes, n_classes, costs, tol):
    """Train on the rows of one pair of classes after the other, with the second class of a pair as the positive one.

    Parameters
    ----------
    rows_of : callable
        Gives the ``GramRows`` of some of the rows.
    codes : ndarray of shape (n,)
        Classes 0, 1, ... of the rows.
    n_classes : int
        Number of classes.
    costs : ndarray of shape (n,)
        Costs of the rows.
    tol : float
        Of the solver.

    Yields
    ------
    pair : tuple of int
        The two classes.
    part : ndarray
        Their rows.
    solution : SVMDualSolution
        The machine of those.
    """
    for first, second in combinations(range(n_classes), 2):
        part = np.flatnonzero((codes == first) | (codes == second))
        (signs,) = signs_of(codes[part] == second, 2)
        problem = SVMDualProblem.classification(signs, costs[part])
        yield (first, second), part, solve_svm_dual(rows_of(part), problem, tol=tol)
