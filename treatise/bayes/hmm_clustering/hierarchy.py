"""Groups of groups of hidden Markov models (JMLR 15:697, section 5.1)."""

from itertools import pairwise

import numpy as np
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import all_alike, is_array, within
from treatise.bayes.hmm_clustering.clusterer import HMMClusterer


class HMMHierarchy(BaseEstimator):
    """Levels of groups of hidden Markov models, each found from the centres of the level below.

    The models (or those fitted to sequences) are reduced to ``levels[0]`` centres, these to ``levels[1]``, and so on.
    Centres carry the spread of their groups upward, which single members would not. Use it to look at a collection
    from near and far; where one number of groups is wanted, :class:`HMMClusterer` finds it without the detour. Costs
    little more than its first level.

    Parameters
    ----------
    levels : sequence of int, default=(8, 4, 2)
        Numbers of groups from the finest to the coarsest, falling.
    clusterer : HMMClusterer or None, default=None
        How to cluster, apart from the number of groups; None is ``HMMClusterer()``.
    random_state : int, RandomState instance or None, default=None
        Random starts.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_levels, n_models)
        Group of each model on each level.
    parents_ : list of ndarray of int
        For each level but the first, the group of each centre of the level below.
    clusterers_ : list of HMMClusterer
        One for each level.
    n_features_in_ : int
        Numbers in a vector.

    See Also
    --------
    plot_hmm_hierarchy : The levels as bars.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.bayes import HMMHierarchy
    >>> rng = np.random.default_rng(0)
    >>> levels = np.repeat([0.0, 1.0, 8.0, 9.0], 3)
    >>> waves = [level + np.sin(np.arange(60) / 3) + 0.05 * rng.normal(size=60) for level in levels]
    >>> model = HMMHierarchy((4, 2), random_state=0).fit(waves)
    >>> fine, coarse = model.labels_
    >>> len(set(fine)), len(set(coarse[:6])), bool(coarse[0] != coarse[-1])
    (4, 1, True)

    References
    ----------
    .. [1] Paper v15-0697, sections 4.1 and 5.2.
    """

    _parameter_constraints: dict = {
        "levels": ["array-like"],
        "clusterer": [HasMethods(["fit", "bounds"]), None],
        "random_state": ["random_state"],
    }

    def __init__(self, levels=(8, 4, 2), *, clusterer=None, random_state=None):
        self.levels = levels
        self.clusterer = clusterer
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, models, y=None):
        """Find the groups of every level.

        Parameters
        ----------
        models : list of hidden Markov models, or of array-like of shape (length, d)
            As in :meth:`HMMClusterer.fit`.
        y : None
            Not used.

        Returns
        -------
        self : HMMHierarchy
        """
        levels = [int(level) for level in self.levels]
        if not levels or any(b >= a for a, b in pairwise(levels)) or levels[-1] < 1:
            raise ValueError(f"levels={self.levels!r} must be numbers of groups that fall, such as (8, 4, 2)")
        random = check_random_state(self.random_state)
        below, weights, labels = models, None, []
        self.clusterers_, self.parents_ = [], []
        for level in levels:
            way = HMMClusterer() if self.clusterer is None else clone(self.clusterer)
            way.set_params(n_clusters=level, random_state=int(random.randint(2**31)))
            found = way.fit(below, weights=weights)
            if labels:
                self.parents_.append(found.labels_)
            labels.append(found.labels_ if not labels else found.labels_[labels[-1]])
            self.clusterers_.append(found)
            # A centre that nothing belongs to stays a centre, with next to no weight.
            below, weights = found.centers_, np.maximum(found.weights_, 1e-12)
        self.labels_ = np.array(labels)
        self.n_features_in_ = self.clusterers_[0].n_features_in_
        return self

    def predict(self, models):
        """Group of each model on each level: that of its centre on the finest, then upward.

        Parameters
        ----------
        models : list of hidden Markov models, or of array-like of shape (length, d)
            As in :meth:`fit`.

        Returns
        -------
        labels : ndarray of int of shape (n_levels, n_models)
        """
        check_is_fitted(self)
        labels = [self.clusterers_[0].predict(models)]
        for parents in self.parents_:
            labels.append(parents[labels[-1]])
        return np.array(labels)

    def _invariants(self):
        yield "levels are clusterers", len(self.clusterers_) > 0 and all_alike(self.clusterers_, HMMClusterer)
        counts = [len(each.weights_) for each in self.clusterers_]
        yield "levels have parents", len(self.parents_) == len(counts) - 1
        for below, above, parents in zip(counts, counts[1:], self.parents_):
            known = is_array(parents, np.integer, below) and within(parents, 0, above)
            yield "parents are groups of the next level", known
