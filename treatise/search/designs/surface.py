"""Response surfaces: the path of steepest ascent, the best step along it, and second-order models."""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import minimize

MOST_CORNERS = 64


def steepest_ascent(coef, *, step=0.5, n_steps=10, start=None):
    """Points along the gradient of a first-order model, in coded levels.

    The factor with the largest coefficient moves by ``step`` each time, the others in proportion (Figure 8).

    Parameters
    ----------
    coef : array-like of shape (k,)
        Coefficients of the model.
    step : float, default=0.5
        Coded step of the factor with the largest coefficient (the paper's delta).
    n_steps : int, default=10
        Steps after the first point.
    start : array-like of shape (k,) or None, default=None
        First point; None is the centre.

    Returns
    -------
    ndarray of shape (n_steps + 1, k)

    Examples
    --------
    >>> from treatise.search import steepest_ascent
    >>> steepest_ascent([-0.049, -0.018], n_steps=2).round(2).tolist()
    [[0.0, 0.0], [-0.5, -0.18], [-1.0, -0.37]]
    """
    coef = np.asarray(coef, dtype=float)
    largest = np.abs(coef).max(initial=0.0)
    if not (np.isfinite(largest) and largest > 0):
        raise ValueError(f"the coefficients {coef.tolist()} show no way up; give finite ones that are not all zero")
    if not step > 0:
        raise ValueError(f"step={step} must be above 0")
    begin = np.zeros(len(coef)) if start is None else np.asarray(start, dtype=float)
    return begin + np.outer(np.arange(n_steps + 1), step * coef / largest)


def best_step(steps, responses):
    """The step at the top of the parabola through the responses along a path (Appendix B.2.1).

    Parameters
    ----------
    steps, responses : array-like of shape (n,)
        Three steps or more, and what was seen there.

    Returns
    -------
    step : float
        NaN where the parabola has no top.
    coef : ndarray of shape (3,)
        The parabola: constant, slope, curvature.

    Examples
    --------
    >>> from treatise.search import best_step
    >>> step, coef = best_step([0, -0.5, -1.5, -2], [0.769, 0.793, 0.781, 0.692])
    >>> round(step, 2), coef.round(4).tolist()
    (-0.78, [0.7637, -0.1175, -0.0753])
    """
    steps, responses = np.asarray(steps, dtype=float), np.asarray(responses, dtype=float)
    if steps.shape != responses.shape or len(np.unique(steps)) < 3:
        raise ValueError(f"{len(np.unique(steps))} different steps settle no parabola; give three or more")
    coef = np.linalg.lstsq(np.vander(steps, 3, increasing=True), responses)[0]
    return (float(-coef[1] / (2 * coef[2])) if coef[2] < 0 else np.nan), coef


@dataclass(frozen=True)
class SecondOrderModel:
    """A surface y = intercept + linear'x + x' quadratic x, and how well it fits."""

    intercept: float
    linear: np.ndarray
    quadratic: np.ndarray
    """Symmetric, of shape (k, k)."""
    r2: float
    r2_adj: float

    def predict(self, X):
        """Heights of the surface at coded points."""
        X = np.atleast_2d(np.asarray(X, dtype=float))
        return self.intercept + X @ self.linear + np.einsum("ij,jk,ik->i", X, self.quadratic, X)

    @property
    def curvatures(self):
        """Eigenvalues of the quadratic part, rising: all below zero is a top, all above a hollow, else a saddle."""
        return np.linalg.eigvalsh(self.quadratic)

    @property
    def stationary_point(self):
        """Where the surface is level; NaN where it is so nowhere, or along a line."""
        size = np.abs(self.curvatures)
        if size.size == 0 or size.min() <= 1e-12 * max(size.max(), 1e-300):
            return np.full(len(self.linear), np.nan)
        return np.linalg.solve(self.quadratic, -0.5 * self.linear)

    def highest(self, low, high):
        """The highest point within bounds, and its height.

        Parameters
        ----------
        low, high : array-like of shape (k,)
            Bounds in coded levels.

        Returns
        -------
        point : ndarray of shape (k,)
        height : float
        """
        low, high = np.asarray(low, dtype=float), np.asarray(high, dtype=float)
        k = len(self.linear)
        corners = [np.where(c, high, low) for c in product((0, 1), repeat=k)] if 2**k <= MOST_CORNERS else [low, high]
        starts = [(low + high) / 2, *corners]
        point = self.stationary_point
        if np.isfinite(point).all():
            starts.append(np.clip(point, low, high))
        # A top inside is reached from anywhere; on a saddle the highest point of the box depends on the start.
        ends = [
            minimize(
                lambda x: -float(self.predict(x)[0]), start, jac=lambda x: -(self.linear + 2 * self.quadratic @ x),
                bounds=list(zip(low, high)), method="L-BFGS-B",
            ).x
            for start in starts
        ]  # fmt: skip
        heights = self.predict(np.array(ends))
        return ends[int(np.argmax(heights))], float(heights.max())


