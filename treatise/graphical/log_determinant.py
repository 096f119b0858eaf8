"""The log-determinant upper bound on log Z (section 6.4.1 of the thesis)."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse


@dataclass(frozen=True)
class LogDetBound:
    """An upper bound on ``log Z`` by the entropy of a Gaussian.

    Attributes
    ----------
    log_partition : float
        The bound.
    nodes : ndarray of shape (n,)
        The maximiser's probability that each variable is in state 1: a heuristic, without guarantee.
    pairs : ndarray of shape (n, n)
        The maximiser's probability that two variables both are; its diagonal is ``nodes``.
    """

    log_partition: float
    nodes: np.ndarray
    pairs: np.ndarray


def log_det_bound(graph):
    """The semidefinite upper bound on ``log Z`` of a model of binary variables in pairs.

    The entropy of the variables is at most that of a Gaussian with their moments widened by 1/12, and the moments lie
    among those whose matrix is positive semidefinite. Unlike :func:`tree_reweighted` it does not depend on trees and
    its heuristic marginals are good on dense graphs; the bound itself is usually much looser. One semidefinite program
    over n^2 numbers: up to about 40 variables.

    Parameters
    ----------
    graph : FactorGraph
        The model; binary variables, finite factors of at most two variables.

    Returns
    -------
    bound : LogDetBound

    Examples
    --------
    >>> from treatise.inference import FactorGraph
    >>> from treatise.graphical import log_det_bound
    >>> triangle = FactorGraph.ising([0.1, 0.2, 0.0], [[0, 1], [1, 2], [2, 0]], [0.3, 0.3, -0.3], values=(0, 1))
    >>> round(log_det_bound(triangle).log_partition, 3), round(triangle.brute_force().log_partition, 3)
    (2.891, 2.345)

    References
    ----------
    .. [1] Thesis thesis-ravikumar, equations 6.33 and 6.34; M. Wainwright and M. Jordan (2006), Log-determinant
       relaxation for approximate inference in discrete Markov random fields. IEEE Transactions on Signal Processing 54.
    """
    import clarabel

    constant, fields, edges, couplings = graph.ising_parameters(values=(0, 1))
    n = len(graph)
    size = n + 1
    # Unknowns: the entries of the moment matrix M above its diagonal and in its first row (its diagonal repeats the
    # row), a lower triangle L and one t for each of its diagonal entries.
    moment = {(0, s): s - 1 for s in range(1, size)}
    for s in range(1, size):
        for t in range(s + 1, size):
            moment[s, t] = len(moment)
    triangle, first_log = {}, len(moment)
    for i in range(size):
        for j in range(i + 1):
            triangle[i, j] = first_log + len(triangle)
    logs = first_log + len(triangle)
    n_unknowns = logs + size
    # max <theta, mu> + 1/2 sum t, as a minimum.
    cost = np.zeros(n_unknowns)
    cost[:n] = -fields
    for (s, t), coupling in zip(edges + 1, couplings):
        cost[moment[min(s, t), max(s, t)]] -= coupling
    cost[logs:] = -0.5

    rows = _Rows(n_unknowns)

    def moment_entry(i, j, widened):
        """Coefficient list and constant of M's entry (i, j), i <= j."""
        if i == j == 0:
            return [], 1.0
        if i == j:
            return [(moment[0, i], 1.0)], 1 / 12 if widened else 0.0
        return [(moment[i, j], 1.0)], 0.0

    # M >= 0.
    rows.semidefinite(size, lambda i, j: moment_entry(i, j, False))

    # [[M + I/12, L], [L', diag L]] >= 0 makes sum log L_ii at most log det (M + I/12).
    def bordered(i, j):
        if j < size:
            return moment_entry(i, j, True)
        if i < size:
            return ([(triangle[i, j - size], 1.0)], 0.0) if i >= j - size else ([], 0.0)
        return ([(triangle[i - size, i - size], 1.0)], 0.0) if i == j else ([], 0.0)

    rows.semidefinite(2 * size, bordered)
    for i in range(size):
        # (t, 1, L_ii) in the exponential cone: exp(t) <= L_ii.
        rows.add([(logs + i, 1.0)], 0.0)
        rows.add([], 1.0)
        rows.add([(triangle[i, i], 1.0)], 0.0)
    cones = [clarabel.PSDTriangleConeT(size), clarabel.PSDTriangleConeT(2 * size)]
    cones += [clarabel.ExponentialConeT() for _ in range(size)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    matrix, right = rows.finish()
    empty = sparse.csc_matrix((n_unknowns, n_unknowns))
    solution = clarabel.DefaultSolver(empty, cost, matrix, right, cones, settings).solve()
    if str(solution.status) not in ("Solved", "AlmostSolved"):
        raise ValueError(f"the semidefinite program was not solved ({solution.status}); scores may be too large")
    # The dual value bounds the program from above; the larger of both is safe to the solver's accuracy.
    value = max(-solution.obj_val, -solution.obj_val_dual)
    x = np.asarray(solution.x)
    pairs = np.diag(x[:n])
    for (i, j), place in moment.items():
        if i > 0:
            pairs[i - 1, j - 1] = pairs[j - 1, i - 1] = x[place]
    return LogDetBound(float(constant + value + n / 2 * np.log(2 * np.pi * np.e)), x[:n].copy(), pairs)


class _Rows:
    """Rows of ``A x + s = b``, built so that s is the wanted affine expression."""

    def __init__(self, n_unknowns):
        self.n_unknowns, self.entries, self.right = n_unknowns, [], []

    def add(self, coefficients, constant):
        for place, value in coefficients:
            self.entries.append((len(self.right), place, -value))
        self.right.append(constant)

    def semidefinite(self, size, entry):
        """The upper triangle, column by column, off-diagonal entries times the root of two."""
        for j in range(size):
            for i in range(j + 1):
                coefficients, constant = entry(i, j)
                factor = 1.0 if i == j else np.sqrt(2)
                self.add([(place, factor * value) for place, value in coefficients], factor * constant)

    def finish(self):
        row, column, value = zip(*self.entries)
        matrix = sparse.csc_matrix((value, (row, column)), shape=(len(self.right), self.n_unknowns))
        return matrix, np.array(self.right)
