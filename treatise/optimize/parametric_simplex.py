"""Linear programs with a parameter, solved for all its values by one run of the simplex method."""

from dataclasses import dataclass

import numpy as np

from treatise._core.jit import compiled

OPTIMAL, INFEASIBLE, UNBOUNDED, OUT_OF_PIVOTS = 0, 1, 2, 3
_ZERO = 1e-11
_STATUS = ("optimal", "infeasible", "unbounded", "out of pivots")


@dataclass(frozen=True)
class LPPath:
    """The solutions of ``max (c + l c_change)' x  subject to  A x <= b + l b_change, x >= 0`` for all l.

    Attributes
    ----------
    breakpoints : ndarray of shape (n_bases,)
        Lower end of the range of l in which each basis is optimal, from large to small; the first range is open above.
    constants, slopes : ndarray of shape (n_bases, n)
        The solution of a basis at l is ``constants + l slopes``.
    status : {"optimal", "infeasible", "unbounded", "out of pivots"}
        "optimal" where the path reached its end; otherwise what holds just below the last breakpoint.
    c, c_change : ndarray of shape (n,)
        Costs.
    """

    breakpoints: np.ndarray
    constants: np.ndarray
    slopes: np.ndarray
    status: str
    c: np.ndarray
    c_change: np.ndarray

    def at(self, parameter):
        """The solution at one value of the parameter.

        Parameters
        ----------
        parameter : float
            Not below the last breakpoint.

        Returns
        -------
        x : ndarray of shape (n,)
        """
        if parameter < self.breakpoints[-1] - 1e-12:
            raise ValueError(
                f"the path ends at {self.breakpoints[-1]:g}, below which the program is {self.status}; {parameter:g} "
                "was asked for"
            )
        basis = int(np.argmax(self.breakpoints <= parameter + 1e-12))
        return self.constants[basis] + parameter * self.slopes[basis]

    def objective(self, parameter):
        """The optimal value at one value of the parameter.

        Parameters
        ----------
        parameter : float
            Not below the last breakpoint.

        Returns
        -------
        value : float
        """
        return float((self.c + parameter * self.c_change) @ self.at(parameter))


def parametric_simplex(A, b, c, b_change=None, c_change=None, *, lowest=0.0, max_pivots=10_000, random_state=0):
    """Solve ``max (c + l c_change)' x  subject to  A x <= b + l b_change, x >= 0`` for every l from infinity down.

    With ``b_change >= 0`` and ``c_change <= 0`` the basis of the slacks is optimal for large l, and each pivot leads to
    the next range: at ``lowest=0`` stands the program without the parameter. Without natural changes random ones make
    it a plain solver, of which status and optimum at 0 count. For dense programs of up to some hundred rows and
    columns; a pivot costs their product. HiGHS (``scipy.optimize.linprog``) is the better solver of one large program.

    Parameters
    ----------
    A : array-like of shape (m, n)
        Coefficients of the inequalities.
    b : array-like of shape (m,)
        Right-hand sides.
    c : array-like of shape (n,)
        Costs to maximise.
    b_change : array-like of shape (m,) or None, default=None
        How b moves with l, not negative, and positive where b is negative; None draws positive numbers there.
    c_change : array-like of shape (n,) or None, default=None
        How c moves with l, not positive, and negative where c is positive; None draws negative numbers there.
    lowest : float, default=0.0
        Where to stop.
    max_pivots : int, default=10000
        Pivots at most.
    random_state : int or None, default=0
        Seed of the changes that are drawn.

    Returns
    -------
    path : LPPath

    Examples
    --------
    >>> from treatise.optimize import parametric_simplex
    >>> path = parametric_simplex([[1.0, 1.0], [1.0, 0.0]], [4.0, 2.0], [3.0, 2.0])
    >>> path.status, path.at(0.0)
    ('optimal', array([2., 2.]))

    References
    ----------
    .. [1] Paper v15-0489, section 2.
    """
    A = np.array(A, dtype=np.float64, ndmin=2)
    b, c = np.array(b, dtype=np.float64, ndmin=1), np.array(c, dtype=np.float64, ndmin=1)
    m, n = A.shape
    if b.shape != (m,) or c.shape != (n,):
        raise ValueError(f"A has shape {A.shape}, so b needs {m} entries and c {n}; they have {b.size} and {c.size}")
    generator = np.random.default_rng(random_state)
    # Strictly moving sides keep ties apart, so that pivots do not go round in circles.
    b_change = np.where(b < 0, 1.0, 0.5) * generator.uniform(0.5, 1.5, m) if b_change is None else _array(b_change, m)
    c_change = np.where(c > 0, -1.0, -0.5) * generator.uniform(0.5, 1.5, n) if c_change is None else _array(c_change, n)
    if (b_change < 0).any() or (c_change > 0).any():
        raise ValueError("b_change must not be negative and c_change not positive, or no start for large l is known")
    if ((b < 0) & (b_change == 0)).any() or ((c > 0) & (c_change == 0)).any():
        raise ValueError("a negative b needs a positive b_change, and a positive c a negative c_change")
    costs, costs_change = c.copy(), c_change.copy()
    breaks, vertices = np.empty(max_pivots), np.empty((min(max_pivots, 64), 2, n))
    while True:
        state = A.copy(), b.copy(), b_change.copy(), c.copy(), c_change.copy()
        basic, nonbasic = n + np.arange(m), np.arange(n)
        room = len(vertices)
        status, count = follow(*state, basic, nonbasic, float(lowest), breaks[:room], vertices, max_pivots)
        if count < room or room >= max_pivots or _STATUS[status] != "out of pivots":
            break
        vertices = np.empty((min(4 * room, max_pivots), 2, n))
    return LPPath(
        breaks[:count].copy(),
        vertices[:count, 0].copy(),
        vertices[:count, 1].copy(),
        _STATUS[status],
        costs,
        costs_change,
    )


