"""The multinomial preference model (Volkovs & Zemel, JMLR 15:1135, Sections 2.3 to 2.5 and 3.4)."""

import warnings
from numbers import Integral, Real

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from treatise._core.invariants import is_array, within
from treatise.ranking.aggregation._multinomial_likelihood import (
    Maximum,
    PreferenceLikelihood,
    exact_scores,
    exists,
    maximize_jointly,
    maximize_scores,
)
from treatise.ranking.aggregation.preferences import KINDS, check_preferences, instances_of, labels_of
from treatise.statistics import kendall_distance

WEAK = 1e-3
"""Weight of the squared scores where nothing else keeps them finite."""


class MultinomialPreferenceModel(BaseEstimator):
    """Consensus scores of items from many experts' incomplete and conflicting rankings or ratings.

    All preferences of an instance are draws from one distribution over ordered pairs, whose logits are differences of
    the items' scores. So an item stands high that is preferred often *and* strongly, where Bradley-Terry puts one that
    won its only contest. ``adherence="learn"`` finds, over all instances, how far each expert follows the consensus,
    and turns outliers off; ``"supervised"`` takes it from labelled instances. Use it to fuse rankings of search
    engines, judges or users where experts differ in quality. Do not use it to predict the outcome of a contest between
    two items that few experts saw: scores grow with the number of preferences. With equal adherence its order is that
    of the net preferences, so that for a few complete rankings a Borda count will do.

    Without learning, the scores are exact, in O(n_experts * n_items log n_items). Learning costs some hundred
    evaluations of O(min(n_experts, 48) * n_items); item variances make it O(n_items^2) each.

    Parameters
    ----------
    counts : {"rank_difference", "binary", "normalized", "log", "ratings"}, default="rank_difference"
        What a pair of ranks counts; "ratings" are larger for better items. See
        :func:`~treatise.ranking.preference_counts`.
    adherence : {"none", "learn", "supervised"}, default="none"
        Whether experts adhere to the consensus alike, as far as the likelihood says (a local maximum), or by the share
        of pairs with different labels that they order rightly.
    item_variance : bool, default=False
        Whether each item has a variance of its own, which flattens its preferences (Section 2.4). Scores and
        variances are then a local maximum.
    reg : float or "auto", default="auto"
        Weight of the squared scores. "auto" takes none where the likelihood has a maximum, and 0.001 where it has none
        or where adherences or variances are learnt. Log variances always have a normal prior of deviation one half.
    tol : float, default=1e-5
        Ends where no derivative exceeds this share of the preferences.
    max_iter : int, default=1000
        Steps of the quasi-Newton search at most.

    Attributes
    ----------
    scores_ : list of ndarray of shape (n_items,)
        Score of every item of each instance of ``fit``, with mean zero; higher is better.
    theta_ : ndarray of shape (n_experts,)
        Adherence of each expert, from 0 to 1.
    gamma_ : list of ndarray of shape (n_items,) or None
        Variance parameter of every item; their geometric mean is one half, which is the model without them.
    converged_ : bool
        Whether the search ended by ``tol``.
    n_iter_ : int
        Its steps; zero where the scores are exact.
    log_likelihood_ : float
        Of the preferences, without the constant.

    References
    ----------
    .. [1] M. N. Volkovs and R. S. Zemel. New learning methods for supervised and unsupervised preference aggregation.
       JMLR 15:1135-1176, 2014. Definition 1, Sections 2.4, 2.5 and 3.4. The normaliser of Section 2.5 is printed with
       the pair's own indices; it sums over all pairs.

    Examples
    --------
    >>> from treatise.ranking import MultinomialPreferenceModel
    >>> model = MultinomialPreferenceModel().fit([[1, 1, 2], [2, 3, 1], [3, 2, 3]])
    >>> model.scores_[0].round(3)
    array([ 0.579,  0.   , -0.579])
    >>> model.predict([[2, 1, 1], [1, 2, 0]]).argmax()
    np.int64(0)
    """

    _parameter_constraints: dict = {
        "counts": [StrOptions(set(KINDS))],
        "adherence": [StrOptions({"none", "learn", "supervised"})],
        "item_variance": ["boolean"],
        "reg": [StrOptions({"auto"}), Interval(Real, 0, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        counts="rank_difference",
        *,
        adherence="none",
        item_variance=False,
        reg="auto",
        tol=1e-5,
        max_iter=1000,
    ):
        self.counts = counts
        self.adherence = adherence
        self.item_variance = item_variance
        self.reg = reg
        self.tol = tol
        self.max_iter = max_iter

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, rankings, labels=None):
        """Score the items of every instance, and find how far each expert adheres.

        Parameters
        ----------
        rankings : array-like or sparse matrix of shape (n_items, n_experts), or list of them
            Ranks (1 is best, 0 or NaN is missing) or ratings (NaN, or not stored, is missing), one matrix for each
            instance; or counts of shape (n_experts, n_items, n_items).
        labels : array-like of shape (n_items,) or list of them, default=None
            Relevance of the items of each instance; only ``adherence="supervised"`` looks at it.

        Returns
        -------
        self : object
        """
        instances, single = instances_of(rankings, self.counts)
        check_preferences(instances)
        theta = np.ones(instances[0].n_experts)
        if self.adherence == "supervised":
            theta = _supervised(instances, labels_of(labels, instances, single))
        likelihood = PreferenceLikelihood(instances)
        found = self._maximum(likelihood, theta, learn=self.adherence == "learn")
        self.theta_, self.scores_ = found.theta, likelihood.parts(found.scores)
        self.gamma_ = None if found.gammas is None else likelihood.parts(found.gammas)
        self.log_likelihood_ = likelihood.value_and_slopes(found.scores, found.theta, found.gammas)[0]
        self.n_iter_, self.converged_ = found.n_iter, bool(found.slope <= self.tol)
        self._tell(found)
        return self

    def predict(self, rankings):
        """Consensus scores of new instances, by the same experts with the adherence found.

        Parameters
        ----------
        rankings : array-like or sparse matrix of shape (n_items, n_experts), or list of them
            As for ``fit``.

        Returns
        -------
        scores : ndarray of shape (n_items,), or list of them
            Higher is better. With item variances, the latter are fitted too and left out of the order, as in the paper.
        """
        check_is_fitted(self)
        # Where all adhere alike nothing was learnt of any expert, and others may speak.
        n_experts = None if self.adherence == "none" else len(self.theta_)
        instances, single = instances_of(rankings, self.counts, n_experts=n_experts)
        theta = np.ones(instances[0].n_experts) if n_experts is None else self.theta_
        likelihood = PreferenceLikelihood(instances)
        found = self._maximum(likelihood, theta, learn=False)
        self._tell(found)
        scores = likelihood.parts(found.scores)
        return scores[0] if single else scores

    def _maximum(self, likelihood, theta, *, learn):
        joint = learn or self.item_variance
        sound = exists(likelihood, theta)
        penalties = (
            np.full(len(sound), self.reg, float) if self.reg != "auto" else np.where(sound & (not joint), 0.0, WEAK)
        )
        if not joint and np.any(~sound & (penalties == WEAK)) and self.reg == "auto":
            warnings.warn(
                f"{np.sum(~sound)} of {len(sound)} instances have no finite scores: all preferences lead from one "
                f"group of items to another. Their squares are held down with weight {WEAK:g}; reg sets another",
                UserWarning,
                stacklevel=3,
            )
        if joint:
            return maximize_jointly(
                likelihood, theta, penalties, self.tol, self.max_iter, learn=learn, item_variance=self.item_variance
            )
        alike = theta[theta > 0] if theta.any() else np.ones(1)
        if np.ptp(alike) == 0 and (theta > 0).all() and not penalties.any():
            nets, totals = likelihood.parts(likelihood.net @ theta), likelihood.totals @ theta
            scores = np.concatenate([exact_scores(d, t) for d, t in zip(nets, totals)]) / alike[0]
            return Maximum(scores, None, theta, 0, 0.0)
        return maximize_scores(likelihood, theta, penalties, self.tol, self.max_iter)

    def _tell(self, found):
        if found.slope > self.tol:
            warnings.warn(
                f"a derivative is still {found.slope:.2g} of the preferences after {found.n_iter} steps, above "
                f"tol={self.tol:g}; raise max_iter, or reg where scores run away",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _invariants(self):
        yield "theta_ has an adherence for each expert", is_array(self.theta_, np.float64, None)
        yield "adherences lie between 0 and 1", within(self.theta_, 0.0, 1.0 + 1e-12)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


def _supervised(instances, labels):
    """Mean share of the pairs with different labels that each expert orders rightly (Section 3.4)."""
    n_experts = instances[0].n_experts
    agreed, judged = np.zeros(n_experts), np.zeros(n_experts)
    for instance, levels in zip(instances, labels):
        for expert in range(n_experts):
            share = _agreement(instance, expert, levels)
            if not np.isnan(share):
                agreed[expert] += share
                judged[expert] += 1
    # An expert whom no label judges is neither trusted nor turned round.
    return np.divide(agreed, judged, out=np.full(n_experts, 0.5), where=judged > 0)


def _agreement(instance, expert, levels):
    if instance.counts is None:
        seats = slice(*instance.starts[expert : expert + 2])
        return 1.0 - kendall_distance(-instance.values[seats], levels[instance.items[seats]])
    counts = instance.counts[expert]
    higher = levels[:, np.newaxis] > levels
    right, wrong = np.sum(counts * higher), np.sum(counts * higher.T)
    return right / (right + wrong) if right + wrong else np.nan
