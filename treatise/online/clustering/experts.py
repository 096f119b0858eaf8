"""Online clustering with experts (Choromanska, 2014, Chapter 5)."""

from functools import partial
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context, clone
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.invariants import finite, is_array, is_count, is_number
from treatise.online.clustering._window_loops import nearest
from treatise.online.clustering.window import (
    kmeans_plus_plus_centers,
    kmeans_sharp_centers,
    lloyd_centers,
    online_kmeans_centers,
)

EXPERTS = {
    "lloyd": lloyd_centers,
    "kmeans++": kmeans_plus_plus_centers,
    "online": online_kmeans_centers,
    "kmeans#3": partial(kmeans_sharp_centers, factor=3.0),
    "kmeans#2.25": partial(kmeans_sharp_centers, factor=2.25),
    "kmeans#1.5": partial(kmeans_sharp_centers, factor=1.5),
}
"""The six experts of Section 5.3 by name."""


def learning_alphas(n_alphas=15):
    """Switching rates between which Learn-alpha chooses: two small ones, and sin(j pi / (2 m + 2))^2, j = 1 to m.

    The thesis takes its rates from elsewhere without giving them; these are even in the angle whose squared sine is
    the rate, so that the divergence between neighbours, which the bound pays for, is about the same everywhere.

    Parameters
    ----------
    n_alphas : int, default=15
        m.

    Returns
    -------
    alphas : ndarray of shape (n_alphas + 2,)

    Examples
    --------
    >>> from treatise.online import learning_alphas
    >>> learning_alphas(3).round(4).tolist()
    [0.0001, 0.001, 0.1464, 0.5, 0.8536]
    """
    angles = np.arange(1, n_alphas + 1) * np.pi / (2 * (n_alphas + 1))
    return np.concatenate([[1e-4, 1e-3], np.sin(angles) ** 2])


