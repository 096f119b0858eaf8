"""A conditional random field over orders, trained towards a metric (Volkovs & Zemel, JMLR 15:1135, Section 3.6)."""

import warnings
from itertools import permutations
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import finite, is_array
from treatise.optimize import minimize_lbfgs
from treatise.ranking.aggregation._crf_loops import ascend, choose_items, fill_potentials
from treatise.ranking.aggregation.preferences import KINDS, check_preferences, instances_of, labels_of
from treatise.statistics.rank_agreement import place_discounts


class CRFRankAggregator(BaseEstimator):
    """Aggregates experts' rankings by weights that were trained towards a metric on labelled instances.

    Each expert has three weights: for an item that it leaves out, for one that it prefers to others, and for one that
    others are preferred to. Their sum over the experts scores an item, so that experts who are right are followed,
    random ones ignored and contrary ones turned round, which no consensus can do. Training raises the expected metric
    over all orders of small random subsets of the items. Use it to fuse search engines, judges or labellers where some
    instances have true labels. Without labels use :class:`MultinomialPreferenceModel`.

    Training costs O(subset! + n_experts * subset^2) a subset: 1 700 instances of 21 experts with ten subsets each take
    some seconds. Scoring costs O(n_experts * n_items log n_items).

    Parameters
    ----------
    counts : {"log", "binary", "rank_difference", "normalized", "ratings"}, default="log"
        What a pair of ranks counts; see :func:`~treatise.ranking.preference_counts`.
    metric : "ndcg" or callable, default="ndcg"
        What to raise. A callable takes the labels of the items in an order, the first first, and gives a number.
    shared : bool, default=False
        One set of weights for all experts, which also scores experts that were not in training.
    subset : int, default=6
        Items of an instance that are looked at together, from 2 to 7 (the paper's epsilon).
    solver : {"lbfgs", "sgd"}, default="lbfgs"
        "lbfgs" draws ``n_subsets`` of every instance once and climbs to a maximum. "sgd" is Algorithm 2 of the paper:
        ``n_epochs`` passes that draw anew, with steps of ``learning_rate``; whether they were enough it cannot tell.
    n_subsets : int, default=10
        Subsets of each instance, for "lbfgs".
    reg : float, default=1e-3
        Weight of the mean squared weight, each taken times the root mean square of its potential; "lbfgs" alone.
    learning_rate : float, default=500
        Step of "sgd".
    n_epochs : int, default=100
        Passes of "sgd".
    tol : float, default=1e-5
        "lbfgs" ends where no derivative of the mean expected metric is larger.
    max_iter : int, default=500
        Its steps at most.
    random_state : int, RandomState or None, default=None
        Seed of the subsets.

    Attributes
    ----------
    coef_ : ndarray of shape (n_experts, 3), or (1, 3) if shared
        Weights of each expert for an item left out, preferred, and beaten (the paper's b, w_pos and w_neg).
    n_experts_ : int
        Experts of the training instances.
    expected_metric_ : list of float
        Mean expected metric over the subsets, before each step ("lbfgs") or in each pass ("sgd"); the last one is that
        of the end for "lbfgs".
    converged_ : bool
        Whether "lbfgs" ended by ``tol``; for "sgd", whether the last quarter of the passes gained at most a
        twentieth of all that was gained, and moved the weights by at most a fifth of their length.
    n_iter_ : int
        Steps or passes.

    Notes
    -----
    The paper sums preferences over the other items, so that weights of a subset of six would meet sums over hundreds
    when an instance is scored, while the weight of an item left out stayed as it was. Here both are means.

    References
    ----------
    .. [1] M. N. Volkovs and R. S. Zemel. New learning methods for supervised and unsupervised preference aggregation.
       JMLR 15:1135-1176, 2014. Equations 4 and 5, Algorithm 2.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.ranking import CRFRankAggregator
    >>> rng = np.random.default_rng(0)
    >>> labels = [rng.permutation([2, 1, 1, 0, 0, 0]) for _ in range(20)]
    >>> ranks = [np.column_stack([np.argsort(np.argsort(-x)) + 1, rng.permutation(6) + 1]) for x in labels]
    >>> model = CRFRankAggregator(random_state=0).fit(ranks, labels)
    >>> abs(model.coef_[0]).sum() > abs(model.coef_[1]).sum()
    np.True_
    """

    _parameter_constraints: dict = {
        "counts": [StrOptions(set(KINDS))],
        "metric": [StrOptions({"ndcg"}), callable],
        "shared": ["boolean"],
        "subset": [Interval(Integral, 2, 7, closed="both")],
        "solver": [StrOptions({"lbfgs", "sgd"})],
        "n_subsets": [Interval(Integral, 1, None, closed="left")],
        "reg": [Interval(Real, 0, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "n_epochs": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        counts="log",
        *,
        metric="ndcg",
        shared=False,
        subset=6,
        solver="lbfgs",
        n_subsets=10,
        reg=1e-3,
        learning_rate=500.0,
        n_epochs=100,
        tol=1e-5,
        max_iter=500,
        random_state=None,
    ):
        self.counts = counts
        self.metric = metric
        self.shared = shared
        self.subset = subset
        self.solver = solver
        self.n_subsets = n_subsets
        self.reg = reg
        self.learning_rate = learning_rate
        self.n_epochs = n_epochs
        self.tol = tol
        self.max_iter = max_iter
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
        self.n_experts_ = instances[0].n_experts
        subsets = _Subsets(instances, labels, self.subset, self.metric, check_random_state(self.random_state))
        climb = self._climb if self.solver == "lbfgs" else self._pass_by_pass
        weights = climb(subsets)
        self.coef_ = np.ascontiguousarray(weights.reshape(3, -1).T)
        return self

    def _climb(self, subsets):
        drawn = [subsets.draw() for _ in range(self.n_subsets)]
        scale = subsets.scale(drawn)
        n_weights = 3 if self.shared else 3 * self.n_experts_
        told = sum(int(np.sum(pattern >= 0)) for _, _, pattern in drawn)

        def objective(weights):
            slopes = np.zeros(n_weights)
            value = sum(subsets.ascend(part, scale, self.shared, 0.0, weights, slopes) for part in drawn) / told
            cost = self.reg * np.mean(weights**2) - value
            return cost, 2.0 * self.reg * weights / n_weights - slopes / told

        trace = []
        end = minimize_lbfgs(
            objective, np.zeros(n_weights), max_iter=self.max_iter, gradient_tolerance=self.tol,
            callback=lambda state: trace.append(float(self.reg * np.mean(state.w**2) - state.value)),
        )  # fmt: skip
        self.expected_metric_, self.n_iter_ = trace, end.iteration
        self.converged_ = end.status in ("gradient", "decrease")
        if not self.converged_:
            self._tell(f"a derivative is still {np.max(np.abs(end.gradient)):.2g}", "raise max_iter, or reg")
        if self.shared:
            return end.w * scale[:: self.n_experts_]
        return end.w * scale

    def _pass_by_pass(self, subsets):
        n_weights = 3 if self.shared else 3 * self.n_experts_
        weights, slopes, scale = np.zeros(n_weights), np.zeros(n_weights), np.ones(3 * self.n_experts_)
        trace, path = [], []
        for _ in range(self.n_epochs):
            path.append(weights.copy())
            drawn = subsets.draw()
            gain = subsets.ascend(drawn, scale, self.shared, float(self.learning_rate), weights, slopes)
            trace.append(gain / max(np.sum(drawn[2] >= 0), 1))
        self.expected_metric_, self.n_iter_ = trace, self.n_epochs
        quarter = max(self.n_epochs // 4, 1)
        rise = np.mean(trace[-quarter:]) - np.mean(trace[-2 * quarter : -quarter] or [0.0])
        # The metric of a pass is noisy; weights that grow as fast as ever tell of steps that are too short.
        moved = np.linalg.norm(weights - path[-quarter]) / max(np.linalg.norm(weights), 1e-300)
        self.converged_ = bool(rise <= 0.05 * (np.max(trace) - trace[0]) and moved <= 0.2)
        if not self.converged_:
            self._tell(
                f"in the last quarter the expected metric rose by {rise:.2g} and the weights by {moved:.0%}",
                "raise n_epochs or learning_rate",
            )
        return weights

    def _tell(self, what, remedy):
        warnings.warn(f"{what} after {self.n_iter_} steps; {remedy}", ConvergenceWarning, stacklevel=4)

    def predict(self, rankings):
        """Scores of the items of new instances; the most probable order is that of falling scores.

        Parameters
        ----------
        rankings : array-like or sparse matrix of shape (n_items, n_experts), or list of them
            As for ``fit``, by the same experts; by any if the weights are shared.

        Returns
        -------
        scores : ndarray of shape (n_items,), or list of them
            Higher is better.
        """
        check_is_fitted(self)
        instances, single = instances_of(rankings, self.counts, n_experts=None if self.shared else self.n_experts_)
        scores = [self._score(instance) for instance in instances]
        return scores[0] if single else scores

    def _score(self, instance):
        left_out, won, lost = np.broadcast_to(self.coef_, (instance.n_experts, 3)).T
        expert = np.repeat(np.arange(instance.n_experts), np.diff(instance.starts))
        gain = (won[expert] * instance.wins - lost[expert] * instance.losses) / max(instance.n_items - 1, 1)
        # Left out by all but those that rank it.
        return np.bincount(instance.items, gain - left_out[expert], minlength=instance.n_items) + left_out.sum()

    def _invariants(self):
        yield (
            "coef_ has three weights of each expert",
            is_array(self.coef_, np.float64, 1 if self.shared else self.n_experts_, 3),
        )
        yield "weights are finite", finite(self.coef_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags


class _Subsets:
    """Small random subsets of the items of each instance, and the metric of all their orders."""

    def __init__(self, instances, labels, size, metric, random):
        self.starts = np.append(0, np.cumsum([instance.n_items for instance in instances])).astype(np.int64)
        self.labels, self.size, self.metric, self.random = np.concatenate(labels), size, metric, random
        self.values = np.concatenate([_dense_values(instance) for instance in instances])
        self.binary = instances[0].binary
        by_count = [np.array(list(permutations(range(count))), np.int64) for count in range(size + 1)]
        self.orders = np.concatenate([np.pad(rows, ((0, 0), (0, size - rows.shape[1]))) for rows in by_count])
        self.order_starts = np.append(0, np.cumsum([len(rows) for rows in by_count]))
        self.discounts = place_discounts(size)
        self._known = {}
        self._tables = np.zeros((0, len(by_count[-1])))

    def draw(self):
        """Items of a subset of each instance, how many they are, and which metric table is theirs (-1 for none)."""
        n_instances = len(self.starts) - 1
        chosen, counts = np.zeros((n_instances, self.size), np.int64), np.zeros(n_instances, np.int64)
        choose_items(self.starts, self.labels, self.random.random_sample(len(self.labels)), self.size, chosen, counts)
        pattern = np.full(n_instances, -1)
        for n in range(n_instances):
            levels = tuple(self.labels[chosen[n, : counts[n]]])
            # Items of one label are in the best order whatever it is.
            if levels and levels[0] != levels[-1]:
                pattern[n] = self._table_of(levels)
        return chosen, counts, pattern

    def _table_of(self, levels):
        if levels not in self._known:
            count = len(levels)
            orders = self.orders[self.order_starts[count] : self.order_starts[count + 1], :count]
            ranked = np.array(levels)[orders]
            if callable(self.metric):
                values = np.array([float(self.metric(row)) for row in ranked])
                if not np.isfinite(values).all():
                    raise ValueError(f"the metric of the labels {list(levels)} is not finite in every order")
            else:
                gain = (np.exp2(ranked) - 1.0) @ self.discounts[:count]
                values = gain / gain.max()
            self._known[levels] = len(self._tables)
            row = np.pad(values, (0, self._tables.shape[1] - len(values)))
            self._tables = np.vstack([self._tables, row])
        return self._known[levels]

    def ascend(self, drawn, scale, shared, rate, weights, slopes):
        """Sum of the expected metrics of drawn subsets; see :func:`ascend`."""
        chosen, counts, pattern = drawn
        return ascend(
            self.values, self.binary, chosen, counts, pattern, self._tables, self.orders, self.order_starts,
            self.discounts, scale, shared, rate, weights, slopes,
        )  # fmt: skip

    def scale(self, drawn):
        """One over the root mean square of each of the three potentials, over all experts alike.

        A rare expert keeps its small potentials, and so weights that little is known of stay small.
        """
        n_experts = self.values.shape[1]
        squares, seen = np.zeros(3), 0
        potentials = np.empty((self.size, 3 * n_experts))
        for chosen, counts, _ in drawn[:1]:
            for members, count in zip(chosen, counts):
                fill_potentials(self.values, self.binary, members[:count], potentials)
                squares += np.sum(potentials[:count] ** 2, axis=0).reshape(3, n_experts).mean(axis=1)
                seen += count
        roots = np.sqrt(squares / max(seen, 1))
        # Energies are divided by the squared number of items.
        return np.repeat(np.where(roots > 0, self.size**2 / np.where(roots > 0, roots, 1.0), 1.0), n_experts)


def _dense_values(instance):
    values = np.full((instance.n_items, instance.n_experts), np.nan)
    values[instance.items, np.repeat(np.arange(instance.n_experts), np.diff(instance.starts))] = instance.values
    return values
