"""Hybrid online and batch learning of linear models (Agarwal, Chapelle, Dudík and Langford, JMLR 15:1111)."""

import os
from collections.abc import Iterable, Iterator
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from treatise._core.errors import TreatiseError
from treatise.io import Chunk, Stream
from treatise.linear import _hybrid_kernels as kernels
from treatise.linear._hybrid_checkpoint import Checkpoint
from treatise.linear._hybrid_dask import DaskPasses
from treatise.linear._hybrid_fit import Fitted, Plan, fit_hybrid
from treatise.linear._hybrid_passes import LocalPasses, OnlineState, Passes, Settings, learn_online, targets
from treatise.linear._hybrid_progress import ProgressLines
from treatise.optimize import Loss
from treatise.optimize.losses import MARGIN_LOSSES, REGRESSION_LOSSES

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


class Evaluation(NamedTuple):
    """How a model does on files: examples, mean loss, and accuracy or root mean squared error."""

    examples: int
    loss: float
    score: float
    skipped: int


class _MatrixShard:
    """Rows of a matrix in memory, as one chunk."""

    def __init__(self, X: sparse.csr_matrix, y: np.ndarray, weights: np.ndarray, first: int, past: int) -> None:
        indptr = X.indptr[first : past + 1].astype(np.int64)
        indices = X.indices.astype(np.int32, copy=False)
        self._chunk = Chunk(indptr, indices, X.data, y[first:past], weights[first:past])

    def __iter__(self) -> Iterator[Chunk]:
        yield self._chunk


