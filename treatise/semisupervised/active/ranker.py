"""Rankings from few comparisons (Ailon, Begleiter & Ezra, JMLR 15:885, Sections 4 and 6)."""

from numbers import Real

import numpy as np
from sklearn.svm import LinearSVC
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_array, check_is_fitted

from treatise._core.invariants import finite, is_array
from treatise.optimize.feedback_arc import EXACT, best_order_of_subsets
from treatise.optimize.pair_search import neighbour_rows, sift_pairs_to_rest
from treatise.semisupervised.active._base import ActivePairLearner
from treatise.semisupervised.active._sampling import drawn_order_pairs, order_chances, shell_pairs


class ActivePreferenceRanker(ActivePairLearner):
    """Ranking of items from few comparisons, most of them between neighbours of the ranking so far.

    Which of two items far apart is the better says little that is new, and a wrong answer does little harm; between
    neighbours it decides. Each round asks about pairs with a chance that falls with their distance in the current
    ranking, weights the answers by the inverse of that chance, and takes the ranking that contradicts them least. Any
    answers will do: they may be wrong, and go round in circles.

    Use it when every comparison costs a human judgement, or a match, and 10 to 30 questions for each item can be
    asked. Do not use it when all pairs are answered already (see :func:`treatise.optimize.feedback_arc_order`), nor
    where answers are never wrong or questions are very few: sorting by merging asks n log2 n of them. Where answers
    are as unsure between items far apart as between neighbours, it does no better than questions at random.

    A round asks at most about p n (1 + log(n / p)) questions with p = ``samples``. A sweep of the local search costs
    O(questions + n^2); up to 15 items are solved exactly. The paper's guarantee supposes an exact solution.

    Parameters
    ----------
    C : float, default=1.0
        Weight of a pair against the size of the coefficients, for rankings by features.

    Attributes
    ----------
    ranking_ : ndarray of int of shape (n_items,)
        The items, the best first.
    coef_ : ndarray of shape (n_features,)
        With features, the direction along which items are ranked.

    See Also
    --------
    ActivePairClustering : Groups instead of a ranking.

    Notes
    -----
    With features the ranking is that of a linear score, fitted by a support vector machine with squared hinge loss
    to the weighted differences of pairs (the convex relaxation of Section 6.2). Each unordered pair is asked once, so
    that an oracle whose answers to (u, v) and (v, u) do not fit is caught by a few questions asked both ways.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.semisupervised import ActivePreferenceRanker
    >>> strength = np.random.default_rng(0).permutation(30)
    >>> ranker = ActivePreferenceRanker(random_state=0)
    >>> ranker.fit(lambda pairs: strength[pairs[:, 0]] > strength[pairs[:, 1]], 30).ranking_[:3]
    array([13,  6, 26])
    >>> np.argsort(-strength)[:3]
    array([13,  6, 26])

    A human answers through :meth:`ask` and :meth:`tell`:

    >>> ranker = ActivePreferenceRanker(random_state=0).begin(4)
    >>> while len(pairs := ranker.ask(size=1)):
    ...     ranker = ranker.tell(pairs, [pairs[0][0] > pairs[0][1]])
    >>> ranker.ranking_, ranker.n_queries_
    (array([3, 2, 1, 0]), 6)

    References
    ----------
    .. [1] Paper v15-0885, Algorithms 1 and 2, footnote 9, Section 6.
    """

    _ordered = True
    _parameter_constraints: dict = {
        **ActivePairLearner._parameter_constraints,
        "C": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self, samples="auto", *, n_rounds=10, sampling="bernoulli", n_restarts=3, max_queries=None,
        contradictions="error", C=1.0, random_state=None,
    ):  # fmt: skip
        self.samples = samples
        self.n_rounds = n_rounds
        self.sampling = sampling
        self.n_restarts = n_restarts
        self.max_queries = max_queries
        self.contradictions = contradictions
        self.C = C
        self.random_state = random_state

    def fit(self, oracle, n_items=None, *, features=None, init=None):
        """Rank items by asking an oracle.

        Parameters
        ----------
        oracle : callable
            Of an array of pairs of item numbers, of shape (n, 2), gives for each 1 or True where the first is the
            better, 0 or False where the second is, None where it cannot tell. A function of two items goes into
            :class:`OneByOne`.
        n_items : int or None, default=None
            Number of items; None where features tell it.
        features : array-like of shape (n_items, n_features) or None, default=None
            Features of the items, for a ranking by a linear score.
        init : array-like of int of shape (n_items,) or None, default=None
            Ranking to begin with, the best first; None draws one.

        Returns
        -------
        self
        """
        return self.begin(n_items, features=features, init=init)._ask_all(oracle)

    def begin(self, n_items=None, *, features=None, init=None):
        """Forget everything and get ready to :meth:`ask`.

        Parameters
        ----------
        n_items, features, init
            As in :meth:`fit`.

        Returns
        -------
        self
        """
        self._features = None
        if features is not None:
            self._features = check_array(features, dtype=np.float64)
            if n_items is not None and n_items != len(self._features):
                raise ValueError(f"n_items={n_items}, and features has {len(self._features)} rows; leave one out")
            n_items = len(self._features)
        elif n_items is None:
            raise ValueError("say how many items there are by n_items, or give their features")
        return super().begin(n_items, init=init)

    def decision_function(self, features):
        """Scores of items by their features, the best highest.

        Parameters
        ----------
        features : array-like of shape (n, n_features)
            Features of items, the learned ones or others.

        Returns
        -------
        scores : ndarray of shape (n,)
        """
        check_is_fitted(self, "coef_", msg="there are no coefficients: give features to fit, and answers")
        return check_array(features, dtype=np.float64) @ self.coef_

    def _first(self, init):
        n = self.n_items_
        if init is None:
            return self._rng.permutation(n)
        init = np.asarray(init)
        if init.shape != (n,) or not np.array_equal(np.sort(init), np.arange(n)):
            raise ValueError(f"init must hold each of the items 0 to {n - 1} once, the best first")
        return init.astype(np.int64)

    def _invariants(self):
        if self._features is not None:
            shape = self.n_items_, self._features.shape[1]
            yield "items have features", is_array(self._features, np.float64, *shape) and finite(self._features)
            if "coef_" in vars(self):
                yield "features have coefficients", is_array(self.coef_, np.float64, shape[1])

    def _usual_samples(self):
        return max(1.0, 0.25 * np.log(self.n_items_))

    def _expected(self, samples):
        distances = np.arange(1, self.n_items_)
        return float(np.sum((self.n_items_ - distances) * np.minimum(1.0, samples / distances)))

    def _drawn(self, samples):
        return drawn_order_pairs(self._solution, samples, self._rng)

    def _drawn_with_replacement(self, samples):
        return shell_pairs(self._solution, samples, self._rng)

    def _chances(self, solution, pairs, samples):
        return order_chances(np.argsort(solution), pairs, samples)

    def _solved(self, regret):
        if self._features is not None:
            return self._linear(regret)
        n, gains = self.n_items_, regret.weights * regret.answers
        if n <= EXACT:
            return _exact(n, regret.pairs, gains)
        rows = neighbour_rows(n, regret.pairs, gains, ordered=True)
        # Estimated wins less losses of each item.
        net = np.bincount(regret.pairs[:, 0], gains, n) - np.bincount(regret.pairs[:, 1], gains, n)
        best, least = None, np.inf
        starts = [regret.pivot.copy(), np.argsort(-net, kind="stable")]
        for number in range(2 + self.n_restarts):
            if number >= 2:
                starts.append(best[np.argsort(np.arange(n) + self._rng.normal(0.0, 0.1 * n, n))])
            order = starts[number].astype(np.int64)
            sift_pairs_to_rest(*rows, order)
            loss = regret.losses(order).sum()
            if loss < least - 1e-12:
                best, least = order, loss
        return best

    def _linear(self, regret):
        """The weighted support vector machine on differences, rounded by sorting (Section 6.2)."""
        decided = regret.answers != 0
        if not decided.any():
            return regret.pivot.copy()
        pairs, weights = regret.pairs[decided], regret.weights[decided]
        scale = self._features.std(axis=0)
        scale[scale == 0] = 1.0
        differences = (self._features[pairs[:, 0]] - self._features[pairs[:, 1]]) / scale
        # Every pair once as it stands and once turned: without a turned one there would be a single class.
        rows, signs = np.concatenate([differences, -differences]), np.repeat([1, -1], len(pairs))
        signs = signs * np.tile(regret.answers[decided], 2)
        machine = LinearSVC(C=self.C, dual=False, fit_intercept=False, max_iter=1000)
        machine.fit(rows, signs, sample_weight=np.tile(weights / weights.mean(), 2))
        self.coef_ = machine.coef_[0] / scale
        order = np.argsort(-(self._features @ self.coef_), kind="stable")
        return order if regret.evaluate(order) <= 0.0 else regret.pivot.copy()

    def _publish(self):
        self.ranking_ = self._solution.copy()
        self.contradictions_ = self._book.contradictions


def _exact(n: int, pairs: np.ndarray, gains: np.ndarray) -> np.ndarray:
    weights = np.zeros((n, n))
    np.add.at(weights, (pairs[:, 0], pairs[:, 1]), np.maximum(gains, 0.0))
    np.add.at(weights, (pairs[:, 1], pairs[:, 0]), np.maximum(-gains, 0.0))
    return best_order_of_subsets(weights)
