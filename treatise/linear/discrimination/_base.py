"""What the multi-task machines share: parameters, kernels, switches, the fit and what it leaves."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, check_X_y, validate_data

from treatise._core.documentation import InheritsDocumentation
from treatise._core.invariants import is_array, within
from treatise._core.magnitudes import check_magnitudes
from treatise.kernels import KERNEL_NAMES, Kernel, resolve_kernel
from treatise.kernels.bank.bank import KernelBank
from treatise.kernels.bank.input import gram_matrices
from treatise.linear.discrimination._couplings import FeatureSwitches, KernelSwitches
from treatise.linear.discrimination._solver import discriminate
from treatise.linear.discrimination._tasks import refuse_unknown, task_positions


class MultiTaskMachine(InheritsDocumentation, BaseEstimator):
    """Base of the machines whose tasks share a selection of features or kernels.

    Parameters
    ----------
    kernels : "features", "precomputed" or list, default="features"
        What is selected: the features, or kernels of a list, each a name ("linear", "rbf", "poly", "laplacian"), a
        Kernel or a function of two tables. With "precomputed", X is a list of Gram matrices or an array of shape
        (n_samples, n_samples, n_kernels), which cross-validation can slice; new rows come as matrices, or one array, of
        their kernels with all training rows.
    C : float, default=1.0
        Cost of an error, as in a support vector machine.
    alpha : float, default=100.0
        Strength of the selection, from 0 on: odds, before any data, that a feature is of no use. 0 selects nothing: the
        tasks are then separate support vector machines.
    shared : bool, default=True
        Whether all tasks share one selection; otherwise each makes its own (Section 7.1).
    solver : {"newton", "bound"}, default="newton"
        How a task's part of the objective is modelled: by its second derivative, with a line search, or by the paper's
        bound (Algorithm 1), which takes more sweeps, many for a large ``alpha``.
    tol : float, default=1e-4
        Largest violation of the optimality conditions, in units of the score.
    max_iter : int, default=200
        Most sweeps over the tasks.

    Attributes
    ----------
    weights_ : ndarray of shape (n_switches,) or (n_tasks, n_switches)
        Probability with which each feature or kernel is kept, between 1 / (1 + alpha) and 1; of each task where
        ``shared`` is false.
    coef_ : ndarray of shape (n_tasks, n_features)
        Weights of the features, with ``kernels="features"``.
    intercept_ : ndarray of shape (n_tasks,)
        Constants.
    dual_coef_ : list of ndarray
        Signed multipliers of each task's support vectors.
    support_ : list of ndarray of int
        Their rows in the table.
    tasks_ : ndarray of shape (n_tasks,) or None
        Ids of the tasks, where ``fit`` was given some.
    objective_path_ : ndarray
        Objective at the start and after each sweep; it never falls.
    violation_ : float
        Largest violation of the optimality conditions.
    n_iter_ : int
        Sweeps.
    converged_ : bool
        Whether the violation is within ``tol``.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.
    """

    _parameter_constraints: dict = {
        "kernels": [StrOptions({"features", "precomputed"}), list, tuple],
        "C": [Interval(Real, 0, None, closed="neither")],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "shared": ["boolean"],
        "solver": [StrOptions({"newton", "bound"})],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def _fit_tasks(self, X, tasks, targets, start=None):
        """Fit tasks (rows of X) with their targets, and keep what prediction needs."""
        coupling = self._coupling(X, tasks)
        found = discriminate(coupling, targets, tol=self.tol, max_iter=self.max_iter, start=start)
        self.weights_ = coupling.kept if self.shared else coupling.kept.reshape(len(tasks), -1)
        self.intercept_ = found.offsets
        supports = [np.flatnonzero(b) for b in found.multipliers]
        self.dual_coef_ = [b[support] for b, support in zip(found.multipliers, supports)]
        self.support_ = [task.rows[support] for task, support in zip(tasks, supports)]
        if self.kernels == "features":
            self.coef_ = np.array([coupling.weighted(m) for m in range(len(tasks))])
        elif not self._is_precomputed:
            self._support_vectors = [X[rows] for rows in self.support_]
        keep_progress(self, found, "lower alpha or C, or bring the features to one scale")
        return found.multipliers

    @property
    def _is_precomputed(self):
        return isinstance(self.kernels, str) and self.kernels == "precomputed"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed
        return tags

    def _checked(self, X, y, **checks):
        """Rows and targets; of precomputed kernels the Gram matrices along the last axis of an array."""
        if not self._is_precomputed:
            X, y = validate_data(self, X, y, dtype=np.float64, multi_output=True, **checks)
            for name, values in (("X", X), ("y", y)):
                if values.dtype.kind == "f":
                    check_magnitudes(values, name)
            return X, y
        grams = gram_matrices(X)
        KernelBank.precomputed(grams, normalize=None)  # refuses what is no Gram matrix
        X, y = check_X_y(grams[0], y, dtype=np.float64, multi_output=True, **checks)
        self.n_features_in_ = len(X)
        return np.stack(grams, axis=-1), y

    def _coupling(self, X, tasks):
        exact = self.solver == "newton"
        n = X.shape[-1] if isinstance(self.kernels, str) else len(self.kernels)
        switch = [np.arange(n) + (0 if self.shared else m * n) for m in range(len(tasks))]
        n_switches = n if self.shared else n * len(tasks)
        if self.kernels == "features":
            tables = [X[task.rows] for task in tasks]
            return FeatureSwitches(tables, switch, n_switches, self.alpha, exact=exact)
        if self._is_precomputed:
            grams = [np.moveaxis(X[np.ix_(task.rows, task.rows)], -1, 0) for task in tasks]
        else:
            self._kernels = resolved_kernels(self.kernels, X)
            grams = [gram_stack(self._kernels, X[task.rows]) for task in tasks]
        return KernelSwitches(grams, switch, n_switches, self.alpha, exact=exact)

    def _task_scores(self, X):
        """Scores of rows by every task's machine, of shape (n, n_tasks)."""
        check_is_fitted(self)
        if self._is_precomputed:
            blocks = self._new_blocks(X)
            n = len(blocks[0])
        else:
            X = validate_data(self, X, dtype=np.float64, reset=False)
            n = len(X)
        if self.kernels == "features":
            return X @ self.coef_.T + self.intercept_
        scores = np.tile(self.intercept_, (n, 1))
        for m, b in enumerate(self.dual_coef_):
            weights = self.weights_ if self.shared else self.weights_[m]
            for d, weight in enumerate(weights if len(b) else ()):
                if self._is_precomputed:
                    block = blocks[d][:, self.support_[m]]
                else:
                    kernel = self._kernels[d]
                    block = kernel.block(kernel.prepare(X), kernel.prepare(self._support_vectors[m]))
                scores[:, m] += weight * (block @ b)
        return scores

    def _new_blocks(self, X):
        """Kernels of new rows with the training rows, a matrix for each kernel."""
        blocks, n_kernels = gram_matrices(X), self.weights_.shape[-1]
        if len(blocks) != n_kernels or blocks[0].shape[1] != self.n_features_in_:
            raise ValueError(
                f"X holds {len(blocks)} matrices of {blocks[0].shape[1]} columns; {type(self).__name__} was fitted to "
                f"{n_kernels} kernels of {self.n_features_in_} rows"
            )
        return blocks

    def _invariants(self):
        named = self.tasks_ is None or (isinstance(self.tasks_, np.ndarray) and self.tasks_.ndim == 1)
        yield "tasks have names, or none has", named
        yield "each of them has its machine", self.tasks_ is None or len(self.tasks_) == len(self.intercept_)

    def _invariants_of_kernels(self, n_tasks):
        yield "there are multipliers for each task", len(self.dual_coef_) == n_tasks
        if not self._is_precomputed:
            yield "there are support vectors for each task", len(self._support_vectors) == n_tasks
            return
        rows = self.n_features_in_
        yield (
            "support vectors are rows of the training table",
            len(self.support_) == n_tasks
            and all(
                is_array(some, np.integer, len(b)) and within(some, 0, rows)
                for some, b in zip(self.support_, self.dual_coef_)
            ),
        )

    def _own_scores(self, X, tasks):
        """Scores of rows, each by the machine of its own task."""
        scores = self._task_scores(X)
        positions = task_positions(tasks, self.tasks_, scores)
        refuse_unknown(tasks, positions, self.tasks_)
        return scores[np.arange(len(scores)), positions]

    def _check_given(self, tasks):
        """Whether rows come with tasks, as in ``fit``."""
        check_is_fitted(self)
        if tasks is None and self.tasks_ is not None:
            raise ValueError(f"tasks is missing: fit knew {len(self.tasks_)} tasks, so every row needs its own")
        if tasks is not None and self.tasks_ is None:
            raise ValueError("tasks was given, but fit had none; leave it out, or give it to fit too")
        return tasks is not None