class _HybridLinear(BaseEstimator):
    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "l1": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "online_passes": [Interval(Integral, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "memory": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "initial_squares": [Interval(Real, 0, None, closed="neither")],
        "adaptive": ["boolean"],
        "normalized": ["boolean"],
        "invariant": ["boolean"],
        "bits": [Interval(Integral, 1, 30, closed="both")],
        "quadratic": [tuple, list],
        "cubic": [tuple, list],
        "n_shards": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Interval(Integral, 1, None, closed="left")],
        "verbose": ["boolean"],
    }

    def __init__(
        self, loss, *, alpha, l1, fit_intercept, online_passes, max_iter, tol, memory, learning_rate,
        initial_squares, adaptive, normalized, invariant, bits, quadratic, cubic, n_shards, n_jobs, verbose,
    ):  # fmt: skip
        self.loss = loss
        self.alpha = alpha
        self.l1 = l1
        self.fit_intercept = fit_intercept
        self.online_passes = online_passes
        self.max_iter = max_iter
        self.tol = tol
        self.memory = memory
        self.learning_rate = learning_rate
        self.initial_squares = initial_squares
        self.adaptive = adaptive
        self.normalized = normalized
        self.invariant = invariant
        self.bits = bits
        self.quadratic = quadratic
        self.cubic = cubic
        self.n_shards = n_shards
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @classmethod
    def _contract_example(cls):
        """Two ways to the optimum agree to as many digits as scikit-learn's checks ask only when both reach it."""
        return cls(tol=1e-12, max_iter=1000)

    @property
    def _classify(self) -> bool:
        return isinstance(self, ClassifierMixin)

    def _loss(self) -> Loss:
        return Loss(self.loss)

    def _settings(self, n_features: int) -> Settings:
        return Settings(
            self._loss(), n_features, self._classify, self.fit_intercept, self.learning_rate, self.adaptive,
            self.normalized, self.invariant,
        )  # fmt: skip

    def _plan(self) -> Plan:
        return Plan(self.alpha, self.l1, self.online_passes, self.max_iter, self.tol, self.memory)

    def _fit_matrix(self, X: sparse.csr_matrix, targets: list[np.ndarray], weights: np.ndarray) -> None:
        """One fit for each vector of targets, and their weights side by side."""
        settings = self._settings(X.shape[1])
        bounds = [round(i * X.shape[0] / self.n_shards) for i in range(self.n_shards + 1)]
        if self.n_shards > X.shape[0]:
            raise ValueError(f"n_shards={self.n_shards} exceeds the {X.shape[0]} rows of X; choose at most that many")
        fits = []
        for y in targets:
            shards = [_MatrixShard(X, y, weights, a, b) for a, b in pairwise(bounds)]
            fits.append(self._run(LocalPasses(shards, settings, self.n_jobs), np.float64))
        self._keep(fits)

    def _run(self, passes: Passes, dtype: type, checkpoint: Checkpoint | None = None) -> Fitted:
        lines = ProgressLines() if self.verbose else None
        return fit_hybrid(
            passes, self._plan(), OnlineState.fresh(passes.settings, self.initial_squares, dtype),
            checkpoint=checkpoint, report=lines.online if lines else None, watch=lines.batch if lines else None,
        )  # fmt: skip

    def _keep(self, fits: list[Fitted]) -> None:
        self.n_iter_ = max(fit.n_iter for fit in fits)
        self.objective_path_ = fits[0].path
        self.status_ = fits[0].status
        self.progressive_loss_ = float(np.mean([fit.progressive_loss for fit in fits]))
        self._keep_weights([fit.w for fit in fits], [fit.state for fit in fits])

    def _keep_weights(self, weights: list[np.ndarray], states: list[OnlineState]) -> None:
        coef = np.array([w[:-1] for w in weights])
        self.coef_ = coef if self._classify else coef[0]
        self.intercept_ = np.array([w[-1] for w in weights])
        self.gradient_squares_ = np.array([state.table[:, kernels.SQUARES] for state in states])
        self.feature_scales_ = (
            np.array([state.table[:, kernels.SCALE] for state in states]) if self.normalized else None
        )
        self.totals_ = np.array([state.totals for state in states])

    def _states(self, settings: Settings, count: int) -> list[OnlineState]:
        """The online learners as the fit or the last ``partial_fit`` left them."""
        if not hasattr(self, "coef_"):
            return [OnlineState.fresh(settings, self.initial_squares, np.float64) for _ in range(count)]
        states = []
        for i in range(count):
            table = np.zeros((settings.n_features + 1, 4))
            table[:-1, kernels.WEIGHT], table[-1, kernels.WEIGHT] = np.atleast_2d(self.coef_)[i], self.intercept_[i]
            table[:, kernels.SQUARES] = self.gradient_squares_[i]
            if self.feature_scales_ is not None:
                table[:, kernels.SCALE] = self.feature_scales_[i]
            states.append(OnlineState(table, self.totals_[i].copy()))
            states[-1].refresh(settings)
        return states

    def _learn_on(self, X: sparse.csr_matrix, targets: list[np.ndarray], weights: np.ndarray) -> None:
        settings = self._settings(X.shape[1])
        states = self._states(settings, len(targets))
        for state, y in zip(states, targets):
            learn_online(_MatrixShard(X, y, weights, 0, X.shape[0]), state, settings)
        self._keep_weights([state.table[:, kernels.WEIGHT].copy() for state in states], states)

    def fit_files(
        self,
        paths: Paths,
        *,
        format: str | None = None,
        target: str | None = None,
        weight: str | None = None,
        on_error: str = "raise",
        cache: bool | str | os.PathLike[str] = True,
        checkpoint: str | os.PathLike[str] | None = None,
        dask: Any = None,
    ):
        """Fit to files of any size; their examples are never all in memory.

        Labels are -1 and 1, or 0 and 1, for a classifier. Features are hashed to ``2**bits`` columns.

        Parameters
        ----------
        paths, format, target, weight, on_error, cache
            As for :class:`treatise.io.Stream`. Without a cache every pass parses the text again.
        checkpoint : path or None, default=None
            Folder in which to keep the state after every pass. A fit of the same files with the same settings takes
            up where a killed one stood, and ends with the same weights to the last bit. Delete it once the model is
            saved.
        dask : str, distributed.Client or None, default=None
            Address of a Dask scheduler, or a client: the shards are then read by its workers, which must see the files
            under the same paths. Set ``n_shards`` to at least the number of workers.

        Returns
        -------
        self
            The fitted model; ``skipped_`` counts the lines that were left out.
        """
        self._validate_params()
        reading = {"format": format, "target": target, "weight": weight, "on_error": on_error}
        stream = self._stream(paths, **reading, cache=cache)
        record = None
        if checkpoint is not None:
            changing = ("n_jobs", "verbose")
            params = {key: value for key, value in self.get_params().items() if key not in changing}
            record = Checkpoint(
                checkpoint, {"model": type(self).__name__, "params": params, "data": stream.fingerprint()}
            )
        shards = stream.split(self.n_shards)
        fit = self._run_files(shards, dask, record)
        if self._classify:
            self.classes_ = np.array([-1, 1])
        self.n_features_in_ = 1 << self.bits
        self.reading_ = reading
        self.skipped_ = sum(shard.skipped for shard in shards)
        self.complaints_ = [reason for shard in shards for reason in shard.complaints]
        self._keep([fit])
        return self

    def _run_files(self, shards: list[Stream], dask: Any, record: Checkpoint | None) -> Fitted:
        settings = self._settings(1 << self.bits)
        if dask is None:
            return self._run(LocalPasses(shards, settings, self.n_jobs, np.float32), np.float32, record)
        passes = DaskPasses(shards, settings, dask, np.float32)
        try:
            return self._run(passes, np.float32, record)
        finally:
            passes.close()

    def _stream(self, paths: Paths, **reading: Any) -> Stream:
        return Stream(paths, bits=self.bits, quadratic=tuple(self.quadratic), cubic=tuple(self.cubic), **reading)

    def scores_of_files(self, paths: Paths, *, tags: bool = False, need_label: bool = False):
        """Chunks of files with their linear predictions, one pair after another, in bounded memory."""
        check_is_fitted(self)
        if len(self.intercept_) > 1 or not hasattr(self, "reading_"):
            raise TreatiseError("this model was not fitted to files, and does not know how their features are hashed")
        w = np.append(np.atleast_2d(self.coef_)[0], self.intercept_[0])
        for chunk in self._stream(paths, **self.reading_, tags=tags, need_label=need_label):
            scores = np.empty(len(chunk))
            kernels.predict_pass(chunk.indptr, chunk.indices, chunk.values, w, float(self.fit_intercept), scores)
            yield chunk, scores

    def evaluate_files(self, paths: Paths) -> Evaluation:
        """Mean loss and accuracy (root mean squared error of a regressor) on labelled files."""
        settings = self._settings(self.n_features_in_)
        examples, importance, loss, score = 0, 0.0, 0.0, 0.0
        for chunk, scores in self.scores_of_files(paths, need_label=True):
            labels = targets(chunk, settings)
            examples += len(chunk)
            importance += float(chunk.weights.sum(dtype=np.float64))
            loss += float(chunk.weights @ self._loss().value(scores, labels))
            if self._classify:
                score += float(chunk.weights @ ((scores > 0) == (labels > 0)))
            else:
                score += float(chunk.weights @ (self._mean_of(scores) - labels) ** 2)
        if importance == 0:
            raise TreatiseError("the files to test on hold no example of positive weight")
        score /= importance
        return Evaluation(examples, loss / importance, score if self._classify else float(np.sqrt(score)), 0)

    def _mean_of(self, scores: np.ndarray) -> np.ndarray:
        return scores

    def _linear(self, X) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return safe_sparse_dot(X, np.atleast_2d(self.coef_).T, dense_output=True) + self.intercept_


