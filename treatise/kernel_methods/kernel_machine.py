"""Kernel machines with any convex loss and functions that are not penalised (De Vito et al., JMLR 5:1363)."""

import numpy as np
from sklearn.base import RegressorMixin, _fit_context
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if

from treatise._core.classifier import LogisticScores, row_weights, signs_of
from treatise._core.threads import few_rows_in_one_thread
from treatise.kernel_methods._kernel_machine_base import KernelMachineBase
from treatise.optimize import make_loss

LABEL_LOSSES = ("hinge", "squared_hinge", "modified_huber", "logistic", "exponential")
_LOGISTIC_COST = 5.0
"""C of kernel logistic regression that suits real tables as C = 1 suits support vector machines."""
NUMBER_LOSSES = ("squared", "absolute", "epsilon_insensitive", "huber")


def machine_loss(name, width=0.1):
    """The loss as the paper counts it: the whole squared error, and Huber's loss to match."""
    loss = make_loss(name, width=width) if name in ("huber", "epsilon_insensitive") else make_loss(name)
    return 2.0 * loss if name in ("squared", "huber") else loss


def _has_probabilities(machine):
    if machine.loss != "logistic":
        raise AttributeError(f"probabilities come from loss='logistic'; it is {machine.loss!r}")
    return True


class KernelMachineClassifier(LogisticScores, KernelMachineBase):
    """Two-class kernel machine: kernel logistic regression, support vector machines, and losses between.

    Minimises mean loss plus ``penalty`` times the squared length of the kernel expansion, over the expansion and over
    functions that are not penalised, and certifies the result: ``optimality_residual_`` is how far the solution is from
    the exact optimality conditions. Kernel logistic regression (the default) has honest probabilities;
    "modified_huber" and "hinge" bound the influence of any one object, the other losses without bounded slopes do not.

    Use it for probabilities, for terms that must not be penalised and for a machine that is certainly optimal, up to a
    few thousand rows: memory is n² numbers, and a step O(m³) for the m objects where the loss is curved. Not beyond
    that, nor where a plain support vector machine does: solvers that never hold the whole kernel are quicker.
    For more than two classes wrap it in ``OneVsRestClassifier``.

    Parameters
    ----------
    penalty : float or "auto", default="auto"
        Weight of the squared length of the kernel expansion beside the mean loss; an SVC's C is ``1 / (2 n penalty)``.
        "auto" is ``1 / (2 n)``, which is C = 1, and a fifth of it for the logistic loss, whose slope is less steep; n
        is the sum of the weights where objects have weights.
    loss : {"logistic", "hinge", "squared_hinge", "modified_huber", "exponential", "squared"}, default="logistic"
        The loss of a margin; "squared" is least squares on the labels -1 and 1.
    kernel : {"rbf", "linear", "poly", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel.
    gamma : float, "scale" or "auto", default="scale"
        Of the "rbf", "poly" and "laplacian" kernels.
    degree : int, default=3
        Of the "poly" kernel.
    coef0 : float, default=1.0
        Of the "poly" kernel.
    unpenalized : {"constant"}, None, int or list of callables, default="constant"
        Functions added to the expansion without penalty: an offset, none, all powers of the features up to a degree, or
        functions that map X to one or more columns.
    tol : float, default=1e-8
        Largest violation of the optimality conditions.
    max_iter : int, default=100
        Most steps of Newton's method.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The classes.
    support_ : ndarray
        Positions of the training objects with a weight.
    dual_coef_ : ndarray
        Their weights.
    unpenalized_coef_ : ndarray of shape (r,)
        Weights of the functions without penalty; one, the offset, by default.
    penalty_ : float
        The penalty in use.
    optimality_residual_ : float
        Violation of the optimality conditions.
    objective_ : float
        Mean loss plus penalty.
    n_iter_ : int
        Steps.
    converged_ : bool
        Whether the conditions of the optimum hold, to ``max(1e-3, 10 tol)``.

    See Also
    --------
    InfluenceFunction : What one object does to the machine.

    Examples
    --------
    >>> from sklearn.datasets import make_circles
    >>> from treatise.kernel_methods import KernelMachineClassifier
    >>> X, y = make_circles(80, noise=0.1, factor=0.5, random_state=0)
    >>> machine = KernelMachineClassifier(1e-3).fit(X, y)
    >>> machine.score(X, y), bool(machine.optimality_residual_ < 1e-8)
    (0.9875, True)

    References
    ----------
    .. [1] Paper v05-1363, Theorems 2 and 6, Corollary 13.
    """

    _parameter_constraints: dict = {
        **{name: value for name, value in KernelMachineBase._parameter_constraints.items() if name != "width"},
        "penalty": [*KernelMachineBase._parameter_constraints["penalty"], StrOptions({"auto"})],
        "loss": [StrOptions({*LABEL_LOSSES, "squared"})],
    }

    def __init__(
        self,
        penalty="auto",
        *,
        loss="logistic",
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=1.0,
        unpenalized="constant",
        tol=1e-8,
        max_iter=100,
    ):
        self.penalty = penalty
        self.loss = loss
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.unpenalized = unpenalized
        self.tol = tol
        self.max_iter = max_iter

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    @_fit_context(prefer_skip_nested_validation=False)
    @few_rows_in_one_thread
    def fit(self, X, y, sample_weight=None):
        """Fit the machine.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            Training objects.
        y : array-like of shape (n_samples,)
            Two classes.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the objects in the mean loss.

        Returns
        -------
        self : KernelMachineClassifier
        """
        objects, y = self._fit_objects(X, y=y, sample_weight=sample_weight)
        codes = self._code_labels(y)
        # With one class alone no best offset exists (Proposition 9).
        sample_weight, _ = row_weights(codes, self.classes_, sample_weight)
        (signs,) = signs_of(codes, 2)
        self._solve(objects, X, signs, machine_loss(self.loss), sample_weight)
        return self

    def _own_penalty(self, weight):
        if self.penalty != "auto":
            return self.penalty
        return 0.5 / (weight * (_LOGISTIC_COST if self.loss == "logistic" else 1.0))

    def _scores(self, X):
        return self._machine(X)[:, np.newaxis]

    @available_if(_has_probabilities)
    def predict_proba(self, X):
        """Probabilities of both classes, for the logistic loss.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            Objects to classify.

        Returns
        -------
        p : ndarray of shape (n_samples, 2)
        """
        return super().predict_proba(X)