def _array(values, length):
    values = np.array(values, dtype=np.float64, ndmin=1)
    if values.shape != (length,):
        raise ValueError(f"a change needs {length} entries; it has {values.size}")
    return values


@compiled
def pivot(A, b, b_change, c, c_change, i, j):
    """Exchange basic variable i and non-basic variable j, in place."""
    m, n = A.shape
    p = A[i, j]
    column = A[:, j].copy()
    for k in range(n):
        A[i, k] /= p
    b[i] /= p
    b_change[i] /= p
    A[i, j] = 1.0 / p
    for r in range(m):
        if r == i or column[r] == 0.0:
            continue
        factor = column[r]
        for k in range(n):
            if k != j:
                A[r, k] -= factor * A[i, k]
        A[r, j] = -factor / p
        b[r] -= factor * b[i]
        b_change[r] -= factor * b_change[i]
    for costs in (c, c_change):
        factor = costs[j]
        if factor != 0.0:
            for k in range(n):
                if k != j:
                    costs[k] -= factor * A[i, k]
            costs[j] = -factor / p


@compiled
def follow(A, b, b_change, c, c_change, basic, nonbasic, lowest, breaks, vertices, max_pivots):
    """Follow the optimal basis as lambda falls from infinity; gives how it ended and the number of breakpoints.

    Breakpoint q is the lower end of the range of lambda in which basis q is optimal; ``vertices[q]`` holds the values
    of the structural variables at lambda 0 and their slopes in lambda.
    """
    m, n = A.shape
    count = 0
    for _ in range(max_pivots):
        lam, i, j = -np.inf, -1, -1
        for r in range(m):
            if b_change[r] > _ZERO:
                at = -b[r] / b_change[r]
                if at > lam + _ZERO * (1.0 + abs(at)):
                    lam, i, j = at, r, -1
        for k in range(n):
            if c_change[k] < -_ZERO:
                at = -c[k] / c_change[k]
                if at > lam + _ZERO * (1.0 + abs(at)):
                    lam, i, j = at, -1, k
        lower = max(lam, lowest)
        breaks[count] = lower
        for v in range(n):
            vertices[count, 0, v] = 0.0
            vertices[count, 1, v] = 0.0
        for r in range(m):
            if basic[r] < n:
                vertices[count, 0, basic[r]] = b[r]
                vertices[count, 1, basic[r]] = b_change[r]
        count += 1
        if lam <= lowest:
            return OPTIMAL, count
        if count == len(breaks):
            return OUT_OF_PIVOTS, count
        least, size = np.inf, 0.0
        if i >= 0:
            # The dual ratio test: the reduced costs stay below zero.
            for k in range(n):
                if A[i, k] < -_ZERO:
                    ratio = (c[k] + lam * c_change[k]) / A[i, k]
                    if ratio < least - _ZERO or (ratio <= least + _ZERO and -A[i, k] > size):
                        least, j, size = min(ratio, least), k, -A[i, k]
            if j < 0:
                return INFEASIBLE, count
        else:
            for r in range(m):
                if A[r, j] > _ZERO:
                    ratio = (b[r] + lam * b_change[r]) / A[r, j]
                    if ratio < least - _ZERO or (ratio <= least + _ZERO and A[r, j] > size):
                        least, i, size = min(ratio, least), r, A[r, j]
            if i < 0:
                return UNBOUNDED, count
        pivot(A, b, b_change, c, c_change, i, j)
        basic[i], nonbasic[j] = nonbasic[j], basic[i]
    return OUT_OF_PIVOTS, count