class HybridLinearClassifier(ClassifierMixin, _HybridLinear):
    """Linear classifier that learns online first and then in batch, from memory or from files of any size.

    Every shard of the data is learned in one online pass by itself; the learners are averaged, each weight by how sure
    each learner is of it; preconditioned L-BFGS takes the average to the optimum. Use it where the data outgrow the
    memory, or for sparse data with many features; for a small dense table any solver will do. The objective is the
    *sum* of losses plus ``alpha / 2`` times the squared weights plus ``l1`` times their absolute values, the intercept
    not penalised: with the logistic loss it is that of ``LogisticRegression(C=1/alpha)``.

    A pass costs O(non-zeros), and an iteration of L-BFGS O(memory * n_features) more; memory is about
    ``6 + 2 * memory`` vectors of the number of features, whatever the number of examples. Several classes are learned
    one against the rest, from memory only. The online pass knows no penalty: with ``max_iter=0`` there is none.

    Parameters
    ----------
    loss : {"logistic", "hinge", "squared_hinge"}, default="logistic"
        The loss. The hinge has a kink, where L-BFGS may end before the minimum.
    alpha : float, default=1.0
        Weight of half the squared weights.
    l1 : float, default=0.0
        Weight of the absolute weights; above 0 the batch phase is OWL-QN.
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
        Why L-BFGS ended: ``"gradient"`` when it converged.
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

    _parameter_constraints: dict = {**_HybridLinear._parameter_constraints, "loss": [StrOptions(set(MARGIN_LOSSES))]}

    def __init__(
        self,
        loss="logistic",
        *,
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
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y holds one class, {self.classes_[0]}; a classifier needs 2 classes at least")
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self._fit_matrix(sparse.csr_matrix(X), self._one_against_rest(codes), weights)
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
            self.classes_ = np.unique(classes)
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(f"classes={classes} is not what an earlier call gave: {self.classes_}")
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            raise ValueError(f"y holds {unknown[0]}, which is none of the classes {self.classes_}")
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        codes = np.searchsorted(self.classes_, y)
        self._learn_on(sparse.csr_matrix(X), self._one_against_rest(codes), weights)
        return self

    def _one_against_rest(self, codes: np.ndarray) -> list[np.ndarray]:
        wanted = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        return [np.where(codes == code, 1.0, -1.0) for code in wanted]

    def decision_function(self, X):
        """Signed scores: positive for the second of two classes; one column for each of several classes."""
        scores = self._linear(X)
        return scores.ravel() if len(self.classes_) == 2 else scores

    def predict(self, X):
        """The class of each row."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]

    @available_if(lambda self: self.loss == "logistic")
    def predict_proba(self, X):
        """Probabilities of the classes: the logistic function of the scores, scaled to sum to one if several.

        Only with the logistic loss.
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        shares = expit(scores)
        totals = shares.sum(axis=1, keepdims=True)
        return np.divide(shares, totals, out=np.full_like(shares, 1.0 / shares.shape[1]), where=totals > 0)


class HybridLinearRegressor(RegressorMixin, _HybridLinear):
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
        **_HybridLinear._parameter_constraints,
        "loss": [StrOptions(set(REGRESSION_LOSSES))],
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
        return Loss(self.loss, self.tau)

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

    def _mean_of(self, scores: np.ndarray) -> np.ndarray:
        return np.exp(scores) if self.loss == "poisson" else scores