class KernelMachineRegressor(RegressorMixin, KernelMachineBase):
    """Kernel regression with robust losses and terms that are not penalised.

    Kernel ridge regression with an offset or a polynomial left free ("squared"), robust regression ("huber",
    "absolute") and support vector regression ("epsilon_insensitive") in one, with a certificate of optimality. With
    ``kernel=CubicSpline()`` and ``unpenalized=1`` it is the smoothing spline.

    Use it for outliers among the targets, or for a trend that must not be shrunk. Not beyond a few thousand rows, nor
    for plain kernel ridge regression without an offset, which scikit-learn has. Memory is n² numbers; time n³ for the
    squared loss, and that for each of some ten steps for "huber".

    Parameters
    ----------
    penalty : float, default=1e-2
        Weight of the squared length of the kernel expansion beside the mean loss.
    loss : {"squared", "huber", "absolute", "epsilon_insensitive"}, default="squared"
        The loss of an error.
    width : float, default=0.1
        Of the quadratic part of Huber's loss, or of the insensitive zone.
    kernel : {"rbf", "linear", "poly", "laplacian", "precomputed"}, Kernel or callable, default="rbf"
        The kernel.
    gamma : float, "scale" or "auto", default="scale"
        Of the "rbf", "poly" and "laplacian" kernels.
    degree : int, default=3
        Of the "poly" kernel.
    coef0 : float, default=1.0
        Of the "poly" kernel.
    unpenalized : {"constant"}, None, int or list of callables, default="constant"
        Functions added to the expansion without penalty: an offset, none, all powers of the features up to a degree, or
        functions that map X to one or more columns.
    tol : float, default=1e-8
        Largest violation of the optimality conditions.
    max_iter : int, default=100
        Most steps of Newton's method.

    Attributes
    ----------
    support_ : ndarray
        Positions of the training objects with a weight.
    dual_coef_ : ndarray
        Their weights.
    unpenalized_coef_ : ndarray of shape (r,)
        Weights of the functions without penalty.
    penalty_ : float
        The penalty in use.
    optimality_residual_ : float
        Violation of the optimality conditions.
    objective_ : float
        Mean loss plus penalty.
    n_iter_ : int
        Steps.
    converged_ : bool
        Whether the conditions of the optimum hold, to ``max(1e-3, 10 tol)``.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernel_methods import KernelMachineRegressor
    >>> x = np.linspace(0, 6, 60)[:, None]
    >>> y = np.sin(x[:, 0]) + 0.5 * x[:, 0]
    >>> y[30] = 50.0
    >>> machine = KernelMachineRegressor(loss="absolute", unpenalized=1).fit(x, y)
    >>> bool(np.abs(machine.predict(x[31:]) - y[31:]).max() < 0.1)
    True

    References
    ----------
    .. [1] Paper v05-1363, Theorems 2 and 6, Corollary 13.
    """

    _parameter_constraints: dict = {
        **KernelMachineBase._parameter_constraints,
        "loss": [StrOptions(set(NUMBER_LOSSES))],
    }

    def __init__(
        self,
        penalty=1e-2,
        *,
        loss="squared",
        width=0.1,
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=1.0,
        unpenalized="constant",
        tol=1e-8,
        max_iter=100,
    ):
        self.penalty = penalty
        self.loss = loss
        self.width = width
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.unpenalized = unpenalized
        self.tol = tol
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=False)
    @few_rows_in_one_thread
    def fit(self, X, y, sample_weight=None):
        """Fit the machine.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            Training objects.
        y : array-like of shape (n_samples,)
            Numbers.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            Weights of the objects in the mean loss.

        Returns
        -------
        self : KernelMachineRegressor
        """
        objects, y = self._fit_objects(X, y=y, y_numeric=True, sample_weight=sample_weight)
        loss = machine_loss(self.loss, self.width)
        self._solve(objects, X, np.asarray(y, np.float64), loss, sample_weight)
        return self

    def predict(self, X):
        """Numbers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the kernel reads
            Objects to predict.

        Returns
        -------
        y : ndarray of shape (n_samples,)
        """
        return self._machine(X)
