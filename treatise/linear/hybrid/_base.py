"""What the hybrid classifier and regressor share: parameters, both ways to fit, and scoring of files."""

import os
import warnings
from collections.abc import Iterable, Iterator
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.errors import TreatiseError
from treatise._core.invariants import Invariants, is_array
from treatise.io import Chunk, Stream
from treatise.linear.hybrid import _batch_loops as loops
from treatise.linear.hybrid import _online_loops as online
from treatise.linear.hybrid._checkpoint import Checkpoint
from treatise.linear.hybrid._dask import DaskPasses
from treatise.linear.hybrid._fit import Fitted, Plan, fit_hybrid
from treatise.linear.hybrid._passes import LocalPasses, OnlineState, Passes, Settings, learn_online, targets
from treatise.linear.hybrid._progress import ProgressLines
from treatise.optimize import Loss, make_loss

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


class Evaluation(NamedTuple):
    """How a model does on files: examples, mean loss, accuracy or root mean squared error, lines left out."""

    examples: int
    loss: float
    score: float
    skipped: int


class MatrixShard:
    """Rows of a matrix in memory, as one chunk."""

    def __init__(self, X: sparse.csr_matrix, y: np.ndarray, weights: np.ndarray, first: int, past: int) -> None:
        indptr = X.indptr[first : past + 1].astype(np.int64)
        indices = X.indices.astype(np.int32, copy=False)
        self.skipped, self.complaints = 0, list[str]()
        self._chunk = Chunk(indptr, indices, X.data, y[first:past], weights[first:past])

    def __iter__(self) -> Iterator[Chunk]:
        yield self._chunk


