"""The Perceptron (Rosenblatt, 1958; Crammer & Singer, 2003; in LIBOL, JMLR 15:495)."""

from sklearn.utils._param_validation import StrOptions

from treatise.online._base import OnlineClassifier
from treatise.online._perceptron_loops import MAX, SIMILARITY, UNIFORM, multiclass_perceptron, perceptron

_SHARES = {"max": MAX, "uniform": UNIFORM, "similarity": SIMILARITY}


class OnlinePerceptron(OnlineClassifier):
    """Linear classifier that adds or subtracts an example whenever it errs.

    The baseline of online learning: no parameter, no margin, and no more than 1 / γ² mistakes on examples of
    length at most one that a margin γ separates. Prefer :class:`PassiveAggressive` or
    :class:`SoftConfidenceWeighted` where the classes overlap: the last weights of a Perceptron are then noisy.

    A pass costs the non-zeros of X, times the number of classes where there are more than two.

    Parameters
    ----------
    update : {"max", "uniform", "similarity"}, default="max"
        With more than two classes, which classes lose the example that the true one gains: the best of those that
        beat it, all of them in equal parts, or all in proportion to their lead.
    n_passes : int, default=1
        Times that ``fit`` goes through the rows.
    fit_intercept : bool, default=False
        Whether to add a constant feature 1, whose weight is learned like any other.
    shuffle : bool, default=False
        Whether ``fit`` visits the rows in random order, not in the order given.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights; one row where there are two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Weights of the constant feature, zero without one.
    n_seen_, n_mistakes_, n_updates_ : int
        Examples seen, how many of them were predicted wrongly beforehand, and rounds with a positive loss.
    mistake_curve_ : ndarray of shape (n_moments, 3)
        Examples seen, mistakes and updates by then, at up to 64 evenly spaced moments.
    n_features_in_ : int
        Number of features seen.
    feature_names_in_ : ndarray
        Their names, where X has names.

    See Also
    --------
    PassiveAggressive : Also updates where the margin is small, by as much as it takes.
    SecondOrderPerceptron : Accounts for the correlation of the features.

    Notes
    -----
    A score of zero counts as a prediction of the second class, with more classes a tie as one of the first of
    them. scikit-learn's Perceptron updates on a score of zero whatever the label.

    References
    ----------
    .. [1] F. Rosenblatt. The perceptron. Psychological Review 65:386-408, 1958.
    .. [2] K. Crammer and Y. Singer. Ultraconservative online algorithms for multiclass problems. JMLR 3:951-991,
       2003.
    .. [3] Paper v15-0495, Table 1, row "Perceptron".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.online import OnlinePerceptron
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learner = OnlinePerceptron().fit(scale(X), y)
    >>> learner.n_mistakes_, learner.n_seen_
    (33, 569)
    """

    _parameter_constraints: dict = {**OnlineClassifier._parameter_constraints, "update": [StrOptions(set(_SHARES))]}

    def __init__(self, update="max", *, n_passes=1, fit_intercept=False, shuffle=False, random_state=None):
        super().__init__(n_passes=n_passes, fit_intercept=fit_intercept, shuffle=shuffle, random_state=random_state)
        self.update = update

    def _walk(self, stream, positive, learner, scores, updated):
        perceptron(stream, positive, self._weights[:, learner], scores, updated)

    def _walk_classes(self, stream, predicted, updated):
        multiclass_perceptron(stream, self._weights, _SHARES[self.update], predicted, updated)
