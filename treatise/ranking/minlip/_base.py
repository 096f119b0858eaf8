"""What the three MINLIP machines share: the kernel, the cost of errors, the solver, the utility."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from scipy.linalg import qr
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from treatise._core.documentation import InheritsDocumentation
from treatise._core.invariants import is_array
from treatise.kernels import Additive, KernelFactor, KernelInputMixin, Linear
from treatise.ranking.minlip._interior_point import minimize_ordered_errors
from treatise.ranking.minlip._programs import minimize_absolute_weights, minimize_without_errors


def _is_additive(machine):
    kernel = getattr(machine, "kernel_", machine.kernel)
    if kernel == "linear" or isinstance(kernel, (Linear, Additive)):
        return True
    raise AttributeError(f"effects of single columns need kernel='linear' or Additive(...); it is {machine.kernel!r}")


class Minlip(InheritsDocumentation, KernelInputMixin, BaseEstimator):
    """A utility whose order is that of the outcomes, up to errors.

    Parameters
    ----------
    C : float
        Cost of an error, in units of the outcome's spread; infinity allows none, and refuses outcomes that no utility
        has the order of. The larger, the closer the fit.
    unit : "spread" or float, default="spread"
        What C is multiplied by: the distance of the outcomes' quartiles, over the median variance of the columns where
        the kernel is linear, so that neither the unit of time nor that of all columns matters; one over the median
        deviation of the columns with ``penalty="l1"``, for the same; or a number; 1 makes C the paper's gamma (and
        scikit-survival's alpha).
    kernel : {"linear", "rbf", "poly", "laplacian", "precomputed"}, Kernel or callable, default="linear"
        The kernel. ``Additive(Polynomial(2))`` is the paper's componentwise one, with one effect for each column.
    gamma : float, "scale" or "auto", default="scale"
        Of the "rbf", "poly" and "laplacian" kernels.
    degree : int, default=3
        Of the "poly" kernel.
    coef0 : float, default=1.0
        Of the "poly" kernel.
    penalty : {"l2", "l1"}, default="l2"
        "l1" takes the sum of absolute weights (Section 3.5): few columns are used. For the linear kernel; a linear
        program, for up to some thousand rows.
    tol : float, default=1e-8
        Largest duality gap at the end, as a share of the objective.
    max_iter : int, default=200
        Most steps of the interior-point method; some thirty are usual.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights of the columns, with the linear kernel.
    support_ : ndarray of int
        With other kernels, the training objects that the utility is made of.
    dual_coef_ : ndarray
        Their weights.
    cost_ : float
        Cost of an error, C times the unit: the paper's gamma.
    objective_ : float
        Value of the problem.
    duality_gap_ : float
        What it may be above the least value at most, as a share of it.
    n_iter_ : int
        Steps.
    converged_ : bool
        Whether the gap reached ``tol``.
    """

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0, None, closed="right")],
        "unit": [StrOptions({"spread"}), Interval(Real, 0, None, closed="neither")],
        **KernelInputMixin._kernel_constraints,
        "penalty": [StrOptions({"l2", "l1"})],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def _cost(self, objects, weights, spread):
        """Cost of an error: C times a number that is told, or times the spread of the outcomes in units of the penalty.

        Columns in a unit s times as long have weights 1 / s times as large, and a squared norm of 1 / s^2. Outcomes in
        such a unit have weights and errors s times as large: the spread is for the square, and absolute weights need
        none.
        """
        if self.unit != "spread":
            return float(self.C * self.unit)
        if not isinstance(self.kernel_, Linear):
            return float(self.C * spread)
        length = usual_deviation(objects, weights)
        return float(self.C / length if self.penalty == "l1" else self.C * spread / length**2)

    def _fit_utility(self, objects, order, rise, fall):
        """Weights of the utility from the comparisons; ``rise`` and ``fall`` are costs of the order's samples.

        Returns the utilities of all nodes, errors included.
        """
        linear = isinstance(self.kernel_, Linear)
        if self.penalty == "l1" and not linear:
            raise ValueError(f"penalty='l1' is for kernel='linear'; it is {self.kernel!r}")
        if linear:
            table, mean, basis = self._centred(objects)
        else:
            factor = KernelFactor.of(self._gram(objects))
            table = factor.features
        table = np.ascontiguousarray(table[order.rows])
        if self.penalty == "l1":
            solution = minimize_absolute_weights(table, rise, fall, order)
        elif np.isinf(self.C):
            solution = minimize_without_errors(table, order, max_iter=self.max_iter)
        else:
            solution = minimize_ordered_errors(table, rise, fall, order, tol=self.tol, max_iter=self.max_iter)
        self._report(solution)
        if linear:
            self.coef_ = solution.weights if basis is None else basis @ solution.weights
            return solution.values + mean @ self.coef_
        else:
            self.support_, self.dual_coef_ = factor.pivots, factor.dual(solution.weights)
            self._support_objects = self._kept(objects, factor.pivots)
        return solution.values

    def _centred(self, objects):
        """Rows about their mean, which no difference feels; of more columns than rows, in coordinates of their span."""
        table = objects.toarray() if sparse.issparse(objects) else objects
        mean = table.mean(axis=0)
        table = table - mean
        if table.shape[1] <= table.shape[0] or self.penalty == "l1":
            return table, mean, None
        basis, triangle = qr(table.T, mode="economic")
        return triangle.T, mean, basis

    def _report(self, solution):
        self.objective_, self.duality_gap_ = solution.objective, solution.gap
        self.n_iter_, self.converged_ = solution.n_iter, bool(solution.converged)
        if not self.converged_:
            warnings.warn(
                f"the duality gap is {solution.gap:.2g} of the objective after {solution.n_iter} steps, above "
                f"tol={self.tol:g}; raise max_iter or tol, or bring the columns to one scale",
                ConvergenceWarning,
                stacklevel=4,
            )

    _kept_as = None  # a linear utility keeps its coefficients alone

    def _invariants(self):
        if isinstance(self.kernel_, Linear):
            yield "every column has its coefficient", is_array(self.coef_, np.floating, self.n_features_in_)
        else:
            yield "objects are kept", hasattr(self, "_support_objects") and hasattr(self, "dual_coef_")

    def _utility(self, X):
        check_is_fitted(self)
        new = self._new_objects(X)
        if isinstance(self.kernel_, Linear):
            return new @ self.coef_
        return self._weighted_scores(new, self._support_objects, self.dual_coef_)

    @available_if(_is_additive)
    def additive_effects(self, X):
        """What each column adds to the utility (Section 3.3), for the linear kernel and additive ones.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        effects : ndarray of shape (n_samples, n_features)
            They sum to the utility.
        """
        check_is_fitted(self)
        new = self._new_objects(X)
        if isinstance(self.kernel_, Linear):
            return (new.toarray() if sparse.issparse(new) else new) * self.coef_
        blocks = self.kernel_.column_blocks(new, self._support_objects)
        return np.column_stack([block @ self.dual_coef_ for block in blocks])


def outcome_spread(outcomes, weights):
    """Distance of the weighted quartiles; of the farthest values where that is zero."""
    low, high = np.quantile(outcomes, [0.25, 0.75], weights=weights, method="inverted_cdf")
    return float(high - low) or float(np.ptp(outcomes))


def usual_deviation(table, weights):
    """Median standard deviation of the columns that are not constant; 1 where all are."""
    weights = weights / weights.sum()
    if sparse.issparse(table):
        mean = np.asarray(table.T @ weights).ravel()
        squares = np.asarray(table.multiply(table).T @ weights).ravel()
        variance = np.maximum(squares - mean**2, 0.0)
    else:
        variance = weights @ (table - weights @ table) ** 2
    # What rounding leaves of a constant column is no variance.
    size = np.abs(table).max(axis=0)
    size = size.toarray().ravel() if sparse.issparse(size) else size
    varies = variance > (1e-10 * size) ** 2
    return float(np.sqrt(np.median(variance[varies]))) if varies.any() else 1.0