def keep_progress(model, found, advice):
    """Store how the sweeps went, and tell where they fell short."""
    model.objective_path_, model.violation_ = found.objectives, found.violation
    model.n_iter_, model.converged_ = found.n_iter, found.converged
    if not found.converged:
        warnings.warn(
            f"the optimality conditions are violated by {found.violation:.2g} after max_iter={model.max_iter} sweeps, "
            f"above tol={model.tol:g}; raise max_iter or tol, {advice}",
            ConvergenceWarning,
            stacklevel=5,
        )


def resolved_kernels(kernels, X):
    """Kernel objects of a list of names, kernels and functions."""
    if len(kernels) == 0:
        raise ValueError("kernels is empty; give at least one, or 'features'")
    for kernel in kernels:
        if not (isinstance(kernel, Kernel) or callable(kernel) or kernel in KERNEL_NAMES):
            raise ValueError(f"kernels holds {kernel!r}; it may hold {', '.join(KERNEL_NAMES)}, a Kernel or a function")
    return [resolve_kernel(kernel, X) for kernel in kernels]


def gram_stack(kernels, X):
    """Gram matrices of rows, one for each kernel."""
    stack = np.empty((len(kernels), len(X), len(X)))
    for d, kernel in enumerate(kernels):
        objects = kernel.prepare(X)
        gram = kernel.block(objects, objects)
        stack[d] = 0.5 * (gram + gram.T)
    return stack
