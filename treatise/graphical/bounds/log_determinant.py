"""The log-determinant upper bound on log Z, of a model or of an event in it (section 6.4.1 of the thesis)."""

from dataclasses import dataclass

import clarabel
import numpy as np
from scipy import sparse

from treatise.graphical.bounds.events import LabelingEvent, SumAtLeast, as_event, event_mask, joint_labelings
from treatise.inference import FactorGraph


@dataclass(frozen=True)
class LogDetBound:
    """An upper bound on ``log Z``, or on an event's part of it, by the entropy of a Gaussian.

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


def log_det_bound(graph, *, event=None):
    """The semidefinite upper bound on ``log Z`` of a model of binary variables in pairs, or of an event's part of it.

    The entropy of the variables is at most that of a Gaussian with their moments widened by 1/12, and the moments lie
    among those whose matrix is positive semidefinite; those of an event lie among the averages of its outcomes. Unlike
    :func:`tree_reweighted` it does not depend on trees and its heuristic marginals are good on dense graphs; the bound
    itself is usually much looser. One semidefinite program over n^2 numbers: up to about 40 variables.

    Parameters
    ----------
    graph : FactorGraph
        The model; binary variables, finite factors of at most two variables.
    event : dict of int to int, SumAtLeast, LabelingEvent, callable or None, default=None
        Sum over the assignments of this event only: states of some variables, which are then left out of the program; a
        threshold on the sum of all; or any function of labelings (see :class:`LabelingEvent`), with a number in the
        program for each of its assignments, which only shows what the relaxation costs: so few could be summed.

    Returns
    -------
    bound : LogDetBound

    Examples
    --------
    >>> from treatise.inference import FactorGraph
    >>> from treatise.graphical import SumAtLeast, log_det_bound
    >>> triangle = FactorGraph.ising([0.1, 0.2, 0.0], [[0, 1], [1, 2], [2, 0]], [0.3, 0.3, -0.3], values=(0, 1))
    >>> round(log_det_bound(triangle).log_partition, 3), round(triangle.brute_force().log_partition, 3)
    (2.891, 2.345)
    >>> round(log_det_bound(triangle, event=SumAtLeast(2)).log_partition, 3)
    2.609

    References
    ----------
    .. [1] Thesis thesis-ravikumar, equations 6.33 and 6.34, Proposition 4; M. Wainwright and M. Jordan (2006),
       Log-determinant relaxation for approximate inference in discrete Markov random fields. IEEE Transactions on
       Signal Processing 54.
    """
    constant, fields, edges, couplings = graph.ising_parameters(values=(0, 1))
    event = None if event is None else as_event(event)
    if isinstance(event, dict) and event:
        return _with_fixed(graph, event)
    n = len(graph)
    if n == 0:
        return LogDetBound(float(constant), np.zeros(0), np.zeros((0, 0)))
    if isinstance(event, SumAtLeast):
        least = int(np.ceil(event.threshold))
        if least > n:
            raise ValueError(f"the event is impossible: {n} binary variables do not sum to {event.threshold}")
        if least == n:
            ones = np.ones(n)
            return LogDetBound(float(graph.scores(ones.astype(int))), ones, np.ones((n, n)))
        if least <= 0:
            event = None
    program = _Program(n)
    if isinstance(event, LabelingEvent):
        program.add_hull(joint_labelings(graph.n_states)[event_mask(graph, event)])
    else:
        program.add_semidefinite_moments()
        if isinstance(event, SumAtLeast):
            program.add_sum_at_least(least)
    program.add_log_determinant()
    value, moments = program.solve(fields, edges, couplings)
    pairs = np.diag(moments[:n])
    for (i, j), place in program.moment.items():
        if i > 0:
            pairs[i - 1, j - 1] = pairs[j - 1, i - 1] = moments[place]
    return LogDetBound(float(constant + value + n / 2 * np.log(2 * np.pi * np.e)), moments[:n].copy(), pairs)


def _with_fixed(graph, evidence):
    """The bound of the variables that are left when some are fixed: sharper than with a Gaussian entropy for them."""
    fixed = graph.condition(evidence)
    free = [v for v in range(len(graph)) if v not in evidence]
    number = {v: i for i, v in enumerate(free)}
    kept = [f for f in fixed.factors if all(v in number for v in f.variables)]
    rest = FactorGraph([2] * len(free), [([number[v] for v in f.variables], f.table) for f in kept])
    found = log_det_bound(rest)
    nodes = np.zeros(len(graph))
    nodes[free] = found.nodes
    for v, state in evidence.items():
        nodes[v] = state
    pairs = np.outer(nodes, nodes)
    pairs[np.ix_(free, free)] = found.pairs
    return LogDetBound(found.log_partition, nodes, pairs)


class _Program:
    """``max <theta, mu> + 1/2 log det (M + I/12)`` over a set of moments, for the solver of cones.

    Unknowns: the entries of the moment matrix M above its diagonal and in its first row (its diagonal repeats the
    row), a lower triangle L, one t for each of L's diagonal entries, and what a set of moments adds.
    """

    def __init__(self, n):
        self.n, self.size = n, n + 1
        self.moment = {(0, s): s - 1 for s in range(1, self.size)}
        for s in range(1, self.size):
            for t in range(s + 1, self.size):
                self.moment[s, t] = len(self.moment)
        self.triangle: dict[tuple[int, int], int] = {}
        for i in range(self.size):
            for j in range(i + 1):
                self.triangle[i, j] = len(self.moment) + len(self.triangle)
        self.logs = len(self.moment) + len(self.triangle)
        self.n_unknowns = self.logs + self.size
        self.cones: list = []
        self.entries: list[tuple[int, int, float]] = []
        self.right: list[float] = []

    def _entry(self, i, j, widened):
        """Coefficients and constant of M's entry (i, j), i <= j."""
        if i == j == 0:
            return [], 1.0
        if i == j:
            return [(self.moment[0, i], 1.0)], 1 / 12 if widened else 0.0
        return [(self.moment[i, j], 1.0)], 0.0

    def _add(self, coefficients, constant):
        """A row of ``A x + s = b`` whose s is the given affine expression."""
        for place, value in coefficients:
            self.entries.append((len(self.right), place, -value))
        self.right.append(constant)

    def _add_semidefinite(self, size, entry):
        """The upper triangle, column by column, off-diagonal entries times the root of two."""
        for j in range(size):
            for i in range(j + 1):
                coefficients, constant = entry(i, j)
                factor = 1.0 if i == j else np.sqrt(2)
                self._add([(place, factor * value) for place, value in coefficients], factor * constant)
        self.cones.append(clarabel.PSDTriangleConeT(size))

    def add_semidefinite_moments(self):
        """M >= 0."""
        self._add_semidefinite(self.size, lambda i, j: self._entry(i, j, False))

    def add_sum_at_least(self, least):
        """Products of ``sum x - least`` with ``x_s`` and with ``1 - x_s``, none of which is negative in the event."""
        for s in range(1, self.size):
            row = [(self.moment[min(s, t), max(s, t)], 1.0) for t in range(1, self.size) if t != s]
            total = [(self.moment[0, t], 1.0) for t in range(1, self.size)]
            own = self.moment[0, s]
            self._add([*row, (own, 1.0 - least)], 0.0)
            self._add([*total, *((place, -value) for place, value in row), (own, least - 1.0)], -float(least))
        self.cones.append(clarabel.NonnegativeConeT(2 * self.n))

    def add_hull(self, outcomes):
        """Moments that are averages of those of outcomes; the conjugate of the support function allows no others."""
        if len(outcomes) == 0:
            raise ValueError("the event is impossible: it holds for no labeling")
        first = self.n_unknowns
        self.n_unknowns += len(outcomes)
        weights = range(first, self.n_unknowns)
        for (i, j), place in self.moment.items():
            products = outcomes[:, j - 1] * (outcomes[:, i - 1] if i else 1)
            self._add([(place, 1.0), *((weights[x], -1.0) for x in np.flatnonzero(products))], 0.0)
        self._add([(w, 1.0) for w in weights], -1.0)
        self.cones.append(clarabel.ZeroConeT(len(self.moment) + 1))
        for w in weights:
            self._add([(w, 1.0)], 0.0)
        self.cones.append(clarabel.NonnegativeConeT(len(outcomes)))

    def add_log_determinant(self):
        """``[[M + I/12, L], [L', diag L]] >= 0`` makes the sum of ``log L_ii`` at most ``log det (M + I/12)``."""
        size = self.size

        def bordered(i, j):
            if j < size:
                return self._entry(i, j, True)
            if i < size:
                return ([(self.triangle[i, j - size], 1.0)], 0.0) if i >= j - size else ([], 0.0)
            return ([(self.triangle[i - size, i - size], 1.0)], 0.0) if i == j else ([], 0.0)

        self._add_semidefinite(2 * size, bordered)
        for i in range(size):
            # (t, 1, L_ii) in the exponential cone: exp(t) <= L_ii.
            self._add([(self.logs + i, 1.0)], 0.0)
            self._add([], 1.0)
            self._add([(self.triangle[i, i], 1.0)], 0.0)
            self.cones.append(clarabel.ExponentialConeT())

    def solve(self, fields, edges, couplings):
        """The maximum, from above, and the moments that attain it."""
        cost = np.zeros(self.n_unknowns)
        cost[: self.n] = -fields
        for (s, t), coupling in zip(edges + 1, couplings):
            cost[self.moment[min(s, t), max(s, t)]] -= coupling
        cost[self.logs : self.logs + self.size] = -0.5
        row, column, value = zip(*self.entries)
        matrix = sparse.csc_matrix((value, (row, column)), shape=(len(self.right), self.n_unknowns))
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        empty = sparse.csc_matrix((self.n_unknowns, self.n_unknowns))
        solution = clarabel.DefaultSolver(empty, cost, matrix, np.array(self.right), self.cones, settings).solve()
        if str(solution.status) not in ("Solved", "AlmostSolved"):
            raise ValueError(f"the semidefinite program was not solved ({solution.status}); scores may be too large")
        # The dual value bounds the program from above; the larger of both is safe to the solver's accuracy.
        return max(-solution.obj_val, -solution.obj_val_dual), np.asarray(solution.x)
