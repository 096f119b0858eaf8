"""Aggregation by features from singular vectors, trained by LambdaRank (Volkovs & Zemel, JMLR 15:1135, Section 3.5)."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy.sparse.linalg import svds
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import finite, is_array, is_count
from treatise.ranking.aggregation._lambda_loops import lambda_pass
from treatise.ranking.aggregation._preference_loops import sum_preferences
from treatise.ranking.aggregation.preferences import KINDS, check_preferences, instances_of, labels_of
from treatise.statistics import ndcg
from treatise.statistics.rank_agreement import place_discounts

WHOLE = 100
"""Items that an expert ranks up to which its matrix is decomposed whole."""
LOOKED_AT = 10
"""Places that count where the best pass is chosen."""


class SVDRankAggregator(BaseEstimator):
    """Aggregates experts' rankings by a linear score of the singular vectors of each expert's preferences.

    Each expert's matrix of preferences between the items is reduced to its leading singular vectors: the left ones tell
    which items it prefers, the right ones which it puts last. These features, and whether the expert leaves an item
    out, are weighted by LambdaRank towards NDCG on labelled instances. It learns whom to follow and whom to turn round,
    as :class:`CRFRankAggregator` does, which scores new instances many times faster and says more plainly what it
    learnt; take this one where preferences have more than one direction (``rank`` above one).

    Features cost O(n_experts * n_items^3) an instance, or some products with its matrix beyond 100 items; a pass of
    training O(n_items^2) each.

    Parameters
    ----------
    rank : int, default=1
        Singular vectors of each expert (the paper's p).
    counts : {"log", "binary", "rank_difference", "normalized", "ratings"}, default="log"
        What a pair of ranks counts; see :func:`~treatise.ranking.preference_counts`.
    learning_rate : float, default=0.1
        Step of the stochastic descent; the paper's is 0.01.
    n_iter : int, default=200
        Passes over the instances.
    validation : float or None, default=0.2
        Share of the instances on which the best pass is chosen, by NDCG of the first ten places; None keeps the last.
    random_state : int, RandomState or None, default=None
        Seed of the division.

    Attributes
    ----------
    coef_ : ndarray of shape (n_experts, 2 * rank + 1)
        Weights of each expert's left and right vectors, and of an item left out. Singular values, which are the same
        for all items of an instance, order nothing, and LambdaRank leaves their weights at zero.
    n_experts_ : int
        Experts of the training instances.
    validation_ndcg_ : list of float or None
        NDCG of the held-out instances after each pass.
    best_iter_ : int
        The pass whose weights are kept.
    converged_ : bool
        Whether that pass was before the last twentieth, so that more of them would not have helped; without validation,
        whether the last tenth of the passes moved the weights by less than a tenth of their length.

    References
    ----------
    .. [1] M. N. Volkovs and R. S. Zemel. New learning methods for supervised and unsupervised preference aggregation.
       JMLR 15:1135-1176, 2014. Equation 3, Algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.ranking import SVDRankAggregator
    >>> rng = np.random.default_rng(0)
    >>> labels = [rng.permutation([2, 1, 1, 0, 0, 0]) for _ in range(20)]
    >>> ranks = [np.column_stack([np.argsort(np.argsort(-x)) + 1, rng.permutation(6) + 1]) for x in labels]
    >>> model = SVDRankAggregator(random_state=0).fit(ranks, labels)
    >>> model.predict([[1, 3], [2, 2], [3, 1]]).argmax()
    np.int64(0)
    """

    _parameter_constraints: dict = {
        "rank": [Interval(Integral, 1, None, closed="left")],
        "counts": [StrOptions(set(KINDS))],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "n_iter": [Interval(Integral, 1, None, closed="left")],
        "validation": [Interval(Real, 0, 1, closed="neither"), None],
        "random_state": ["random_state"],
    }

    def __init__(self, rank=1, *, counts="log", learning_rate=0.1, n_iter=200, validation=0.2, random_state=None):
        self.rank = rank
        self.counts = counts
        self.learning_rate = learning_rate
        self.n_iter = n_iter
        self.validation = validation
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, rankings, labels):
        """Learn the weights from labelled instances.

        Parameters
        ----------
        rankings : list of array-like or sparse matrix of shape (n_items, n_experts)
            Ranks (1 is best, 0 or NaN is missing) or ratings, one matrix for each instance, by the same experts.
        labels : list of array-like of shape (n_items,)
            Relevance of the items of each instance, zero or more.

        Returns
        -------
        self : object
        """
        instances, single = instances_of(rankings, self.counts)
        check_preferences(instances)
        labels = labels_of(labels, instances, single)
        if any(instance.counts is not None for instance in instances):
            raise ValueError("counts of pairs do not say which items an expert leaves out; give ranks or ratings")
        features = [singular_features(instance, self.rank) for instance in instances]
        self.n_experts_ = instances[0].n_experts
        train, held = self._divided(len(instances))
        weights = self._descend([features[n] for n in train], [labels[n] for n in train],
                                [features[n] for n in held], [labels[n] for n in held])  # fmt: skip
        self.coef_ = weights.reshape(self.n_experts_, 2 * self.rank + 1)
        return self

    def _divided(self, n_instances):
        """Instances to learn from, and those on which the best pass is chosen."""
        order = check_random_state(self.random_state).permutation(n_instances)
        held = 0 if self.validation is None else round(self.validation * n_instances)
        if self.validation is not None and not 0 < held < n_instances:
            warnings.warn(
                f"{n_instances} instances are too few to hold a share of {self.validation:g} out; the last pass stays",
                UserWarning,
                stacklevel=3,
            )
            held = 0
        return np.sort(order[held:]), np.sort(order[:held])

    def _descend(self, features, labels, held_features, held_labels):
        stacked = np.ascontiguousarray(np.concatenate(features))
        starts = np.append(0, np.cumsum([len(part) for part in features]))
        discounts = place_discounts(max(len(part) for part in features))
        gains = np.exp2(np.concatenate(labels)) - 1.0
        ideals = np.array([np.sort(np.exp2(part) - 1.0)[::-1] @ discounts[: len(part)] for part in labels])
        weights = np.zeros(stacked.shape[1])
        best, kept, judged, path = -np.inf, weights, [], []
        self.best_iter_ = self.n_iter
        for number in range(1, self.n_iter + 1):
            lambda_pass(stacked, starts, gains, ideals, discounts, float(self.learning_rate), weights)
            path.append(weights.copy())
            if held_features:
                found = [ndcg(levels, part @ weights, LOOKED_AT) for part, levels in zip(held_features, held_labels)]
                judged.append(float(np.nanmean(found)) if not np.all(np.isnan(found)) else 0.0)
                if judged[-1] > best:
                    best, kept, self.best_iter_ = judged[-1], weights.copy(), number
        self.validation_ndcg_ = judged or None
        if judged:
            self.converged_ = self.best_iter_ <= self.n_iter - self.n_iter / 20
        else:
            kept, before = path[-1], path[-max(self.n_iter // 10, 1) - 1] if self.n_iter > 1 else np.zeros_like(weights)
            self.converged_ = bool(np.linalg.norm(kept - before) <= 0.1 * np.linalg.norm(kept))
        if not self.converged_:
            warnings.warn(
                f"the weights still improved in the last of {self.n_iter} passes; raise n_iter or learning_rate",
                ConvergenceWarning,
                stacklevel=3,
            )
        return kept

    def predict(self, rankings):
        """Scores of the items of new instances by the same experts.

        Parameters
        ----------
        rankings : array-like or sparse matrix of shape (n_items, n_experts), or list of them
            As for ``fit``.

        Returns
        -------
        scores : ndarray of shape (n_items,), or list of them
            Higher is better.
        """
        check_is_fitted(self)
        instances, single = instances_of(rankings, self.counts, n_experts=self.n_experts_)
        scores = [singular_features(instance, self.rank) @ self.coef_.ravel() for instance in instances]
        return scores[0] if single else scores

    def _invariants(self):
        yield "experts are counted", is_count(self.n_experts_, 1)
        yield (
            "coef_ has weights of each expert's features",
            is_array(self.coef_, np.float64, self.n_experts_, 2 * self.rank + 1),
        )
        yield "weights are finite", finite(self.coef_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags


def singular_features(instance, rank):
    """Of each item the entries of every expert's singular vectors, left and right, and whether it is left out.

    A matrix of preferences has no negative entry, so that its leading vectors have one sign: it is taken positive. So
    is the sum of every further left vector.
    """
    width = 2 * rank + 1
    features = np.zeros((instance.n_items, instance.n_experts * width))
    for expert in range(instance.n_experts):
        first, last = instance.starts[expert : expert + 2]
        members, column = instance.items[first:last], expert * width
        features[:, column + 2 * rank] = 1.0
        features[members, column + 2 * rank] = 0.0
        if instance.totals[expert] == 0:
            continue
        place = np.arange(last - first)
        matrix = np.zeros((last - first, last - first))
        sum_preferences(
            np.array([0, last - first]), place, instance.values[first:last], instance.binary, np.ones(1), matrix
        )
        left, right = _leading_vectors(matrix, min(rank, last - first))
        features[members, column : column + left.shape[1]] = left
        features[members, column + rank : column + rank + right.shape[1]] = right
    return features


def _leading_vectors(matrix, rank):
    if len(matrix) <= max(WHOLE, rank + 1):
        left, _, right = np.linalg.svd(matrix)
        left, right = left[:, :rank], right[:rank].T
    else:
        left, sizes, right = svds(matrix, k=rank, v0=np.ones(len(matrix)))
        order = np.argsort(-sizes)
        left, right = left[:, order], right[order].T
    turned = np.where(left.sum(axis=0) < 0, -1.0, 1.0)
    return left * turned, right * turned
