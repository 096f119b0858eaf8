"""Groups without a target: any clusterer as a model that assigns new rows, and whether there are groups at all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.decomposition import PCA
from sklearn.metrics import pairwise_distances_argmin
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GroupKFold
from sklearn.preprocessing import PowerTransformer
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import Invariants, is_array, within

COUNTS = ("n_clusters", "n_components")
"""Parameters by which clusterers are told how many groups to look for."""
NOISE = 0
"""Number of the rows that a clusterer leaves out of all groups."""
MOST_GROUPS = 8
MOST_ROWS = 2000
MOST_DIMENSIONS = 10
RIDGE = 1e-3
"""Least variance of a component, in units of that of the rows: copies and rounded values make no group."""
SHAPES = ("full", "diag")
TEST_FOLDS = 5
FEWEST_TESTED = 4 * TEST_FOLDS
"""Rows below which nothing is tested."""
MOST_TESTED = 5
"""Components that one cloud is tested against: more describe more clouds better, but two tell that there is not one."""
FEW_TESTED = 100
"""With fewer rows the test sees clear groups only: sequences of two kinds that a clusterer divides without error were
told from one cloud at 120, and not at 24 to 60."""
LEVEL = 1.645
"""Standard errors of the gain in density that one cloud gives away in one of twenty samples, if it gained nothing."""


class OneGroup(BaseEstimator):
    """All rows are one group: what there is to say where there are none."""

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """The same for every row."""
        self.n_features_in_ = X.shape[1]
        return np.zeros(X.shape[0], dtype=np.int64)

    def predict(self, X: Any) -> np.ndarray:
        """The same for every row."""
        return np.zeros(X.shape[0], dtype=np.int64)


class Grouped(BaseEstimator):
    """A clusterer that assigns new rows, and numbers its groups from 1, the largest first; 0 is noise.

    New rows go where the clusterer's own ``predict`` puts them, or with the nearest of the rows that it was fitted to.

    Parameters
    ----------
    clusterer : estimator
        With ``fit_predict``.
    count : bool, default=False
        Whether to tell it the number of components of the best Gaussian mixture of the rows, unless it counts for
        itself: its number is "auto".
    random_state : int or None, default=None
        Seed of that mixture.
    """

    counts: ClassVar[tuple[str, ...]] = COUNTS

    def __init__(self, clusterer: Any = None, count: bool = False, random_state: int | None = None) -> None:
        self.clusterer = clusterer
        self.count = count
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "Grouped":
        """Find the groups of rows."""
        X = self._checked(X, reset=True)
        model = clone(self.clusterer)
        told = self._told()
        if told:
            likely = likely_count(self._as_rows(X), self.random_state)
            model.set_params(**dict.fromkeys(told, min(len(X), likely)))
        found = np.asarray(model.fit_predict(X))
        groups, counts = np.unique(found[found >= 0], return_counts=True)
        self.order_ = groups[np.argsort(-counts, kind="stable")]
        self.model_, self.n_groups_ = model, len(groups)
        if not hasattr(model, "predict"):
            self.rows_, self.groups_ = X, self._numbered(found)
        return self

    def of_this_count(self) -> "Grouped":
        """The same, to be fitted to other rows without counting anew: it is told the number that was counted here."""
        check_is_fitted(self)
        counted = {name: getattr(self.model_, name) for name in self._told()}
        return type(self)(clone(self.clusterer).set_params(**counted), random_state=self.random_state)

    def _told(self) -> list[str]:
        """Parameters that are set to the number of components of the best mixture."""
        params = self.clusterer.get_params(deep=False)
        return [name for name in self.counts if self.count and params.get(name, "auto") != "auto"]

    def predict(self, X: Any) -> np.ndarray:
        """Groups of rows."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        if hasattr(self, "rows_"):
            return self.groups_[pairwise_distances_argmin(X, self.rows_)]
        return self._numbered(np.asarray(self.model_.predict(X)))

    def _invariants(self) -> Invariants:
        yield "groups have an order", is_array(self.order_, np.integer, None) and within(self.order_, 0, 10**7)
        yield "there is a clusterer", isinstance(self.model_, BaseEstimator)
        if hasattr(self, "rows_"):
            n = len(self.groups_)
            yield "rows have groups", is_array(self.groups_, np.integer, n) and n > 0
            yield "rows are kept", np.shape(self.rows_) == (n, self.n_features_in_)

    def log_density(self, X: Any) -> np.ndarray | None:
        """Of each row; None where the clusterer has no density."""
        return np.asarray(self.model_.score_samples(X)) if hasattr(self.model_, "score_samples") else None

    def _checked(self, X: Any, *, reset: bool) -> Any:
        return validate_data(self, X, dtype=np.float64, reset=reset)

    def _as_rows(self, X: Any) -> np.ndarray:
        """Rows whose mixture tells how many groups are likely."""
        return X

    def _numbered(self, found: np.ndarray) -> np.ndarray:
        numbers = np.full(int(max(found.max(initial=0), self.order_.max(initial=0))) + 1, NOISE)
        numbers[self.order_] = np.arange(1, len(self.order_) + 1)
        return np.where(found >= 0, numbers[np.maximum(found, 0)], NOISE)


