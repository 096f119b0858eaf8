"""Tasks that share a machine as far as it serves them (Jebara, JMLR 12:75, Section 8)."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.classifier import ScoreClassifier
from treatise._core.invariants import is_array, is_number, within
from treatise.kernels import KernelInputMixin
from treatise.linear.discrimination._base import keep_progress
from treatise.linear.discrimination._couplings import Pool
from treatise.linear.discrimination._solver import Targets, discriminate
from treatise.linear.discrimination._tasks import ids_of_rows, signs_of_task, task_positions


class AdaptivePoolingClassifier(KernelInputMixin, ScoreClassifier, BaseEstimator):
    """Support vector machines of several tasks: one for all, and one of its own for each task that needs it.

    The score of a row is that of the communal machine plus that of its task's own, weighted by the probability that the
    task departs from the others. With ``alpha=0`` every task has its own machine, with a very large one all are pooled.

    Use it for one question asked of several groups (hospitals, ages, devices) with few rows each. Rows of a group that
    ``fit`` did not see are judged by the communal machine. Bring features to one scale first. Do not use it on more
    than some thousand rows: it takes O(n²) memory.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The communal kernel.
    gamma : float, "scale" or "auto", default="scale"
        Of the "rbf", "poly" and "laplacian" kernels.
    degree : int, default=3
        Of the "poly" kernel.
    coef0 : float, default=1.0
        Of the "poly" kernel.
    C : float, default=1.0
        Cost of an error.
    alpha : float, default=1e5
        Odds, before any data, that a task is like the others.
    scale : float or "auto", default="auto"
        Factor of the kernel in a task's own machine; "auto" is ten times the number of tasks.
    solver : {"newton", "bound"}, default="newton"
        As in :class:`MultiTaskMEDClassifier`.
    tol : float, default=1e-4
        Largest violation of the optimality conditions, in units of the score.
    max_iter : int, default=200
        Most sweeps over the tasks.

    Attributes
    ----------
    weights_ : ndarray of shape (n_tasks,)
        Probability with which each task has a machine of its own.
    tasks_ : ndarray of shape (n_tasks,)
        Ids of the tasks; a single 0 where ``fit`` was given none.
    intercept_ : ndarray of shape (n_tasks,)
        Constants.
    dual_coef_ : ndarray
        Signed multipliers of the support vectors.
    support_ : ndarray of int
        Their rows in the table.
    support_tasks_ : ndarray of int
        Positions of their tasks in ``tasks_``.
    objective_path_, violation_, n_iter_, converged_
        As in :class:`MultiTaskMEDClassifier`.
    classes_ : ndarray of shape (2,)
        The classes.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.linear import AdaptivePoolingClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, tasks = rng.normal(size=(120, 2)), np.repeat([0, 1, 2, 3], 30)
    >>> y = (X[:, 0] * np.where(tasks == 3, -1, 1) > 0).astype(int)  # the last task is the other way round
    >>> model = AdaptivePoolingClassifier().fit(X, y, tasks=tasks)
    >>> int(model.weights_.argmax())
    3

    References
    ----------
    .. [1] Paper v12-0075: Section 8.
    """

    _parameter_constraints: dict = {
        **KernelInputMixin._kernel_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "scale": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "solver": [StrOptions({"newton", "bound"})],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self, kernel="rbf", *, gamma="scale", degree=3, coef0=1.0, C=1.0, alpha=1e5, scale="auto", solver="newton",
        tol=1e-4, max_iter=200,
    ):  # fmt: skip
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.C = C
        self.alpha = alpha
        self.scale = scale
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, tasks=None):
        """Fit all tasks together.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows of all tasks.
        y : array-like of shape (n_samples,)
            Their classes, two.
        tasks : array-like of shape (n_samples,) or None, default=None
            Task of each row; every task needs rows of both classes. None is one task.

        Returns
        -------
        self
        """
        objects, y = self._fit_objects(X, y=y)
        codes = self._code_labels(y)
        tasks = np.zeros(len(codes), int) if tasks is None else ids_of_rows(tasks, codes)
        self.tasks_ = np.unique(tasks)
        rows = [np.flatnonzero(tasks == task) for task in self.tasks_]
        signs = [signs_of_task(y[some], f"task {task!r}")[0] for some, task in zip(rows, self.tasks_.tolist())]
        gram = self._gram(objects)
        self.scale_ = 10.0 * len(rows) if self.scale == "auto" else float(self.scale)
        own = [self.scale_ * gram[np.ix_(some, some)] for some in rows]
        pool = Pool(gram, rows, own, self.alpha, exact=self.solver == "newton")
        targets = [Targets(sign, self.C) for sign in signs]
        found = discriminate(pool, targets, tol=self.tol, max_iter=self.max_iter)
        self.weights_, self.intercept_ = pool.kept, found.offsets
        b, position = np.zeros(len(codes)), np.zeros(len(codes), np.intp)
        for m, some in enumerate(rows):
            b[some], position[some] = found.multipliers[m], m
        self.support_ = np.flatnonzero(b)
        self.dual_coef_, self.support_tasks_ = b[self.support_], position[self.support_]
        self._support_objects = self._kept(objects, self.support_)
        keep_progress(self, found, "or lower C")
        return self

    def decision_function(self, X, tasks=None):
        """Scores of rows, above 0 for the second class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        tasks : array-like of shape (n_samples,) or None, default=None
            Task of each row. One that was not there in ``fit``, or None with several tasks, is judged by the communal
            machine, with the mean of the constants.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        new = self._new_objects(X)
        by_task = np.zeros((len(self.dual_coef_), len(self.tasks_)))
        by_task[np.arange(len(self.dual_coef_)), self.support_tasks_] = self.dual_coef_
        parts = self._weighted_scores(new, self._support_objects, by_task)
        n = len(parts)
        if tasks is None:
            at = np.full(n, 0 if len(self.tasks_) == 1 else -1)
        else:
            at = task_positions(tasks, self.tasks_, parts)
        known = at >= 0
        own = self.scale_ * self.weights_[at] * parts[np.arange(n), at]
        return parts.sum(axis=1) + np.where(known, own + self.intercept_[at], self.intercept_.mean())

    def predict(self, X, tasks=None):
        """Classes of rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        tasks : array-like of shape (n_samples,) or None, default=None
            Task of each row, as in :meth:`decision_function`.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X, tasks)
        return self.classes_[(scores > 0).astype(np.intp)]

    def score(self, X, y, tasks=None, sample_weight=None):
        """Share of right classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            Their classes.
        tasks : array-like of shape (n_samples,) or None, default=None
            Task of each row.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows.

        Returns
        -------
        accuracy : float
        """
        return float(np.average(np.asarray(y) == self.predict(X, tasks), weights=sample_weight))

    def _invariants(self):
        n = len(self.tasks_)
        yield "there is a scale", is_number(self.scale_)
        yield "there is a weight for each task", is_array(self.weights_, np.floating, n)
        yield "there is a constant for each task", is_array(self.intercept_, np.floating, n)
        yield "support vectors have multipliers", is_array(self.dual_coef_, np.floating, None)
        named = is_array(self.support_tasks_, np.integer, len(self.dual_coef_))
        yield "support vectors belong to tasks", named and within(self.support_tasks_, 0, n)
