"""What both sparse additive models share: their parameters' ranges, the path of penalties, names of columns."""

import warnings
from abc import ABCMeta, abstractmethod
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import are_distinct, is_array
from treatise.linear.spam._basis import is_basis


class SparseAdditiveModel(BaseEstimator, metaclass=ABCMeta):
    """A sum of functions of single columns with a price on each of them."""

    _parameter_constraints: dict = {
        "n_basis": [Interval(Integral, 3, None, closed="left")],
        "basis": [StrOptions({"spline"}), callable],
        "n_penalties": [Interval(Integral, 2, None, closed="left")],
        "smallest_penalty": [Interval(Real, 0, 1, closed="neither")],
        "cv": [Interval(Integral, 2, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    @abstractmethod
    def component(self, feature, points):
        """One function at some points."""

    def _penalties(self, limit):
        """Penalties from the one that empties the model down; to a given one in steps, each started from the last."""
        penalties = max(limit, np.finfo(float).tiny) * np.geomspace(1.0, self.smallest_penalty, self.n_penalties)
        if isinstance(self.penalty, Real):
            return np.append(penalties[penalties > self.penalty], float(self.penalty))
        return penalties

    def _keep_convergence(self, converged):
        self.converged_ = bool(converged)
        if not converged:
            warnings.warn(
                f"functions have not settled to tol={self.tol:g} after {self.max_iter} passes; raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _invariants(self):
        p = self.n_features_in_
        yield "columns have norms", is_array(self.norms_, np.floating, p)
        yield "active columns are columns", are_distinct(self.active_, p)
        if self._of_functions():
            yield "columns have functions", len(self._bases) == p and all(map(is_basis, self._bases))
            begins = np.cumsum([0, *(len(turn) for _, _, turn in self._bases)])
            whole = is_array(self._starts, np.int64, p + 1) and np.array_equal(self._starts, begins)
            yield "functions begin one after another", whole
            yield "functions have coefficients", np.shape(self.coef_)[-1] == begins[-1]

    def _of_functions(self):
        """Whether columns have functions of a basis, not smoothers."""
        return getattr(self, "smoother", "basis") == "basis"

    def _column(self, feature):
        """Number of a column given by number or name."""
        check_is_fitted(self)
        if isinstance(feature, str):
            names = getattr(self, "feature_names_in_", np.empty(0, dtype=object)).tolist()
            if feature not in names:
                known = f"the columns are {', '.join(map(str, names[:5]))}..." if names else "the columns have no names"
                raise ValueError(f"{feature!r} is no column of the fit: {known}")
            return names.index(feature)
        if not 0 <= feature < self.n_features_in_:
            raise ValueError(f"column {feature} does not exist: there are {self.n_features_in_}, numbered from 0")
        return int(feature)


def points_of(values):
    """Where to evaluate a function, as a vector of numbers."""
    return np.atleast_1d(np.asarray(values, dtype=np.float64))
