"""Classification by the patterns of random intersection trees (Shah & Meinshausen, JMLR 15:629, Section 5.1)."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator, _fit_context, clone
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from treatise._core.classifier import SoftmaxScores
from treatise._core.invariants import is_array
from treatise.selection.intersection_trees.trees import RandomIntersectionTrees

THETAS = (0.0, 0.01, 0.05, 0.2)
"""Prevalences in the other classes of which ``theta0="auto"`` takes one."""
MIDDLE_THETA = 0.05
FOLDS = 3


class InteractionRuleClassifier(SoftmaxScores, BaseEstimator):
    """Classify by sets of features that occur together in one class: their presence and their absence vote.

    :class:`RandomIntersectionTrees` finds patterns of every class. Each says how likely the classes are among the
    training rows that have it, and among those that have not; a row's score is the mean of these log-odds, in which a
    pattern weighs as many trees and as many rows of its class as have it. Of two classes the threshold is where both
    are wrong equally often on the training rows; of more, the shares of the classes are taken off, so that what counts
    is what a pattern tells beyond them. Rare classes are thus found as readily as frequent ones, at the price of some
    accuracy.

    Use it where classes are made by combinations (winning lines, co-occurring words or mutations), and where the rules
    are to be read: ``trees_.get_feature_names_out()``. Do not use it where single features add up; a linear model is
    then better and faster. Probabilities are rough.

    Costs what the trees cost, some five times that with ``theta0="auto"``, then a few words of each pattern for 64
    rows.

    Parameters
    ----------
    n_trees : int, default=300
        Trees for each class.
    branching : float, default=3.0
        Children of a node.
    theta0 : float or "auto", default="auto"
        Prevalence in the other classes above which a branch ends. Where rules hold without exception 0 is best, where
        classes overlap it finds nothing but chance: "auto" takes the one of 0, 0.01, 0.05 and 0.2 that is right most
        often on held-out rows, with a third of the trees; 0.05 where a class has a single row.
    max_nodes : int, default=2000
        Most sets in a tree.
    prevalence : {"exact", "minhash"}, default="exact"
        How the prevalence in the other classes is found while trees grow.
    n_hashes : int, default=200
        Hashes of each feature, for "minhash".
    min_trees : int, default=2
        Trees that must end with a set for it to be a pattern.
    max_patterns : int or None, default=200
        Most patterns of each class.
    n_cuts : int or None, default=3
        Quantiles at which columns of more than two values are cut; None refuses such columns.
    vote : {"weighted", "paper"}, default="weighted"
        "paper" gives every pattern the same weight. Where there is noise, the many patterns that two trees came upon by
        chance then outvote the few that hundreds found.
    random_state : int, RandomState instance or None, default=None
        Source of the rows drawn.

    Attributes
    ----------
    theta0_ : float
        Prevalence in the other classes above which branches ended.
    trees_ : RandomIntersectionTrees
        The patterns.
    present_log_odds_, absent_log_odds_ : ndarray of shape (n_patterns, n_classes)
        Log probability of each class where a pattern is, and where it is not; of two classes less that of the first.
    weights_ : ndarray of shape (n_patterns,)
        Weight of each pattern in the mean.
    bias_ : ndarray of shape (n_classes,)
        Added to the mean.
    classes_ : ndarray
        The classes seen.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.selection import InteractionRuleClassifier
    >>> X = np.random.default_rng(0).integers(0, 2, (600, 10))
    >>> y = X[:, 0] ^ X[:, 1]
    >>> X = np.hstack([X, 1 - X])  # what is absent is a feature too
    >>> InteractionRuleClassifier(100, branching=3, random_state=0).fit(X[:300], y[:300]).score(X[300:], y[300:])
    1.0

    References
    ----------
    .. [1] Paper v15-0629, Section 5.1; its conditional probabilities are those of "S in X", printed the other way.
    """

    _parameter_constraints: dict = {
        name: RandomIntersectionTrees._parameter_constraints[name]
        for name in (
            "n_trees", "branching", "theta0", "max_nodes", "prevalence", "n_hashes", "min_trees", "max_patterns",
            "n_cuts", "random_state",
        )
    } | {"vote": [StrOptions({"weighted", "paper"})]}  # fmt: skip
    _parameter_constraints["theta0"] = [*_parameter_constraints["theta0"], StrOptions({"auto"})]

    def __init__(
        self, n_trees=300, *, branching=3.0, theta0="auto", max_nodes=2000, prevalence="exact", n_hashes=200,
        min_trees=2, max_patterns=200, n_cuts=3, vote="weighted", random_state=None,
    ):  # fmt: skip
        self.n_trees = n_trees
        self.branching = branching
        self.theta0 = theta0
        self.max_nodes = max_nodes
        self.prevalence = prevalence
        self.n_hashes = n_hashes
        self.min_trees = min_trees
        self.max_patterns = max_patterns
        self.n_cuts = n_cuts
        self.vote = vote
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Find the patterns, and count the classes with and without each.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Zeros and ones, or numbers to be cut.
        y : array-like of shape (n_samples,)
            Class of each row.

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, accept_sparse="csc", dtype="numeric")
        codes = self._code_labels(y)
        self.theta0_ = self._chosen_theta(X, codes) if self.theta0 == "auto" else float(self.theta0)
        own = self.get_params(deep=False) | {"theta0": self.theta0_}
        self.trees_ = RandomIntersectionTrees(**{name: own[name] for name in own if name != "vote"})
        with warnings.catch_warnings():
            # Said below, in words that fit.
            warnings.filterwarnings("ignore", "RandomIntersectionTrees found no pattern", UserWarning)
            present = self.trees_.fit(X, codes).transform(X).astype(np.float64)
        of_class = np.eye(len(self.classes_))[codes]
        with_it, total = present.T @ of_class, of_class.sum(axis=0)
        # Of several classes each has as much of the rows added as it has of all, so that a rare one is not favoured.
        added = np.full(2, 0.5) if len(total) == 2 else 0.5 * len(total) * total / total.sum()
        self.present_log_odds_, self.absent_log_odds_ = _log_odds(with_it, added), _log_odds(total - with_it, added)
        self.weights_ = np.ones(len(with_it))
        if self.vote == "weighted":
            self.weights_ = self.trees_.counts_ * self.trees_.prevalence1_
        self.bias_ = np.log(total / total.sum())
        if not self.trees_.patterns_:
            warnings.warn(
                f"no pattern was found in {self.min_trees} of {self.n_trees} trees, and every row is given the most "
                f"frequent class: raise theta0 ({self.theta0_}) or n_trees", UserWarning, stacklevel=3,
            )  # fmt: skip
        elif len(self.classes_) == 2:
            scores = self._mean_log_odds(present)
            self.bias_ = np.array([0.0, -threshold_of_equal_error(scores[:, 1] - scores[:, 0], codes)])
        else:
            # A mean of log probabilities holds the shares of the classes whole, and what patterns tell only in part.
            self.bias_ = -np.log(total / total.sum())
        return self

    def _chosen_theta(self, X, codes):
        """The prevalence whose rules are right most often on held-out rows; of equals the smallest."""
        n_folds = min(FOLDS, np.bincount(codes).min())
        if n_folds < 2:
            return MIDDLE_THETA
        rng = check_random_state(self.random_state)
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=rng.randint(2**31 - 1))
        seed = rng.randint(2**31 - 1)
        trial = clone(self).set_params(n_trees=max(self.min_trees, self.n_trees // FOLDS), random_state=seed)
        right = np.zeros(len(THETAS))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a trial without patterns loses anyhow
            for train, test in folds.split(X, codes):
                for k, theta in enumerate(THETAS):
                    found = trial.set_params(theta0=theta).fit(X[train], codes[train]).predict(X[test])
                    right[k] += balanced_accuracy_score(codes[test], found)
        return THETAS[np.argmax(np.round(right, 12))]

    def _mean_log_odds(self, present):
        if not present.shape[1]:
            return np.zeros((len(present), len(self.classes_)))
        shares = self.weights_ / self.weights_.sum()
        difference = self.present_log_odds_ - self.absent_log_odds_
        return (present * shares) @ difference + shares @ self.absent_log_odds_

    def _scores(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csc", dtype="numeric", reset=False)
        scores = self._mean_log_odds(self.trees_.transform(X).astype(np.float64)) + self.bias_
        return scores if len(self.classes_) > 2 else scores[:, 1:] - scores[:, :1]

    def _invariants(self):
        yield "the patterns are there", isinstance(self.trees_, RandomIntersectionTrees)
        shape = len(self.trees_.patterns_), len(self.classes_)
        yield (
            "every pattern has its odds",
            is_array(self.present_log_odds_, np.float64, *shape)
            and is_array(self.absent_log_odds_, np.float64, *shape),
        )
        yield "every pattern has a weight", is_array(self.weights_, np.float64, shape[0])
        yield "every class has a bias", is_array(self.bias_, np.float64, len(self.classes_))
        yield "the prevalence is a share", isinstance(self.theta0_, float) and 0.0 <= self.theta0_ <= 1.0
        yield "both see the same columns", self.trees_.n_features_in_ == self.n_features_in_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _log_odds(counts, added):
    """Log probability of each class from counts, with some of a row added to each."""
    return np.log((counts + added) / (counts + added).sum(axis=1, keepdims=True))


def threshold_of_equal_error(scores, codes):
    """Where the second class, above it, and the first are wrong equally often, or nearly; the middle of the gap."""
    values = np.unique(scores)
    middles = np.concatenate(([values[0] - 1.0], 0.5 * (values[1:] + values[:-1]), [values[-1] + 1.0]))
    first, second = np.sort(scores[codes == 0]), np.sort(scores[codes == 1])
    wrong_first = 1.0 - np.searchsorted(first, middles, side="right") / len(first)
    wrong_second = np.searchsorted(second, middles, side="right") / len(second)
    apart, both = np.abs(wrong_first - wrong_second), wrong_first + wrong_second
    best = np.lexsort((both, np.round(apart, 12)))[0]
    return float(middles[best])
