"""Forward selection: least squares of several responses, each on a set of columns of its own that grows.

For every column outside of a response's set the drop in squared error that it would bring is kept up to date. With an
orthonormal basis of the set, a column enters along the part q of it that the basis leaves; from then on the squared
length of what is left of column x falls by (x'q)^2, and its product with the residual r by (x'q)(q'r). No column is
ever copied for a response, and one product of the table with all new directions does a whole step.
"""

from copy import copy

import numpy as np

COLLINEAR = 1e-10
"""Share of a column's squared length below which what is left of it is rounding."""
EXACT = 1e-14
"""Share of a response's squares below which its residual is rounding."""


class ForwardSelection:
    """Least squares with an intercept, of several responses, each on its own set of columns.

    Adding a column to the sets of m responses costs m n p; memory is one table of n p, two of p numbers for each
    response, and the bases. Constant columns, and those that a set spans already, bring no drop.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Columns to choose from.
    Y : ndarray of shape (n_samples, n_responses)
        Responses.
    most_in_one_row : float, default=1.0
        Share of a centred column's squares that one row may have; a column above brings no drop.

    Attributes
    ----------
    unit : ndarray of shape (n_responses,)
        Largest absolute value of each response; squared errors are in squares of it, so that none overflows.
    rss : ndarray of shape (n_responses,)
        Squared error of each response; zero where only rounding is left.
    total : ndarray of shape (n_responses,)
        Squared error of the intercept alone; zero for a constant response.
    sets : list of list of int
        Columns of each response, in the order in which they entered.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.optimize import ForwardSelection
    >>> X = np.eye(4)[:, :3]
    >>> search = ForwardSelection(X, X @ [[1.0], [3.0], [0.0]])
    >>> search.add(int(np.argmax(search.drops())), [0])
    >>> coef, intercept, _ = search.least_squares()
    >>> search.sets, coef.round(2).tolist()
    ([[1]], [[0.0, 2.67, 0.0]])
    """

    def __init__(self, X, Y, *, most_in_one_row=1.0):
        self._centre, self._mean = X.mean(axis=0), Y.mean(axis=0)
        columns = np.array(X, dtype=np.float64, order="F")
        # Divided first: squares of very large or small numbers overflow.
        size = np.abs(columns).max(axis=0)
        columns /= np.where(size > 0, size, 1.0)
        columns -= columns.mean(axis=0)
        length = np.linalg.norm(columns, axis=0)
        # Centring a constant leaves rounding errors of its size.
        varies = length > 8 * np.finfo(float).eps * np.sqrt(len(X))
        self._scale = np.where(varies, size * length, 1.0)
        columns *= np.where(varies, 1.0 / np.where(varies, length, 1.0), 0.0)
        columns -= columns.mean(axis=0)
        self._columns = columns
        wide = varies & (np.abs(columns).max(axis=0) ** 2 <= most_in_one_row + 1e-9)

        size = np.abs(Y).max(axis=0)
        self.unit = np.where(size > 0, size, 1.0)
        self._residual = Y / self.unit
        self._residual -= self._residual.mean(axis=0)
        self._responses = self._residual.copy()
        squares = np.einsum("ij,ij->j", self._residual, self._residual)
        self.total = np.where(squares > len(X) * (8 * np.finfo(float).eps) ** 2, squares, 0.0)
        self.rss = self.total.copy()

        self._left = np.repeat(wide.astype(float)[np.newaxis], Y.shape[1], axis=0)
        self._products = self._residual.T @ columns
        self.sets: list[list[int]] = [[] for _ in range(Y.shape[1])]
        self._bases: list[list[np.ndarray]] = [[] for _ in range(Y.shape[1])]

    def drops(self, responses=slice(None)):
        """Fall of the squared error of each response, were each column to enter: (n_responses, n_features)."""
        left, products = self._left[responses], self._products[responses]
        drops = np.divide(products**2, left, out=np.zeros_like(left), where=left > COLLINEAR)
        return np.minimum(drops, self.rss[responses, np.newaxis])

    def add(self, column, responses):
        """Let a column enter the sets of some responses."""
        directions = np.empty((len(self._columns), len(responses)))
        for place, t in enumerate(responses):
            directions[:, place] = self._direction(column, t)
            self.sets[t].append(int(column))
            self._bases[t].append(directions[:, place])
        heights = np.einsum("ij,ij->j", directions, self._residual[:, responses])
        self._residual[:, responses] -= directions * heights
        self.rss[responses] = np.einsum("ij,ij->j", self._residual[:, responses], self._residual[:, responses])
        self.rss[responses] *= self.rss[responses] > EXACT * self.total[responses]
        shadows = directions.T @ self._columns
        self._left[responses] -= shadows**2
        self._products[responses] -= shadows * heights[:, np.newaxis]
        self._left[responses, column] = 0.0

    def _direction(self, column, t):
        """Unit vector of what the basis leaves of a column; subtracting twice is enough (Kahan)."""
        direction = self._columns[:, column].copy()
        if self._bases[t]:
            basis = np.column_stack(self._bases[t])
            for _ in range(2):
                direction -= basis @ (basis.T @ direction)
        return direction / np.linalg.norm(direction)

    def branch(self, columns):
        """A copy that sees some of the columns only, numbered anew; what it does leaves this one as it is."""
        twin = copy(self)
        twin._columns, twin._centre, twin._scale = (
            self._columns[:, columns],
            self._centre[columns],
            self._scale[columns],
        )
        twin._left, twin._products = self._left[:, columns], self._products[:, columns]
        twin._residual, twin.rss = self._residual.copy(), self.rss.copy()
        twin.sets = [[] for _ in self.sets]
        twin._bases = [list(basis) for basis in self._bases]
        return twin

    def least_squares(self, sets=None):
        """Coefficients (n_responses, n_features), intercepts and squared errors on the sets, or on others.

        All but the squared errors, which are in the units of ``rss``, are in the units of the data.
        """
        coef, rss = np.zeros((len(self.sets), self._columns.shape[1])), self.total.copy()
        for t, columns in enumerate(self.sets if sets is None else sets):
            if columns:
                part = self._columns[:, columns]
                weights = np.linalg.lstsq(part, self._responses[:, t])[0]
                coef[t, columns] = weights / self._scale[columns] * self.unit[t]
                rss[t] = np.sum((self._responses[:, t] - part @ weights) ** 2)
        return coef, self._mean - coef @ self._centre, rss


def rises(X, y):
    """Rise of the squared error of least squares (with an intercept) were each column of X left out.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Linearly independent columns.
    y : ndarray of shape (n_samples,)
        Response.

    Returns
    -------
    rises : ndarray of shape (n_features,)
    """
    Q, R = np.linalg.qr(X - X.mean(axis=0))
    inverse = np.linalg.inv(R)
    # b_j^2 / (R'R)^-1_jj
    return (inverse @ (Q.T @ (y - y.mean()))) ** 2 / np.einsum("ij,ij->i", inverse, inverse)