def second_order_model(X, y):
    """Fit a surface of second order by least squares.

    Parameters
    ----------
    X : array-like of shape (n_runs, k)
        Coded points, such as those of :func:`central_composite`.
    y : array-like of shape (n_runs,)
        Responses.

    Returns
    -------
    SecondOrderModel

    Examples
    --------
    >>> from treatise.search import central_composite, second_order_model
    >>> X = central_composite(2).matrix
    >>> model = second_order_model(X, 3 - (X[:, 0] - 0.5) ** 2 - (X[:, 1] + 0.2) ** 2)
    >>> model.stationary_point.round(6).tolist()
    [0.5, -0.2]
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    if X.ndim != 2 or y.shape != X.shape[:1] or not (np.isfinite(X).all() and np.isfinite(y).all()):
        raise ValueError(f"X of shape {X.shape} and y of shape {y.shape} must be finite, (n, k) and (n,)")
    terms, columns = quadratic_terms(X)
    full = np.column_stack([np.ones(len(X)), columns])
    if np.linalg.matrix_rank(full) < full.shape[1]:
        raise ValueError(
            f"{len(X)} runs do not settle the {full.shape[1]} coefficients of a second-order model of {X.shape[1]} "
            "factors; take a central composite design"
        )
    coef = np.linalg.lstsq(full, y)[0]
    total, rss = float(np.sum((y - y.mean()) ** 2)), float(np.sum((y - full @ coef) ** 2))
    return surface_of(terms, coef[1:], coef[0], X.shape[1], 1 - rss / total if total > 0 else 0.0, len(X))


def quadratic_terms(X):
    """Pairs (i, i) for a factor, (i, -1) for its square, (i, j) for a product; and their columns."""
    k = X.shape[1]
    terms = [(i, i) for i in range(k)] + [(i, -1) for i in range(k)]
    terms += [(i, j) for i in range(k) for j in range(i + 1, k)]
    columns = [X[:, i] if i == j else X[:, i] ** 2 if j < 0 else X[:, i] * X[:, j] for i, j in terms]
    return terms, np.column_stack(columns)


def surface_of(terms, coef, intercept, k, r2, n):
    """A surface from the coefficients of its terms."""
    linear, quadratic, used = np.zeros(k), np.zeros((k, k)), int(np.count_nonzero(coef))
    for (i, j), value in zip(terms, coef):
        if i == j:
            linear[i] = value
        elif j < 0:
            quadratic[i, i] = value
        else:
            quadratic[i, j] = quadratic[j, i] = value / 2
    adjusted = 1 - (n - 1) / (n - used - 1) * (1 - r2) if n - used - 1 > 0 else np.nan
    return SecondOrderModel(float(intercept), linear, quadratic, float(r2), float(adjusted))
