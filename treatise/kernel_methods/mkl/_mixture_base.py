"""What machines on a learned mixture of kernels share: weights of objects, stored solutions, scores."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_sample_weight, _num_samples, check_is_fitted

from treatise._core.classifier import ScoreClassifier, row_weights, signs_of
from treatise._core.invariants import is_array
from treatise.kernel_methods.mkl._certificate import relative_gap
from treatise.kernels import KernelBankInputMixin
from treatise.optimize import SVMDualProblem


@dataclass(frozen=True)
class MixtureSolution:
    """Where a solver came to.

    Attributes
    ----------
    weights : ndarray of shape (n_kernels,)
        Weights of the normalised kernels.
    beta : ndarray of shape (n,)
        Weights of the objects.
    offset : float
        The offset.
    upper, lower : float
        Ends of the interval that holds the optimal value.
    n_machines : int
        Machines solved on one mixture.
    history : list of (float, float)
        Ends of the interval after each step.
    converged : bool
        Whether the tolerance was reached.
    """

    weights: np.ndarray
    beta: np.ndarray
    offset: float
    upper: float
    lower: float
    n_machines: int
    history: list
    converged: bool


class MixtureMachineBase(KernelBankInputMixin, BaseEstimator):
    """A support vector machine, or several, on learned mixtures of kernels."""

    def _object_weights(self, X, sample_weight):
        """Checked weights of the objects, None where none are given."""
        if sample_weight is None:
            return None
        n = len(X[0]) if self._is_precomputed and isinstance(X, (list, tuple)) else _num_samples(X)
        return _check_sample_weight(sample_weight, np.empty((n, 1)), dtype=np.float64, ensure_non_negative=True)

    def _store(self, bank, solutions):
        """Keep what later scores need of one solution, or of one for each class."""
        gaps = np.array([relative_gap(solution.upper, solution.lower) for solution in solutions])
        self.converged_ = all(solution.converged for solution in solutions)
        if not self.converged_:
            warnings.warn(
                f"the relative duality gap is {gaps.max():.2g} after {self.max_iter} steps; tol={self.tol:g} asks for "
                "less: raise max_iter or tol",
                ConvergenceWarning,
                stacklevel=4,
            )
        coef = np.column_stack([solution.beta for solution in solutions])
        self.support_ = np.flatnonzero(np.any(coef != 0, axis=1))
        self._coef = coef[self.support_]
        self._weights = np.array([solution.weights for solution in solutions])
        self._offsets = np.array([solution.offset for solution in solutions])
        self._keep(bank, self.support_)
        several = len(solutions) > 1
        self.kernel_weights_ = self._weights if several else self._weights[0]
        self.kernel_scales_ = bank.scales
        self.dual_coef_ = self._coef.T if several else self._coef[:, 0]
        self.objective_ = np.array([s.upper for s in solutions]) if several else solutions[0].upper
        self.duality_gap_ = float(gaps.max())
        self.n_iter_ = max(len(solution.history) for solution in solutions)
        self.n_machines_ = sum(solution.n_machines for solution in solutions)
        self.bounds_ = [np.array(s.history) for s in solutions] if several else np.array(solutions[0].history)

    def _invariants(self):
        n, machines = len(self.support_), len(self._offsets)
        yield "machines have offsets", is_array(self._offsets, np.floating, None) and machines > 0
        yield "rows that are kept have a coefficient for each machine", is_array(self._coef, np.floating, n, machines)
        yield "machines weigh the kernels", is_array(self._weights, np.floating, machines, len(self._scales))

    def _scores(self, X):
        """Scores of new objects by every machine, of shape (n, n_machines)."""
        check_is_fitted(self)
        return self._mixture_scores(X, self._coef, self._weights) + self._offsets


class MixtureClassifier(ScoreClassifier):
    """Classes by machines of two: one machine, or one for each class against the rest."""

    def _class_problems(self, y, weights):
        """Set ``classes_`` and return a problem of two classes, or one for each class."""
        codes = self._code_labels(y)
        weights, _ = row_weights(codes, self.classes_, weights)
        return [SVMDualProblem.classification(signs, self.C * weights) for signs in signs_of(codes, len(self.classes_))]