class HybridLinear(BaseEstimator):
    """Abstract: the classifier and the regressor say what a label is."""

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

    @property
    def _classify(self) -> bool:
        return isinstance(self, ClassifierMixin)

    def _loss(self) -> Loss:
        return make_loss(self.loss)

    def _settings(self, n_features: int) -> Settings:
        return Settings(
            self._loss(), n_features, self._classify, self.fit_intercept, self.learning_rate, self.adaptive,
            self.normalized, self.invariant, self.alpha, self.l1,
        )  # fmt: skip

    def _plan(self) -> Plan:
        if self.online_passes == 0 and self.max_iter == 0:
            raise ValueError("online_passes=0 and max_iter=0 leave nothing to learn by; one must be above 0")
        return Plan(self.online_passes, self.max_iter, self.tol, self.memory)

    def _fit_matrix(self, X: sparse.csr_matrix, targets: list[np.ndarray], weights: np.ndarray) -> None:
        """One fit for each vector of targets, and their weights side by side."""
        settings = self._settings(X.shape[1])
        bounds = [round(i * X.shape[0] / self.n_shards) for i in range(self.n_shards + 1)]
        if self.n_shards > X.shape[0]:
            raise ValueError(f"n_shards={self.n_shards} exceeds the {X.shape[0]} rows of X; choose at most that many")
        fits = []
        for y in targets:
            shards = [MatrixShard(X, y, weights, a, b) for a, b in pairwise(bounds)]
            fits.append(self._run(LocalPasses(shards, settings, self.n_jobs), np.float64))
        self._keep(fits)

    def _run(
        self, passes: Passes, dtype: type, checkpoint: Checkpoint | None = None, *, two_classes: bool = False
    ) -> Fitted:
        lines = ProgressLines() if self.verbose else None
        return fit_hybrid(
            passes, self._plan(), OnlineState.fresh(passes.settings, self.initial_squares, dtype),
            two_classes=two_classes, checkpoint=checkpoint, report=lines.online if lines else None,
            watch=lines.batch if lines else None,
        )  # fmt: skip

    def _keep(self, fits: list[Fitted]) -> None:
        self.n_iter_ = max(fit.n_iter for fit in fits)
        self.objective_path_ = fits[0].path
        short = [fit for fit in fits if not fit.converged]
        self.converged_ = not short
        self.status_ = (short or fits)[0].status
        if short:
            self._warn_short(short)
        self.progressive_loss_ = float(np.mean([fit.progressive_loss for fit in fits]))
        self._keep_weights([fit.w for fit in fits], [fit.state for fit in fits])

    def _warn_short(self, short: list[Fitted]) -> None:
        reason = f"after max_iter={self.max_iter} iterations"
        advice = "raise max_iter, or scale the features"
        if any(fit.status == "stalled" for fit in short):
            reason = "where no step lowered the objective"
            advice = "scale the features, or choose a loss without a kink"
        warnings.warn(
            f"L-BFGS ended {reason}, with an entry of {max(fit.slope for fit in short):.2g} in the mean gradient "
            f"(tol={self.tol:g}); {advice}",
            ConvergenceWarning,
            stacklevel=4,
        )

    def _keep_weights(self, weights: list[np.ndarray], states: list[OnlineState]) -> None:
        coef = np.array([w[:-1] for w in weights])
        self.coef_ = coef if self._classify else coef[0]
        self.intercept_ = np.array([w[-1] for w in weights])
        self.gradient_squares_ = np.array([state.table[:, online.SQUARES] for state in states])
        self.feature_scales_ = self.unpenalised_ = None
        if self.normalized:
            self.feature_scales_ = np.array([state.table[:, online.SCALE] for state in states])
        if self.alpha > 0 or self.l1 > 0:
            self.unpenalised_ = np.array([state.table[:, online.WEIGHT] for state in states])
        self.totals_ = np.array([[*state.totals, state.share] for state in states])

    def _states(self, settings: Settings, count: int) -> list[OnlineState]:
        """The online learners as the fit or the last ``partial_fit`` left them."""
        if not hasattr(self, "coef_"):
            return [OnlineState.fresh(settings, self.initial_squares, np.float64) for _ in range(count)]
        states = []
        for i in range(count):
            table = np.zeros((settings.n_features + 1, 3))
            table[:-1, online.WEIGHT], table[-1, online.WEIGHT] = np.atleast_2d(self.coef_)[i], self.intercept_[i]
            if self.unpenalised_ is not None:
                table[:, online.WEIGHT] = self.unpenalised_[i]
            table[:, online.SQUARES] = self.gradient_squares_[i]
            if self.feature_scales_ is not None:
                table[:, online.SCALE] = self.feature_scales_[i]
            *totals, share = self.totals_[i]
            states.append(OnlineState(table, np.array(totals), float(share)))
        return states

    def _learn_on(self, X: sparse.csr_matrix, targets: list[np.ndarray], weights: np.ndarray) -> None:
        settings = self._settings(X.shape[1])
        states = self._states(settings, len(targets))
        for state, y in zip(states, targets):
            learn_online(MatrixShard(X, y, weights, 0, X.shape[0]), state, settings)
            state.refuse_divergence()
        self._keep_weights([state.weights(settings) for state in states], states)

    def _invariants(self) -> Invariants:
        width, fits = self.n_features_in_, len(self.intercept_)
        shape = (fits, width) if self._classify else (width,)
        yield "coef_ has a weight for each feature", is_array(self.coef_, np.floating, *shape)
        yield "intercept_ has a number for each fit", is_array(self.intercept_, np.floating, fits) and fits >= 1
        tables = {"gradient_squares_": self.gradient_squares_, "totals_": self.totals_}
        optional = {"feature_scales_": self.feature_scales_, "unpenalised_": self.unpenalised_}
        for name, values in (tables | {name: own for name, own in optional.items() if own is not None}).items():
            columns = 3 if name == "totals_" else width + 1
            yield f"{name} has {columns} columns", is_array(values, np.floating, fits, columns)
        if hasattr(self, "reading_"):
            yield "features are hashed to as many columns as have weights", width == 1 << self.bits

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
            Folder in which to keep the state after every pass, and every few minutes within an online one (but not on
            a cluster). A fit of the same files with the same settings takes up where a killed one stood, and ends with
            the same weights to the last bit. Delete it once the model is saved.
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
        stream = self._stream(paths, **reading, labels=self._labels(), cache=cache)
        record = None
        if checkpoint is not None:
            changing = ("n_jobs", "verbose")
            params = {key: value for key, value in self.get_params().items() if key not in changing}
            record = Checkpoint(
                checkpoint, {"model": type(self).__name__, "params": params, "data": stream.fingerprint()}
            )
        try:
            fit = self._run_files(stream.split(self.n_shards), dask, record)
        finally:
            if record is not None:
                record.close()
        if self._classify:
            self.classes_ = np.array([-1, 1])
        self.n_features_in_ = 1 << self.bits
        self.reading_ = reading
        self.skipped_, self.complaints_ = fit.omitted.number, list(fit.omitted.complaints)
        self._keep([fit])
        return self

    def _run_files(self, shards: list[Stream], dask: Any, record: Checkpoint | None) -> Fitted:
        settings = self._settings(1 << self.bits)
        if dask is None:
            passes = LocalPasses(shards, settings, self.n_jobs, np.float32)
            return self._run(passes, np.float32, record, two_classes=self._classify)
        remote = DaskPasses(shards, settings, dask, np.float32)
        try:
            return self._run(remote, np.float32, record, two_classes=self._classify)
        finally:
            remote.close()

    def _labels(self) -> str:
        """What a label in a file may be."""
        return "classes" if self._classify else "counts" if self._loss().name == "poisson" else "any"

    def _stream(self, paths: Paths, **reading: Any) -> Stream:
        return Stream(paths, bits=self.bits, quadratic=tuple(self.quadratic), cubic=tuple(self.cubic), **reading)

    def scores_of_files(self, paths: Paths, *, tags: bool = False, need_label: bool = False):
        """Chunks of files with their linear predictions, one pair after another, in bounded memory."""
        yield from self._scored(self._stream_to_score(paths, tags=tags, need_label=need_label))

    def predict_files(self, paths: Paths) -> Iterator[dict[str, np.ndarray]]:
        """Predictions for the examples of files, in their order: columns by name, one chunk after another.

        Labels are not needed and not looked at. A line that is wrong is an error, however the model was fitted: with
        it left out, the predictions would no longer stand beside their lines.
        """
        for _, scores in self._scored(self._stream_to_score(paths, need_label=False, on_error="raise")):
            yield self._predictions(scores)

    def _predictions(self, scores: np.ndarray) -> dict[str, np.ndarray]:
        raise NotImplementedError

    def _stream_to_score(self, paths: Paths, **reading: Any) -> Stream:
        check_is_fitted(self)
        if len(self.intercept_) > 1 or not hasattr(self, "reading_"):
            raise TreatiseError("this model was not fitted to files, and does not know how their features are hashed")
        return self._stream(paths, **{**self.reading_, **reading})

    def _scored(self, stream: Stream) -> Iterator[tuple[Chunk, np.ndarray]]:
        w = np.append(np.atleast_2d(self.coef_)[0], self.intercept_[0])
        for chunk in stream:
            scores = np.empty(len(chunk))
            loops.predict_pass(chunk.indptr, chunk.indices, chunk.values, w, float(self.fit_intercept), scores)
            yield chunk, scores

    def evaluate_files(self, paths: Paths) -> Evaluation:
        """Mean loss and accuracy (root mean squared error of a regressor) on labelled files."""
        stream = self._stream_to_score(paths, labels=self._labels())
        settings = self._settings(self.n_features_in_)
        examples, importance, loss, score = 0, 0.0, 0.0, 0.0
        for chunk, scores in self._scored(stream):
            labels = targets(chunk, settings)
            examples += len(chunk)
            importance += float(chunk.weights.sum(dtype=np.float64))
            loss += float(chunk.weights @ self._loss().value(labels, scores))
            if self._classify:
                score += float(chunk.weights @ ((scores > 0) == (labels > 0)))
            else:
                score += float(chunk.weights @ (self._mean_of(scores) - labels) ** 2)
        if importance == 0:
            raise TreatiseError("the files to test on hold no example of positive weight")
        score /= importance
        return Evaluation(
            examples, loss / importance, score if self._classify else float(np.sqrt(score)), stream.skipped
        )

    def _mean_of(self, scores: np.ndarray) -> np.ndarray:
        return scores

    def _linear(self, X) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return safe_sparse_dot(X, np.atleast_2d(self.coef_).T, dense_output=True) + self.intercept_
