"""Hybrid online and batch learning of linear models (Agarwal, Chapelle, Dudík and Langford, JMLR 15:1111)."""

from numbers import Real

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.base import RegressorMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from treatise._core.classifier import LogisticScores, check_classes, codes_among, codes_from_scores, signs_of
from treatise.linear.hybrid._base import HybridLinear
from treatise.optimize import Loss, QuantileLoss


class HybridLinearClassifier(LogisticScores, HybridLinear):
    """Linear classifier that learns online first and then in batch, from memory or from files of any size.

    Every shard of the data is learned in one online pass by itself; the learners are averaged, each weight by how sure
    each learner is of it; preconditioned L-BFGS takes the average to the optimum. Use it where the data outgrow the
    memory, or for sparse data with many features; for a small dense table any solver will do. The objective is the
    *sum* of losses plus ``alpha / 2`` times the squared weights plus ``l1`` times their absolute values, the intercept
    not penalised: with the logistic loss it is that of ``LogisticRegression(C=1/alpha)``.

    A pass costs O(non-zeros), and an iteration of L-BFGS O(memory * n_features) more; memory is about
    ``6 + 2 * memory`` vectors of the number of features, whatever the number of examples. Several classes are learned
    one against the rest, from memory only.

    The online pass knows the penalties too. It keeps unpenalised weights u, to which Algorithm 1 adds its steps, and
    wherever a weight is read, it is the minimiser w of ``(w - u)^2 / (2 r) + c (alpha w^2 / 2 + l1 |w|)``, with r the
    length of that feature's steps by now (the learning rate over the root of its squared gradients): the soft threshold
    of u at ``c r l1``, divided by ``1 + c r alpha``. This is how follow-the-regularised-leader treats a penalty, and
    weights that L1 holds at zero are zeros. A learner of one of m shards, in its k-th pass, meets the share c = k / m
    of the penalties, as it does of the losses; the intercept is spared. With ``partial_fit`` c is 1: the penalties
    stand against all rows so far.

    Parameters
    ----------
    loss : {"logistic", "hinge", "squared_hinge"}, default="logistic"
        The loss. The hinge has a kink, where L-BFGS may end before the minimum.
    alpha : float, default=1.0
        Weight of half the squared weights.
    l1 : float, default=0.0
        Weight of the absolute weights; above 0 the batch phase is OWL-QN. Both count in the online passes too.
    fit_intercept : bool, default=True
        Whether there is a constant feature.
    online_passes : int, default=1
        Online passes before the batch phase.
    max_iter : int, default=100
        Iterations of L-BFGS at most; 0 leaves the averaged online solution.
    tol : float, default=1e-8
        L-BFGS ends when no component of the mean gradient is larger.
    memory : int, default=15
        Pairs of vectors that L-BFGS remembers.
    learning_rate : float, default=0.5
        Length of online steps.
    initial_squares : float, default=1.0
        The squared gradients that each weight starts with (the paper's G = I): it damps the first steps.
    adaptive : bool, default=True
        Whether online steps shrink with the squared gradients of each feature.
    normalized : bool, default=False
        Whether online steps allow for the scale of each feature, so that the data need not be scaled.
    invariant : bool, default=True
        Whether an online step follows the curvature of the loss, which makes a weight of 2 the same as two steps.
    bits : int, default=18
        Features of files are hashed to 2**bits columns.
    quadratic, cubic : tuple of str, default=()
        Products of namespaces of files, such as ``("ab",)``.
    n_shards : int, default=1
        Parts of the data with an online learner each. The optimum does not depend on it.
    n_jobs : int, default=1
        Threads, which share the weights' memory. The result does not depend on it.
    verbose : bool, default=False
        Whether to write lines of progress to standard error.

    Attributes
    ----------
    coef_ : ndarray of shape (1 or n_classes, n_features)
        The weights.
    intercept_ : ndarray of shape (1 or n_classes,)
        The intercepts.
    classes_ : ndarray
        The classes; -1 and 1 after ``fit_files``.
    gradient_squares_ : ndarray of shape (1 or n_classes, n_features + 1)
        The summed squared gradients, by which online learners are averaged; the intercept's stands last.
    n_iter_ : int
        Iterations of L-BFGS.
    objective_path_ : list of float
        The objective at the start of L-BFGS and after each iteration (of the first class).
    status_ : str
        Why L-BFGS ended: ``"gradient"`` when it converged, ``"running"`` when its iterations were used up,
        ``"stalled"`` where no step lowered the objective; ``"online"`` when there were none.
    converged_ : bool
        Whether that is the optimum: the gradient fell to ``tol``, or a step along it has nothing left to gain. Without
        iterations it is not asked.
    progressive_loss_ : float
        Mean loss of the last online pass, of predictions made before learning from their example.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from treatise.linear import HybridLinearClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = StandardScaler().fit_transform(X)
    >>> model = HybridLinearClassifier(alpha=1.0).fit(X, y)
    >>> round(model.score(X, y), 3), model.status_
    (0.988, 'gradient')

    References
    ----------
    .. [1] Paper v15-1111, Algorithms 1 and 2, equation 2.
    """

    _parameter_constraints: dict = {
        **HybridLinear._parameter_constraints,
        "loss": [StrOptions({"logistic", "hinge", "squared_hinge"})],
    }

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit to a matrix in memory.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The data.
        y : array of shape (n_samples,)
            The classes.
        sample_weight : array of shape (n_samples,) or None, default=None
            Importance of each row.
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        signs = signs_of(self._code_labels(y), len(self.classes_))
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self._fit_matrix(sparse.csr_matrix(X), signs, weights)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn online from more rows, after ``fit`` or from nothing.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The data.
        y : array of shape (n_samples,)
            The classes.
        classes : array or None, default=None
            All classes that will ever come; needed in the first call.
        sample_weight : array of shape (n_samples,) or None, default=None
            Importance of each row.
        """
        first = not hasattr(self, "classes_")
        if first and classes is None:
            raise ValueError("the first call of partial_fit needs classes, all that will ever come")
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, reset=first)
        check_classification_targets(y)
        if first:
            check_classes(np.unique(classes))
            self.classes_ = np.unique(classes)
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes={classes} is not what an earlier call gave: {self.classes_}")
        signs = signs_of(codes_among(y, self.classes_), len(self.classes_))
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self._learn_on(sparse.csr_matrix(X), signs, weights)
        return self

    def _scores(self, X):
        return self._linear(X)

    @available_if(lambda self: self.loss == "logistic")
    def predict_proba(self, X):
        """Probabilities of the classes: the logistic function of the scores, scaled to sum to one if several.

        Only with the logistic loss.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
        """
        return super().predict_proba(X)

    def _predictions(self, scores: np.ndarray) -> dict[str, np.ndarray]:
        columns = {"prediction": self.classes_[codes_from_scores(scores)]}
        if self.loss == "logistic":
            columns["probability -1"], columns["probability 1"] = expit(-scores), expit(scores)
        return columns


class HybridLinearRegressor(RegressorMixin, HybridLinear):
    """Linear regression that learns online first and then in batch, from memory or from files of any size.

    As :class:`HybridLinearClassifier`, with the losses of numbers; with the squared loss the optimum is that of
    ``Ridge(alpha)``. For a small dense table a direct solver is faster.

    A pass costs O(non-zeros), and an iteration of L-BFGS O(memory * n_features) more.

    Parameters
    ----------
    loss : {"squared", "quantile", "poisson"}, default="squared"
        Half the squared error, the pinball loss of the quantile ``tau``, or the Poisson deviance of counts with the
        logarithm of the mean linear. The quantile loss has a kink, where L-BFGS may end before the minimum.
    tau : float, default=0.5
        Level of the quantile loss.
    alpha, l1, fit_intercept, online_passes, max_iter, tol, memory, learning_rate, initial_squares, adaptive, \
