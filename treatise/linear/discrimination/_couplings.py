"""What couples the tasks: the quadratic forms behind each switch, and how they move (JMLR 12:75, Sections 6-8 and 12).

A task m has signed multipliers b_m, one for each row. Switch d is kept with the probability
s = 1 / (1 + alpha exp(-q)), where q is half the sum of the tasks' quadratic forms b' K b that the switch scales, and
costs log(alpha + exp q). A coupling holds the state of all tasks; :meth:`scores` is the gradient of the cost in the
multipliers of one task, and :meth:`curvature` a matrix that models it: the exact second derivative, or the paper's
bound (Theorem 1), above which the cost nowhere curves.
"""

import numpy as np
from scipy.special import expit


def bound_slope(q, log_alpha):
    """G of Theorem 1, tanh(log(g) / 2) / (2 log(g)) with g = alpha exp(-q); 1/4 at g = 1, 0 at g = 0."""
    t = log_alpha - q
    with np.errstate(invalid="ignore", divide="ignore"):
        G = np.tanh(0.5 * t) / (2.0 * t)
    return np.where(t == 0.0, 0.25, np.where(np.isfinite(t), G, 0.0))


class Switches:
    """The costs of switches, whatever their quadratic forms; ``q`` is what subclasses keep up to date."""

    def __init__(self, n_switches, alpha, exact):
        with np.errstate(divide="ignore"):
            self.log_alpha = float(np.log(alpha))
        self.alpha, self.exact = alpha, exact
        self.q = np.zeros(n_switches)

    @property
    def kept(self):
        """Probability with which each switch is kept, from 1 / (1 + alpha) to 1."""
        return expit(self.q - self.log_alpha)

    def cost(self, q):
        """Sum of the switches' costs, zero at q = 0."""
        return float(np.sum(np.logaddexp(self.log_alpha, q)) - len(q) * np.log1p(self.alpha))

    def weights(self, switch):
        """Weights of the quadratic forms and of the squares of their gradients in the curvature."""
        if self.exact:
            kept = self.kept[switch]
            return kept, kept * (1.0 - kept)
        return np.ones(len(switch)), bound_slope(self.q, self.log_alpha)[switch]


class FeatureSwitches(Switches):
    """A switch for each feature of each task: shared, a task's own, or one for two features of two tasks.

    Parameters
    ----------
    tables : list of ndarray of shape (n_m, d_m)
        Rows of each task.
    switch : list of ndarray of int, of shape (d_m,)
        Switch of each feature.
    n_switches : int
        Number of switches.
    alpha : float
        Strength of the selection.
    exact : bool
        Whether the curvature is the second derivative, or the paper's bound.
    """

    def __init__(self, tables, switch, n_switches, alpha, *, exact=True):
        super().__init__(n_switches, alpha, exact)
        self.tables, self.switch = tables, switch
        self.coef = [np.zeros(table.shape[1]) for table in tables]

    def scores(self, m):
        """Scores of a task's rows, without the offset."""
        return self.tables[m] @ self.weighted(m)

    def weighted(self, m):
        """Weights of a task's features."""
        return self.kept[self.switch[m]] * self.coef[m]

    def curvature(self, m):
        """The matrix that models the cost in the multipliers of a task."""
        linear, square = self.weights(self.switch[m])
        table = self.tables[m]
        return (table * (linear + square * np.square(self.coef[m]))) @ table.T

    def along(self, m, step):
        """Cost as a function of how much of a task's step is made."""
        move = self.tables[m].T @ step
        rest = self.q - self._own(m, self.coef[m])
        return lambda share: self.cost(rest + self._own(m, self.coef[m] + share * move)), move

    def move(self, m, share, along):
        """Make a share of a task's step."""
        rest = self.q - self._own(m, self.coef[m])
        self.coef[m] = self.coef[m] + share * along
        self.q = rest + self._own(m, self.coef[m])

    def _own(self, m, coef):
        return np.bincount(self.switch[m], 0.5 * np.square(coef), minlength=len(self.q))


