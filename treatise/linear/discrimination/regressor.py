"""Several regressions that share a selection of features or kernels (Jebara, JMLR 12:75, Section 9)."""

from numbers import Real

import numpy as np
from sklearn.base import RegressorMixin, _fit_context
from sklearn.metrics import r2_score
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import column_or_1d

from treatise._core.invariants import is_array
from treatise._core.threads import few_rows_in_one_thread
from treatise.linear.discrimination._base import MultiTaskMachine
from treatise.linear.discrimination._solver import Targets
from treatise.linear.discrimination._tasks import Task, ids_of_rows, task_positions


class MultiTaskMEDRegressor(RegressorMixin, MultiTaskMachine):
    """Support vector regressions of several tasks that agree on which features, or kernels, matter.

    The same shared selection as :class:`MultiTaskMEDClassifier`, with errors counted beyond a tube about the target.
    Tasks come as ``tasks``, an id for each row, or as the columns of y. Targets are brought to mean 0 and deviation 1
    in each task first, so that ``C``, ``alpha`` and ``epsilon`` do not depend on their units.

    Use it for related responses with few rows each that should rely on the same of many features; bring features to one
    scale first. Do not use it for unrelated ones, or for a single response with many rows: separate regressions are
    cheaper.

    Costs some ten to twenty sweeps of one support vector regression for each task; O(n² p) for a task of n rows.

    Parameters
    ----------
    epsilon : float, default=0.1
        Half the width of the tube, in deviations of the target.

    Attributes
    ----------
    target_means_, target_scales_ : ndarray of shape (n_tasks,)
        Mean and deviation of each task's target.

    Examples
    --------
    >>> from sklearn.datasets import load_linnerud
    >>> from sklearn.preprocessing import scale
    >>> from treatise.linear import MultiTaskMEDRegressor
    >>> X, Y = load_linnerud(return_X_y=True)
    >>> model = MultiTaskMEDRegressor().fit(scale(X), Y)
    >>> model.predict(scale(X)).shape
    (20, 3)

    References
    ----------
    .. [1] Paper v12-0075: Section 9.
    """

    _parameter_constraints: dict = {
        **MultiTaskMachine._parameter_constraints,
        "epsilon": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self, kernels="features", *, C=1.0, alpha=100.0, epsilon=0.1, shared=True, solver="newton", tol=1e-4,
        max_iter=200,
    ):  # fmt: skip
        self.kernels = kernels
        self.C = C
        self.alpha = alpha
        self.epsilon = epsilon
        self.shared = shared
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    @few_rows_in_one_thread
    def fit(self, X, y, tasks=None):
        """Fit all tasks together.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of all tasks, or their Gram matrices with ``kernels="precomputed"``.
        y : array-like of shape (n_samples,) or (n_samples, n_tasks)
            Their targets; of two columns or more every one is a task.
        tasks : array-like of shape (n_samples,) or None, default=None
            Task of each row.

        Returns
        -------
        self
        """
        self._fit_from(X, y, tasks)
        return self

    def _fit_from(self, X, y, tasks, start=None):
        X, y = self._checked(X, y, y_numeric=True)
        y = np.asarray(y, np.float64)
        found = self._read(X, y, tasks)
        self.target_means_ = np.array([task.targets.mean() for task in found])
        deviations = np.array([task.targets.std() for task in found])
        size = np.array([np.abs(task.targets).max() for task in found])
        self.target_scales_ = np.where(deviations > 1e-12 * size, deviations, 1.0)
        scaled = [
            (task.targets - mean) / scale for task, mean, scale in zip(found, self.target_means_, self.target_scales_)
        ]
        return self._fit_tasks(X, found, [Targets(values, self.C, self.epsilon) for values in scaled], start)

    def _read(self, X, y, tasks):
        self.tasks_, every = None, np.arange(len(X))
        self._columns = y.ndim == 2 and y.shape[1] > 1
        if self._columns:
            if tasks is not None:
                raise ValueError("y has several columns, which are the tasks; give a y of one column with tasks")
            return [Task(every, np.ascontiguousarray(column)) for column in y.T]
        y = column_or_1d(y, warn=True)
        if tasks is None:
            return [Task(every, y)]
        tasks = ids_of_rows(tasks, X)
        self.tasks_ = np.unique(tasks)
        return [Task(rows, y[rows]) for rows in (np.flatnonzero(tasks == task) for task in self.tasks_)]

    def predict(self, X, tasks=None):
        """Targets of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        tasks : array-like of shape (n_samples,) or None, default=None
            Task of each row, where ``fit`` was given tasks.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_tasks)
        """
        if self._check_given(tasks):
            scores = self._own_scores(X, tasks)
            at = task_positions(tasks, self.tasks_, scores)
            return self.target_means_[at] + self.target_scales_[at] * scores
        values = self.target_means_ + self.target_scales_ * self._task_scores(X)
        return values if self._columns else values[:, 0]

    def score(self, X, y, tasks=None, sample_weight=None):
        """Share of the variance explained, R²; the mean over columns where there are several.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,) or (n_samples, n_tasks)
            Their targets.
        tasks : array-like of shape (n_samples,) or None, default=None
            Task of each row, where ``fit`` was given tasks.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows.

        Returns
        -------
        r2 : float
        """
        return r2_score(y, self.predict(X, tasks), sample_weight=sample_weight)

    def _invariants(self):
        n = len(self.intercept_)
        yield "there is a mean for each task", is_array(self.target_means_, np.floating, n)
        yield "there is a scale for each task", is_array(self.target_scales_, np.floating, n)
        yield "targets were columns, or not", isinstance(self._columns, bool)
        if self.kernels == "features":
            yield "there are weights for each task", is_array(self.coef_, np.floating, n, self.n_features_in_)
        else:
            yield from self._invariants_of_kernels(n)