normalized, invariant, bits, quadratic, cubic, n_shards, n_jobs, verbose
        As for :class:`HybridLinearClassifier`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The weights.
    intercept_ : ndarray of shape (1,)
        The intercept.
    gradient_squares_, n_iter_, objective_path_, status_, progressive_loss_
        As for :class:`HybridLinearClassifier`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from treatise.linear import HybridLinearRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = HybridLinearRegressor(alpha=0.01).fit(X, y)
    >>> round(model.score(X, y), 3), model.status_
    (0.517, 'gradient')

    References
    ----------
    .. [1] Paper v15-1111, Algorithms 1 and 2, equation 2.
    """

    _parameter_constraints: dict = {
        **HybridLinear._parameter_constraints,
        "loss": [StrOptions({"squared", "quantile", "poisson"})],
        "tau": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        loss="squared",
        *,
        tau=0.5,
        alpha=1.0,
        l1=0.0,
        fit_intercept=True,
        online_passes=1,
        max_iter=100,
        tol=1e-8,
        memory=15,
        learning_rate=0.5,
        initial_squares=1.0,
        adaptive=True,
        normalized=False,
        invariant=True,
        bits=18,
        quadratic=(),
        cubic=(),
        n_shards=1,
        n_jobs=1,
        verbose=False,
    ):
        super().__init__(
            loss, alpha=alpha, l1=l1, fit_intercept=fit_intercept, online_passes=online_passes, max_iter=max_iter,
            tol=tol, memory=memory, learning_rate=learning_rate, initial_squares=initial_squares, adaptive=adaptive,
            normalized=normalized, invariant=invariant, bits=bits, quadratic=quadratic, cubic=cubic,
            n_shards=n_shards, n_jobs=n_jobs, verbose=verbose,
        )  # fmt: skip
        self.tau = tau

    def _loss(self) -> Loss:
        return QuantileLoss(self.tau) if self.loss == "quantile" else super()._loss()

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit to a matrix in memory.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The data.
        y : array of shape (n_samples,)
            The targets.
        sample_weight : array of shape (n_samples,) or None, default=None
            Importance of each row.
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, y_numeric=True)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self._fit_matrix(sparse.csr_matrix(X), [self._checked(y)], weights)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y, sample_weight=None):
        """Learn online from more rows, after ``fit`` or from nothing.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            The data.
        y : array of shape (n_samples,)
            The targets.
        sample_weight : array of shape (n_samples,) or None, default=None
            Importance of each row.
        """
        first = not hasattr(self, "coef_")
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64, y_numeric=True, reset=first)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self._learn_on(sparse.csr_matrix(X), [self._checked(y)], weights)
        return self

    def _checked(self, y: np.ndarray) -> np.ndarray:
        if self.loss == "poisson" and y.min() < 0:
            raise ValueError(f"y holds {y.min():g}; the Poisson loss is of counts, from 0 on")
        return y.astype(np.float64, copy=False)

    def predict(self, X):
        """The predicted mean, or quantile, of each row."""
        return self._mean_of(self._linear(X).ravel())

    def _predictions(self, scores: np.ndarray) -> dict[str, np.ndarray]:
        return {"prediction": self._mean_of(scores)}

    def _mean_of(self, scores: np.ndarray) -> np.ndarray:
        return np.exp(scores) if self.loss == "poisson" else scores
