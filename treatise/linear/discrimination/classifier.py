"""Several classifiers that share a selection of features or kernels (Jebara, JMLR 12:75, Sections 6 and 7)."""

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils.validation import column_or_1d

from treatise._core.classifier import Classifier, check_classes, classes_and_codes, codes_from_scores, signs_of
from treatise._core.threads import few_rows_in_one_thread
from treatise.linear.discrimination._base import MultiTaskMachine
from treatise.linear.discrimination._solver import Targets
from treatise.linear.discrimination._tasks import Task, ids_of_rows, signs_of_task


class MultiTaskMEDClassifier(Classifier, MultiTaskMachine):
    r"""Support vector machines of several tasks that agree on which features, or kernels, matter.

    Every feature has a switch that all tasks share, kept with a probability :math:`s_d` that grows with what the
    feature does for all tasks together; a machine's kernel is :math:`\sum_d s_d k_d`. Maximum entropy discrimination
    makes this one convex problem, solved by a short sequence of support vector machines.

    Tasks come in one of three ways. With ``tasks``, an id for each row, every task has rows of its own, all of the same
    two classes. With a y of several columns every column is a task on all rows (labels that do not exclude one
    another). With several classes and neither, every class is a task against the rest. New rows are treated alike.

    Use it for related tasks with few rows each that should rely on the same of many features. Bring features to one
    scale first. Do not use it for unrelated tasks: ``shared=False`` selects for each on its own. A large ``alpha``
    shrinks all weights, so that ``C`` should grow with it.

    Costs some ten to twenty sweeps of one support vector machine for each task; O(n² p) for a task of n rows, and O(n²)
    memory for each kernel of a list.

    Attributes
    ----------
    classes_ : ndarray, or list of ndarray
        The classes; of each column where y has several.

    See Also
    --------
    MultiTaskMEDRegressor : The same for numbers.
    AdaptivePoolingClassifier : Tasks that share a machine rather than features.
    selection_path : Solutions for many values of ``alpha``.
    kernel_metric : The distance that a selection makes.

    Examples
    --------
    >>> from treatise.datasets import make_shared_features
    >>> from treatise.linear import MultiTaskMEDClassifier
    >>> X, y, tasks = make_shared_features(random_state=0)
    >>> model = MultiTaskMEDClassifier(alpha=300).fit(X, y, tasks=tasks)
    >>> sorted(model.weights_.argsort()[-5:].tolist())
    [0, 1, 2, 3, 4]
    >>> model.predict(X[:3], tasks=tasks[:3])
    array([0, 0, 1])

    References
    ----------
    .. [1] Paper v12-0075: Sections 6, 7 and 10, Algorithm 1.
    """

    def __init__(self, kernels="features", *, C=1.0, alpha=100.0, shared=True, solver="newton", tol=1e-4, max_iter=200):
        self.kernels = kernels
        self.C = C
        self.alpha = alpha
        self.shared = shared
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
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
            Their classes; of two columns or more, each with two classes, every one is a task.
        tasks : array-like of shape (n_samples,) or None, default=None
            Task of each row; every task needs rows of both classes.

        Returns
        -------
        self
        """
        self._fit_from(X, y, tasks)
        return self

    def _fit_from(self, X, y, tasks, start=None):
        X, y = self._checked(X, y)
        found, signs = self._read(X, y, tasks)
        return self._fit_tasks(X, found, [Targets(sign, self.C) for sign in signs], start)

    def _read(self, X, y, tasks):
        """Rows of each task, and their labels as -1 and 1."""
        self.tasks_, every = None, np.arange(len(X))
        if y.ndim == 2 and y.shape[1] > 1:
            if tasks is not None:
                raise ValueError("y has several columns, which are the tasks; give a y of one column with tasks")
            signs, self.classes_ = [], []
            for k, column in enumerate(y.T):
                sign, classes = signs_of_task(column, f"column {k} of y")
                signs.append(sign)
                self.classes_.append(classes)
            return [Task(every, sign) for sign in signs], signs
        y = column_or_1d(y, warn=True)
        self.classes_, codes = classes_and_codes(y)
        check_classes(self.classes_)
        if tasks is None:
            signs = signs_of(codes, len(self.classes_))
            return [Task(every, sign) for sign in signs], signs
        tasks = ids_of_rows(tasks, X)
        signs_of_task(y, "y")
        self.tasks_ = np.unique(tasks)
        rows = [np.flatnonzero(tasks == task) for task in self.tasks_]
        signs = [signs_of_task(y[some], f"task {task!r}")[0] for some, task in zip(rows, self.tasks_.tolist())]
        return [Task(some, sign) for some, sign in zip(rows, signs)], signs

    def decision_function(self, X, tasks=None):
        """Scores of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        tasks : array-like of shape (n_samples,) or None, default=None
            Task of each row, where ``fit`` was given tasks.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_tasks)
            Above 0 for the second class of the row's task or of the only one; else of every column or class.
        """
        if self._check_given(tasks):
            return self._own_scores(X, tasks)
        scores = self._task_scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X, tasks=None):
        """Classes of rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        tasks : array-like of shape (n_samples,) or None, default=None
            Task of each row, where ``fit`` was given tasks.

        Returns
        -------
        labels : ndarray of shape (n_samples,) or (n_samples, n_tasks)
            With a column for each where ``fit`` was given several.
        """
        scores = self.decision_function(X, tasks)
        if isinstance(self.classes_, list):
            return np.column_stack([classes[codes_from_scores(s)] for classes, s in zip(self.classes_, scores.T)])
        return self.classes_[codes_from_scores(scores)]

    def score(self, X, y, tasks=None, sample_weight=None):
        """Share of right classes; of several columns, of rows with all of them right.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,) or (n_samples, n_tasks)
            Their classes.
        tasks : array-like of shape (n_samples,) or None, default=None
            Task of each row, where ``fit`` was given tasks.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the rows.

        Returns
        -------
        accuracy : float
        """
        right = np.asarray(y) == self.predict(X, tasks)
        return float(np.average(right if right.ndim == 1 else right.all(axis=1), weights=sample_weight))

    def _classes_of_targets(self):
        return self.classes_ if isinstance(self.classes_, list) else [self.classes_]

    def _invariants(self):
        yield "there is a constant for each task", np.ndim(self.intercept_) == 1
        n, classes = len(self.intercept_), [len(each) for each in self._classes_of_targets()]
        if isinstance(self.classes_, list):
            yield "a column is a task of two classes", self.tasks_ is None and classes == [2] * n
        elif self.tasks_ is None:
            yield "two classes are a task, or each of several is", n == (1 if classes == [2] else classes[0])
        else:
            yield "tasks are of two classes", classes == [2]
        if self.kernels == "features":
            yield "there are weights for each task", np.shape(self.coef_) == (n, self.n_features_in_)
        else:
            yield from self._invariants_of_kernels(n)
