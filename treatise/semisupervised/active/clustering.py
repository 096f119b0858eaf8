"""Groups from few same-or-different answers (Ailon, Begleiter & Ezra, JMLR 15:885, Section 5)."""

from numbers import Integral

import numpy as np
from sklearn.utils._param_validation import Interval

from treatise._core.invariants import within
from treatise.optimize.pair_search import neighbour_rows, regroup_to_rest
from treatise.semisupervised.active._base import ActivePairLearner
from treatise.semisupervised.active._sampling import drawn_group_pairs, group_chances, group_sample


class ActivePairClustering(ActivePairLearner):
    """Groups of items from few answers to "do these two belong together?".

    Each round asks more about items of small groups of the current solution, weights the answers by the inverse of
    their chance to be asked, and takes the groups that contradict them least. Nothing but answers is used: items need
    no features, and answers may be wrong.

    Use it to find up to a few tens of groups with the help of a person: the same product, author, topic, cell. Do not
    use it where features tell the groups, nor with groups by the hundred: questions grow as n k.

    A round asks at most about q n (k + 1) / 2 questions with q = ``samples``. A sweep of the local search costs
    O(questions + n k). The paper's guarantee supposes an exact solution.

    Parameters
    ----------
    n_clusters : int, default=2
        Most groups.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_items,)
        Group of each item, numbered by size, the largest 0.

    See Also
    --------
    ActivePreferenceRanker : A ranking instead of groups.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.semisupervised import ActivePairClustering
    >>> true = np.repeat([0, 1, 2], [30, 20, 10])
    >>> learner = ActivePairClustering(3, random_state=0)
    >>> learner.fit(lambda pairs: true[pairs[:, 0]] == true[pairs[:, 1]], 60).labels_[[0, 29, 30, 49, 50, 59]]
    array([0, 0, 1, 1, 2, 2])

    References
    ----------
    .. [1] Paper v15-0885, Algorithm 1 and Section 5.3.
    """

    _ordered = False
    _parameter_constraints: dict = {
        **ActivePairLearner._parameter_constraints,
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self, n_clusters=2, *, samples="auto", n_rounds=10, sampling="bernoulli", n_restarts=3, max_queries=None,
        contradictions="error", random_state=None,
    ):  # fmt: skip
        self.n_clusters = n_clusters
        self.samples = samples
        self.n_rounds = n_rounds
        self.sampling = sampling
        self.n_restarts = n_restarts
        self.max_queries = max_queries
        self.contradictions = contradictions
        self.random_state = random_state

    def fit(self, oracle, n_items, *, init=None):
        """Group items by asking an oracle.

        Parameters
        ----------
        oracle : callable
            Of an array of pairs of item numbers, of shape (n, 2), gives for each 1 or True where both belong together,
            0 or False where not, None where it cannot tell. A function of two items goes into :class:`OneByOne`.
        n_items : int
            Number of items.
        init : array-like of int of shape (n_items,) or None, default=None
            Groups to begin with, from 0; None draws them.

        Returns
        -------
        self
        """
        return self.begin(n_items, init=init)._ask_all(oracle)

    def _first(self, init):
        if init is None:
            return self._rng.integers(0, self.n_clusters, self.n_items_)
        init = np.asarray(init)
        inside = init.shape == (self.n_items_,) and init.dtype.kind in "iu"
        if not inside or init.min() < 0 or init.max() >= self.n_clusters:
            raise ValueError(
                f"init must hold a group from 0 to {self.n_clusters - 1} for each of {self.n_items_} items"
            )
        return init.astype(np.int64)

    def _is_sound(self, solution):
        return super()._is_sound(solution) and within(solution, 0, self.n_clusters)

    def _invariants(self):
        yield "there are at most a million groups", self.n_clusters <= 10**6

    def _usual_samples(self):
        return max(1.0, 0.25 * np.log(self.n_items_))

    def _expected(self, samples):
        sizes = np.sort(np.bincount(self._solution))[::-1]
        sizes = sizes[sizes > 0]
        within = np.sum(sizes * (sizes - 1) / 2 * np.minimum(1.0, 2.0 * samples / sizes))
        larger = np.cumsum(sizes) - sizes
        return float(within + np.sum(larger * sizes * np.minimum(1.0, samples / sizes)))

    def _drawn(self, samples):
        return drawn_group_pairs(self._solution, samples, self._rng)

    def _drawn_with_replacement(self, samples):
        return group_sample(self._solution, samples, self._rng)

    def _chances(self, solution, pairs, samples):
        return group_chances(solution, pairs, samples)

    def _solved(self, regret):
        gains = regret.weights * regret.answers
        rows = neighbour_rows(self.n_items_, regret.pairs, gains, ordered=False)
        best, least = None, np.inf
        for number in range(1 + self.n_restarts):
            drawn = self._rng.integers(0, self.n_clusters, self.n_items_)
            groups = regret.pivot.copy() if number == 0 else drawn
            regroup_to_rest(*rows, groups, self.n_clusters)
            loss = regret.losses(groups).sum()
            if loss < least - 1e-12:
                best, least = groups, loss
        return best

    def _publish(self):
        sizes = np.bincount(self._solution, minlength=self.n_clusters)
        rank = np.empty(self.n_clusters, dtype=np.int64)
        rank[np.argsort(-sizes, kind="stable")] = np.arange(self.n_clusters)
        self.labels_ = rank[self._solution]
        self.contradictions_ = self._book.contradictions
