"""What the kernel machines for classes and for numbers share: their basis, their solvers, their certificate."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from treatise._core.invariants import is_array
from treatise.kernel_methods.certificate import kernel_certificate
from treatise.kernels import GramRows, KernelInputMixin
from treatise.optimize import (
    SVMDualProblem,
    minimize_kernel_newton,
    minimize_kernel_quadratic,
    solve_svm_dual,
)


class KernelMachineBase(KernelInputMixin, BaseEstimator):
    """A kernel expansion plus functions that are not penalised, fitted to a convex loss."""

    _parameter_constraints: dict = {
        "penalty": [Interval(Real, 0, None, closed="neither")],
        **KernelInputMixin._kernel_constraints,
        "unpenalized": [StrOptions({"constant"}), None, Interval(Integral, 1, None, closed="left"), list, tuple],
        "width": [Interval(Real, 0, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def _solve(self, objects, X, y, loss, sample_weight):
        n = len(y)
        weights = _check_sample_weight(sample_weight, np.empty((n, 1)), dtype=np.float64, ensure_non_negative=True)
        self.penalty_ = self._own_penalty(weights.sum())
        weights = weights / weights.sum()
        gram, basis = self._gram(objects), self._basis(X, n)
        if np.linalg.matrix_rank(basis) < basis.shape[1]:
            warnings.warn(
                f"the {basis.shape[1]} functions without penalty are dependent on these {n} objects (Proposition 11); "
                "their weights are the shortest of many",
                ConvergenceWarning,
                stacklevel=3,
            )
        if loss.smooth:
            fit = minimize_kernel_newton(
                gram, y, loss, self.penalty_, basis=basis, weights=weights, tol=self.tol, max_iter=self.max_iter
            )
            coef, free, self.n_iter_ = fit.coef, fit.free_coef, fit.n_iter
        else:
            coef, free, self.n_iter_ = self._piecewise_linear(gram, y, loss, weights, basis)
        certificate = kernel_certificate(gram, y, coef, free, self.penalty_, loss, basis=basis, weights=weights)
        self.optimality_residual_ = certificate.violation
        self.converged_ = bool(self.optimality_residual_ <= max(1e-3, 10 * self.tol))
        if not self.converged_:
            warnings.warn(
                f"the optimality conditions are missed by {self.optimality_residual_:.2g} after {self.n_iter_} steps; "
                "raise max_iter or the penalty",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.objective_ = certificate.objective
        self.unpenalized_coef_ = free
        kept = np.flatnonzero(np.abs(coef) > 1e-14 * max(np.abs(coef).max(), np.finfo(float).tiny))
        self.support_, self.dual_coef_ = kept, coef[kept]
        self._support_objects = self._kept(objects, kept)
        return coef

    def _own_penalty(self, weight):
        """The penalty, given the weight of all objects together."""
        return self.penalty

    def _piecewise_linear(self, gram, y, loss, weights, basis):
        """Hinge and tube losses: the dual bounds ``2 penalty |a_i|`` by the object's weight (Corollary 13)."""
        bound = weights / (2.0 * self.penalty_)
        tube = loss.width if loss.name == "epsilon_insensitive" else 0.0
        if basis.shape[1] == 1 and np.all(basis == 1.0):
            if loss.of_labels:
                problem = SVMDualProblem.classification(y, bound)
            else:
                problem = SVMDualProblem.regression(y, bound, tube)
            solution = solve_svm_dual(GramRows.precomputed(gram), problem, tol=self.tol)
            return solution.beta, np.array([solution.offset]), solution.n_iter
        lower = np.where(y > 0, 0.0, -bound) if loss.of_labels else -bound
        upper = np.where(y > 0, bound, 0.0) if loss.of_labels else bound
        coef, free = minimize_kernel_quadratic(gram, y, lower, upper, basis, tube=tube)
        return coef, free, 1

    def _basis(self, X, n):
        """Values of the functions without penalty, of shape (n, r)."""
        if self.unpenalized is None:
            return np.zeros((n, 0))
        if self.unpenalized == "constant":
            return np.ones((n, 1))
        if getattr(self.kernel, "structured", False) or self.kernel == "precomputed":
            raise ValueError("with objects that are no rows of numbers, unpenalized must be 'constant' or None")
        # The rows themselves: what a kernel prepares of them may be something else.
        X = check_array(X, accept_sparse="csr", dtype=np.float64)
        dense = X.toarray() if sparse.issparse(X) else X
        if isinstance(self.unpenalized, Integral):
            powers = [dense**power for power in range(1, self.unpenalized + 1)]
            return np.column_stack([np.ones(n), *powers])
        if len(self.unpenalized) == 0:
            return np.zeros((n, 0))
        return np.column_stack(
            [_values_of(function, position, dense) for position, function in enumerate(self.unpenalized)]
        )

    def _invariants(self):
        yield "objects that are kept have coefficients", is_array(self.dual_coef_, np.floating, len(self.support_))
        known = {"None": 0, "'constant'": 1}.get(repr(self.unpenalized))
        if isinstance(self.unpenalized, Integral):
            known = 1 + self.unpenalized * self.n_features_in_
        yield "terms without penalty have coefficients", is_array(self.unpenalized_coef_, np.floating, known)

    def _machine(self, X):
        check_is_fitted(self)
        scores = self._weighted_scores(self._new_objects(X), self._support_objects, self.dual_coef_)
        return scores + self._basis(X, len(scores)) @ self.unpenalized_coef_


def _values_of(function, position, rows):
    """Columns of one function without penalty, checked."""
    if not callable(function):
        raise ValueError(f"unpenalized[{position}] must be a function of a table; it is {function!r}")
    values = np.asarray(function(rows), np.float64)
    if values.ndim not in (1, 2) or len(values) != len(rows):
        raise ValueError(f"unpenalized[{position}] gave an array of shape {values.shape} for {len(rows)} rows")
    if not np.isfinite(values).all():
        raise ValueError(f"unpenalized[{position}] gave values that are not finite")
    return values.reshape(len(rows), -1)