class KernelSwitches(Switches):
    """A switch for each kernel, shared by the tasks or a task's own.

    Parameters
    ----------
    grams : list of ndarray of shape (n_kernels, n_m, n_m)
        Gram matrices of each task's rows.
    switch : list of ndarray of int, of shape (n_kernels,)
        Switch of each kernel.
    n_switches, alpha, exact
        As in :class:`FeatureSwitches`.
    """

    def __init__(self, grams, switch, n_switches, alpha, *, exact=True):
        super().__init__(n_switches, alpha, exact)
        self.grams, self.switch = grams, switch
        self.fields = [np.zeros(gram.shape[:2]) for gram in grams]
        self.forms = [np.zeros(len(gram)) for gram in grams]

    def scores(self, m):
        """Scores of a task's rows, without the offset."""
        return self.kept[self.switch[m]] @ self.fields[m]

    def curvature(self, m):
        """The matrix that models the cost in the multipliers of a task."""
        linear, square = self.weights(self.switch[m])
        fields = self.fields[m]
        return np.tensordot(linear, self.grams[m], 1) + (fields.T * square) @ fields

    def along(self, m, step):
        """Cost as a function of how much of a task's step is made."""
        move = self.grams[m] @ step
        slope, curve = self.fields[m] @ step, move @ step
        rest = self.q - self._own(m, self.forms[m])
        return lambda share: self.cost(rest + self._own(m, self._form(m, share, slope, curve))), (move, slope, curve)

    def move(self, m, share, along):
        """Make a share of a task's step."""
        move, slope, curve = along
        rest = self.q - self._own(m, self.forms[m])
        self.forms[m] = self._form(m, share, slope, curve)
        self.fields[m] = self.fields[m] + share * move
        self.q = rest + self._own(m, self.forms[m])

    def _form(self, m, share, slope, curve):
        return np.maximum(self.forms[m] + share * (2.0 * slope + share * curve), 0.0)

    def _own(self, m, forms):
        return np.bincount(self.switch[m], 0.5 * forms, minlength=len(self.q))


class Pool(Switches):
    """A kernel over the rows of all tasks, and a switch for each task's own machine (Section 8).

    Parameters
    ----------
    gram : ndarray of shape (n, n)
        Communal kernel of all rows.
    rows : list of ndarray of int
        Rows of each task.
    own : list of ndarray of shape (n_m, n_m)
        Kernels of each task's own machine.
    alpha, exact
        As in :class:`FeatureSwitches`.
    """

    def __init__(self, gram, rows, own, alpha, *, exact=True):
        super().__init__(len(rows), alpha, exact)
        self.gram, self.rows, self.own = gram, rows, own
        self.field, self.square = np.zeros(len(gram)), 0.0
        self.own_fields = [np.zeros(len(row)) for row in rows]

    def cost(self, q):
        """Costs of the switches and of the communal machine."""
        return super().cost(q) + 0.5 * self.square

    def scores(self, m):
        """Scores of a task's rows, without the offset."""
        return self.field[self.rows[m]] + self.kept[m] * self.own_fields[m]

    def curvature(self, m):
        """The matrix that models the cost in the multipliers of a task."""
        linear, square = self.weights([m])
        field = self.own_fields[m]
        communal = self.gram[np.ix_(self.rows[m], self.rows[m])]
        return communal + linear[0] * self.own[m] + square[0] * np.outer(field, field)

    def along(self, m, step):
        """Cost as a function of how much of a task's step is made."""
        rows, own_move = self.rows[m], self.own[m] @ step
        communal = 2.0 * step @ self.field[rows], step @ self.gram[np.ix_(rows, rows)] @ step
        special = step @ self.own_fields[m], 0.5 * step @ own_move

        def cost(share):
            q = self.q.copy()
            q[m] += share * (special[0] + share * special[1])
            return super(Pool, self).cost(q) + 0.5 * (self.square + share * (communal[0] + share * communal[1]))

        return cost, (step, own_move, communal, special)

    def move(self, m, share, along):
        """Make a share of a task's step."""
        step, own_move, communal, special = along
        self.q[m] = max(self.q[m] + share * (special[0] + share * special[1]), 0.0)
        self.square = max(self.square + share * (communal[0] + share * communal[1]), 0.0)
        self.field = self.field + share * (step @ self.gram[self.rows[m]])
        self.own_fields[m] = self.own_fields[m] + share * own_move