class GroupedSequences(Grouped):
    """A clusterer of sequences, with numbers for its groups as :class:`Grouped` has them."""

    counts: ClassVar[tuple[str, ...]] = ("n_clusters",)

    def log_density(self, X: Any) -> np.ndarray | None:
        """Of each sequence, for each of its positions; None where the clusterer has no density."""
        if not hasattr(self.model_, "score_sequences"):
            return None
        return np.asarray(self.model_.score_sequences(X)) / [len(sequence) for sequence in X]

    def _checked(self, X: Any, *, reset: bool) -> Any:
        return list(X)

    def _as_rows(self, X: Any) -> np.ndarray:
        rows = summed_up(X)
        spread = rows.std(axis=0)
        return (rows - rows.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


SUMMARIES = ("mean of", "spread of", "persistence of")
"""What :func:`summed_up` says of each column of a sequence."""


def summed_up(sequences: Sequence[np.ndarray]) -> np.ndarray:
    """A row for each sequence: of every column the mean, the standard deviation, and how like it is to its next value.

    The last is the autocorrelation at a lag of one, which is 0 for a column that does not change.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.compare.groups import summed_up
    >>> summed_up([np.array([[1.0], [-1.0], [1.0], [-1.0]]), np.array([[7.0], [7.0]])])
    array([[ 0.  ,  1.  , -0.75],
           [ 7.  ,  0.  ,  0.  ]])
    """
    rows = []
    for sequence in sequences:
        mean, spread = sequence.mean(axis=0), sequence.std(axis=0)
        apart = sequence - mean
        squares = np.square(apart).sum(axis=0)
        products = (apart[1:] * apart[:-1]).sum(axis=0)
        # What rounding leaves of a constant is no change.
        changes = spread > 1e-9 * np.maximum(1.0, np.abs(mean))
        persistence = np.where(changes, products / np.where(changes, squares, 1.0), 0.0)
        rows.append(np.concatenate([mean, np.where(changes, spread, 0.0), persistence]))
    return np.array(rows)


def in_few_dimensions(X: np.ndarray, most: int = MOST_DIMENSIONS) -> np.ndarray:
    """The rows, or their leading principal components where there are many columns."""
    if X.shape[1] <= most:
        return X
    return PCA(min(most, *X.shape), random_state=0).fit_transform(X)


def likely_count(X: np.ndarray, seed: int | None = None) -> int:
    """Components of the Gaussian mixture with the best BIC, two at least."""
    chosen = np.random.default_rng(seed).permutation(len(X))[:MOST_ROWS]
    mixture = _best_mixture(in_few_dimensions(X[np.sort(chosen)]), range(2, MOST_GROUPS + 1), seed)
    return 2 if mixture is None else int(mixture.n_components)


def _best_mixture(X: np.ndarray, counts: Any, seed: int | None) -> GaussianMixture | None:
    found = [
        GaussianMixture(k, covariance_type=shape, reg_covar=RIDGE, random_state=seed).fit(X)
        for k in counts
        for shape in SHAPES
        if 2 * k <= len(X)
    ]
    return min(found, key=lambda mixture: mixture.bic(X), default=None)


@dataclass(frozen=True)
class Gain:
    """What a mixture of several components adds to the log density of held-out rows, over a single one."""

    mean: float
    error: float
    rows: int

    @property
    def groups(self) -> bool:
        """Whether it is more than one cloud would show in one of twenty samples."""
        return self.mean > LEVEL * self.error

    @property
    def weak(self) -> bool:
        """Whether the rows are so few that they would show clear groups only."""
        return self.rows < FEW_TESTED


def gain_over_one_cloud(X: np.ndarray, seed: int = 0) -> Gain | None:
    """Whether several Gaussian components describe held-out rows better than one does.

    In each fold, the best single Gaussian, of the columns as they are or each bent by a power that takes away its
    skewness, and the best mixture of two components or more are chosen on the other rows, and the held-out rows judge
    them. On a single cloud the mixture has nothing to gain and loses what it overfits. None where there are too few
    rows to tell.
    """
    X = X[np.sort(np.random.default_rng(seed).permutation(len(X))[:MOST_ROWS])]
    if len(X) < FEWEST_TESTED or X.shape[1] == 0:
        return None
    X = in_few_dimensions(X)
    gains = np.empty(len(X))
    # Copies of a row are held out together, and count as one draw.
    draws = np.unique(X, axis=0, return_inverse=True)[1].ravel()
    if draws.max() + 1 < TEST_FOLDS:
        return None
    for train, test in GroupKFold(TEST_FOLDS, shuffle=True, random_state=seed).split(X, groups=draws):
        several = _best_mixture(X[train], range(2, MOST_TESTED + 1), seed)
        if several is None:
            return None
        gains[test] = several.score_samples(X[test]) - _one_cloud(X[train], X[test], seed)
    apart = np.bincount(draws, gains - gains.mean())
    error = np.sqrt((apart**2).sum() * len(apart) / max(len(apart) - 1, 1)) / len(gains)
    return Gain(float(gains.mean()), float(error), len(gains))


def _one_cloud(train: np.ndarray, test: np.ndarray, seed: int) -> np.ndarray:
    """Log densities of a single Gaussian of the columns, or of their powers where that fits the other rows better."""
    plain = _best_mixture(train, [1], seed)
    assert plain is not None
    bend = PowerTransformer().fit(train)
    bent = _best_mixture(bend.transform(train), [1], seed)
    assert bent is not None

    def of_bent(X: np.ndarray) -> np.ndarray:
        # Yeo and Johnson's power of x has the slope (1 + |x|)^(+-(power - 1)).
        slopes = (bend.lambdas_ - 1.0) * np.sign(X) * np.log1p(np.abs(X)) - np.log(bend._scaler.scale_)
        return bent.score_samples(bend.transform(X)) + slopes.sum(axis=1)

    # As many powers as columns are paid for as BIC has it.
    price = 0.5 * train.shape[1] * np.log(len(train))
    if of_bent(train).sum() - price > plain.score_samples(train).sum():
        return of_bent(test)
    return plain.score_samples(test)