class OnlineClusteringExperts(ClusterMixin, BaseEstimator):
    r"""Centres of a stream at every moment, nearly as good as those of the best of several clustering procedures.

    Each expert clusters the last ``window`` rows. When a row x comes, every expert names its centre closest to it;
    the weighted mean of these is the output, and the weights follow from the losses
    :math:`\|x-c_i\|^2/(4R^2)`. The cumulative loss exceeds that of the best expert by at most 2 log n with fixed
    weights, and that of the best sequence of experts by little more with switching ones.

    Use it on streams where it is not known which procedure suits, or where that changes. It costs as much as all of
    its experts at every row, about a millisecond for 200 rows of 10 features and three experts; with one expert, or
    data that fit in memory and do not drift, cluster them directly.

    Parameters
    ----------
    n_clusters : int, default=8
        Centres of each expert.
    experts : list or None, default=None
        Names among "lloyd", "kmeans++", "online", "kmeans#3", "kmeans#2.25" and "kmeans#1.5"; scikit-learn clusterers
        with ``cluster_centers_``; or functions of a window, ``n_clusters`` and a RandomState. None takes the first
        three names, as the thesis does first.
    mixing : {"static", "fixed_share", "learn_alpha"}, default="learn_alpha"
        How weights move: by the losses alone; with a share of ``alpha`` passed to the other experts after each row;
        or a mixture over several such shares, which finds the right one.
    alpha : float, default=0.01
        Share of the weight that switches, for "fixed_share".
    alphas : array-like or None, default=None
        Shares for "learn_alpha"; None takes :func:`learning_alphas`.
    window : int, default=200
        Rows that the experts cluster, those before the current one.
    radius : float or None, default=None
        R, no smaller than the norm of any row; the guarantees and the speed of learning depend on it. None lets
        ``fit`` look at all rows for it; a stream fed to ``partial_fit`` must be given one.
    random_state : int, RandomState instance or None, default=None
        Of the experts.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_centers, n_features)
        The output at the last row: the weighted centre, then the other centres of the expert with most weight.
    expert_centers_ : list of ndarray
        All centres of each expert at the last row.
    weights_ : ndarray of shape (n_experts,)
        Weights for the row to come.
    alpha_weights_ : ndarray
        Weights of the shares; one entry where there is one share.
    loss_, log_loss_ : float
        Cumulative loss, and cumulative logarithmic loss, half of which bounds it: loss_ <= 2 * log_loss_.
    expert_losses_ : ndarray of shape (n_experts,)
        Cumulative losses of the experts.
    labels_ : ndarray of shape (n_samples,)
        Nearest final centre of each row of ``fit``.
    n_seen_ : int
        Rows seen.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import make_blobs
    >>> from treatise.online import OnlineClusteringExperts
    >>> X, _ = make_blobs(300, centers=5, random_state=0)
    >>> model = OnlineClusteringExperts(5, mixing="static", random_state=0).fit(X)
    >>> bool(model.loss_ <= model.expert_losses_.min() + 2 * np.log(3))
    True

    References
    ----------
    .. [1] A. Choromanska, Selected machine learning reductions, PhD thesis, Columbia University, 2014, Algorithm 7.
    """

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "experts": [list, tuple, None],
        "mixing": [StrOptions({"static", "fixed_share", "learn_alpha"})],
        "alpha": [Interval(Real, 0, 1, closed="both")],
        "alphas": ["array-like", None],
        "window": [Interval(Integral, 1, None, closed="left")],
        "radius": [Interval(Real, 0, None, closed="neither"), None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters=8,
        *,
        experts=None,
        mixing="learn_alpha",
        alpha=0.01,
        alphas=None,
        window=200,
        radius=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.experts = experts
        self.mixing = mixing
        self.alpha = alpha
        self.alphas = alphas
        self.window = window
        self.radius = radius
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None):
        """Forget everything and take the rows of X as a stream.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows, in their order.
        y : Ignored
            Not used.

        Returns
        -------
        self : object
        """
        X = validate_data(self, X, dtype=np.float64, order="C", ensure_min_samples=2)
        largest = float(np.sqrt(np.max(np.sum(X**2, axis=1))))
        self._begin(X.shape[1], self.radius or largest or 1.0)
        self._feed(X)
        self.labels_ = pairwise_distances_argmin(X, self.cluster_centers_).astype(np.int64)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y=None):
        """Take further rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows, in their order.
        y : Ignored
            Not used.

        Returns
        -------
        self : object
        """
        first = not hasattr(self, "weights_")
        if first and self.radius is None:
            raise ValueError("radius is None; a stream needs one beforehand, no smaller than the norm of any row")
        X = validate_data(self, X, dtype=np.float64, order="C", reset=first)
        if first:
            self._begin(X.shape[1], self.radius)
        self._feed(X)
        return self

    def predict(self, X):
        """Nearest of the current centres to each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return pairwise_distances_argmin(X, self.cluster_centers_).astype(np.int64)

    def _begin(self, n_features, radius):
        self._procedures = list(self.experts) if self.experts is not None else ["lloyd", "kmeans++", "online"]
        if not self._procedures:
            raise ValueError("experts is empty; name one at least")
        for expert in self._procedures:
            _procedure(expert)
        # Kept as a plain dictionary of arrays, which model files may hold.
        self._share = vars(ShareWeights.start(self._switching_rates(), len(self._procedures)))
        self._rng = check_random_state(self.random_state)
        self._recent = np.empty((0, n_features))
        self._radius = radius
        self.expert_losses_ = np.zeros(len(self._procedures))
        self.loss_ = self.log_loss_ = 0.0
        self.n_seen_ = 0
        self._tell_weights()

    def _invariants(self):
        width, n_experts = self.n_features_in_, len(self._procedures)
        share = ShareWeights(**self._share)
        n_alphas = len(share.alphas)
        yield "recent rows have a number for each feature", is_array(self._recent, np.float64, None, width)
        yield "recent rows are finite", finite(self._recent)
        yield "experts are known", isinstance(self._procedures, list) and all(map(_procedure, self._procedures))
        yield "experts have weights", is_array(share.over_experts, np.float64, n_alphas, n_experts)
        yield "experts have losses", is_array(self.expert_losses_, np.float64, n_experts)
        yield (
            "rates have weights",
            is_array(share.alphas, np.float64, n_alphas) and is_array(share.over_alphas, np.float64, n_alphas),
        )
        yield "there is a source of draws", isinstance(self._rng, np.random.RandomState)
        yield "the radius is a length", is_number(self._radius) and self._radius > 0
        yield "rows seen are counted", is_count(self.n_seen_)
        yield "losses are summed", is_number(self.loss_) and is_number(self.log_loss_)
        yield "centres have a number for each feature", is_array(self.cluster_centers_, np.float64, None, width)

    def _switching_rates(self):
        if self.mixing == "static":
            return np.zeros(1)
        if self.mixing == "fixed_share":
            return np.array([self.alpha])
        alphas = learning_alphas() if self.alphas is None else np.asarray(self.alphas, dtype=np.float64).ravel()
        if len(alphas) == 0 or not np.all((alphas >= 0.0) & (alphas <= 1.0)):
            raise ValueError(f"alphas={alphas.tolist()}; shares from 0 to 1 are needed, one at least")
        return alphas

    def _feed(self, X):
        norms = np.sqrt(np.sum(X**2, axis=1))
        if norms.max() > self._radius * (1.0 + 1e-12):
            raise ValueError(f"radius={self._radius:g}, but a row has the norm {norms.max():g}; set a larger radius")
        for row in X:
            # Before the first row there is nothing to cluster, and nothing to pay.
            if len(self._recent):
                self._see(row)
            else:
                self.cluster_centers_ = row[None].copy()
                self.expert_centers_ = [self.cluster_centers_] * len(self._procedures)
            self._recent = np.vstack([self._recent, row])[-self.window :]
            self.n_seen_ += 1
        self._tell_weights()

    def _see(self, row):
        """One round of Algorithm 7."""
        self.expert_centers_ = [
            _procedure(expert)(self._recent, self.n_clusters, self._rng) for expert in self._procedures
        ]
        named = [nearest(centers, row)[0] for centers in self.expert_centers_]
        closest = np.array([centers[c] for centers, c in zip(self.expert_centers_, named)])
        share = ShareWeights(**self._share)
        weights = share.weights()
        output, leader = weights @ closest, int(np.argmax(weights))
        others = np.delete(self.expert_centers_[leader], named[leader], axis=0)
        self.cluster_centers_ = np.vstack([output, others])
        scale = 4.0 * self._radius**2
        losses = np.sum((row - closest) ** 2, axis=1) / scale
        self.loss_ += float(np.sum((row - output) ** 2)) / scale
        self.expert_losses_ += losses
        self.log_loss_ += share.update(losses)
        self._share = vars(share)

    def _tell_weights(self):
        share = ShareWeights(**self._share)
        self.weights_, self.alpha_weights_ = share.weights(), share.over_alphas


def _procedure(expert):
    """Function of a window, the number of clusters and a RandomState that gives centres."""
    if isinstance(expert, str):
        if expert not in EXPERTS:
            raise ValueError(f"no expert is named {expert!r}; there are {', '.join(EXPERTS)}")
        return EXPERTS[expert]
    if hasattr(expert, "fit"):
        return partial(_centers_of_estimator, expert)
    if callable(expert):
        return expert
    raise ValueError(f"expert {expert!r} is neither a name, nor a clusterer with fit, nor a function")


def _centers_of_estimator(estimator, window, n_clusters, rng):
    fresh, known = clone(estimator), estimator.get_params()
    settings = {"n_clusters": min(n_clusters, len(window)), "random_state": rng.randint(2**31 - 1)}
    fresh.set_params(**{name: value for name, value in settings.items() if name in known}).fit(window)
    return np.ascontiguousarray(fresh.cluster_centers_, dtype=np.float64)


class ShareWeights:
    """A weight on each of several switching rates, and under each its weights on the experts (Algorithm 7).

    One rate is Fixed-Share; the rate zero is Static-Expert; several are Learn-alpha.

    Parameters
    ----------
    alphas : ndarray of shape (n_alphas,)
        Share of every expert's weight that passes to the others after each round.
    over_experts : ndarray of shape (n_alphas, n_experts)
        Weights on the experts.
    over_alphas : ndarray of shape (n_alphas,)
        Weights on the rates.
    """

    def __init__(self, alphas, over_experts, over_alphas):
        self.alphas, self.over_experts, self.over_alphas = alphas, over_experts, over_alphas

    @classmethod
    def start(cls, alphas, n_experts):
        """All weights alike."""
        n_alphas = len(alphas)
        return cls(alphas, np.full((n_alphas, n_experts), 1.0 / n_experts), np.full(n_alphas, 1.0 / n_alphas))

    def weights(self):
        """Weights on the experts, over all rates."""
        return self.over_alphas @ self.over_experts

    def update(self, losses):
        """Learn the experts' losses; gives the logarithmic loss -log sum_i p(i) exp(-loss_i / 2)."""
        likelihood = np.exp(-0.5 * losses)
        mixed = self.over_experts @ likelihood
        total = self.over_alphas @ mixed
        self.over_alphas = self.over_alphas * mixed / total
        posterior = self.over_experts * likelihood / mixed[:, None]
        if posterior.shape[1] > 1:
            # Each other expert receives alpha / (n - 1) of what one gives away.
            share = self.alphas[:, None]
            posterior = (1.0 - share) * posterior + share * (1.0 - posterior) / (posterior.shape[1] - 1)
        self.over_experts = posterior / posterior.sum(axis=1, keepdims=True)
        return float(-np.log(total))
