"""What a fitted mixed model says about new rows: the law of their linear predictor."""

import numpy as np

from treatise._core.invariants import is_array
from treatise.optimize.block_arrow import ArrowFactor


class Posterior:
    """The normal factor of all effects, kept to predict.

    Parameters
    ----------
    shared, own : ndarray of shape (b,) and (n_groups, q)
        Means.
    root, roots, reduced : ndarray
        Of the :class:`~treatise.optimize.ArrowFactor` of the precision.
    """

    def __init__(self, shared, own, root, roots, reduced):
        self.shared, self.own = shared, own
        self.root, self.roots, self.reduced = root, roots, reduced

    def _invariants(self):
        b, (groups, q) = len(self.shared), self.own.shape
        yield "there is a mean for every effect", is_array(self.shared, np.float64, b)
        yield "there is a mean for every effect", is_array(self.own, np.float64, groups, q)
        yield (
            "the factors have the shapes of the means",
            (
                is_array(self.root, np.float64, b, b)
                and is_array(self.roots, np.float64, groups, q, q)
                and is_array(self.reduced, np.float64, groups, q, b)
            ),
        )

    def plain(self):
        """The arrays, which a model file may hold."""
        return [self.shared, self.own, self.root, self.roots, self.reduced]

    def _factor(self):
        return ArrowFactor(self.root, self.roots, self.reduced, 0.0)

    def predictor(self, design):
        """Mean and variance of the linear predictor of rows."""
        mean = design.predictor(self.shared, self.own)
        return mean, self._factor().row_variances(design.shared, design.own, design.group)

    def draw(self, rng):
        """One draw of all effects."""
        noise = self._factor().color(rng.standard_normal(len(self.shared)), rng.standard_normal(self.own.shape))
        return self.shared + noise[0], self.own + noise[1]


class ColumnScale:
    """Columns centred and scaled, so that no unit of a column spoils the numbers, nor, where they are to, the priors.

    Parameters
    ----------
    intercept : bool
        Whether a constant comes first.
    center, scale : ndarray of shape (n_columns,)
        What is taken from the columns, and what they are divided by.
    """

    def __init__(self, intercept, center, scale):
        self.intercept, self.center, self.scale = intercept, center, scale

    @classmethod
    def of_columns(cls, X, intercept):
        """Means and deviations of columns; those that do not vary keep their values."""
        center = X.mean(axis=0) if intercept else np.zeros(X.shape[1])
        spread = np.sqrt(np.mean((X - center) ** 2, axis=0))
        largest = np.abs(X).max(axis=0)
        flat = ~(spread > 1e-12 * largest)
        scale = np.where(flat, np.where(largest > 0, largest, 1.0), spread)
        return cls(intercept, np.where(flat, 0.0, center), scale)

    def columns(self, X):
        """Columns as the fit takes them."""
        scaled = (X - self.center) / self.scale
        return np.column_stack([np.ones(len(X)), scaled]) if self.intercept else scaled

    def turn(self):
        """The matrix that makes raw coefficients of the fit's."""
        if not self.intercept:
            return np.diag(1.0 / self.scale)
        turn = np.diag(np.append(1.0, 1.0 / self.scale))
        turn[0, 1:] = -self.center / self.scale
        return turn
