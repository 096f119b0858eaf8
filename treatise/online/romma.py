"""The relaxed online maximum margin algorithm (Li & Long, 2002; in LIBOL, JMLR 15:495)."""

from treatise.online._base import OnlineClassifier
from treatise.online._romma_loops import multiclass_romma, romma


class ROMMA(OnlineClassifier):
    """Linear classifier that follows the hard-margin support vector machine with one constraint for the past.

    After an update the weights are the shortest vector that gives the example a margin of one and does not lose
    ground along the old weights. There is no parameter and no learning rate. Use it where a hyperplane through the
    origin all but separates the classes; on overlapping classes every outlier bends it, and
    :class:`PassiveAggressive` with a small C or :class:`SoftConfidenceWeighted` does better.

    A pass costs the non-zeros of X, times the number of classes where there are more than two.

    Parameters
    ----------
    aggressive : bool, default=False
        Whether to update whenever the margin is below one (aROMMA), not only on mistakes.
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
    ALMA : Also approximates the maximal margin, and stays within the unit ball.
    PassiveAggressive : Gives the example a margin of one by the least change.

    Notes
    -----
    The first update gives a margin of one, y x / \\|x\\|². An example that is a multiple of the weights is passed over,
    as the two constraints contradict one another. With more than two classes the margin is the lead over the best
    rival, and an update rescales the weights of all classes.

    References
    ----------
    .. [1] Y. Li and P. M. Long. The relaxed online maximum margin algorithm. Machine Learning 46:361-387, 2002.
    .. [2] Paper v15-0495, Table 1, rows "ROMMA" and "aROMMA".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.online import ROMMA
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learner = ROMMA(aggressive=True).fit(scale(X), y)
    >>> learner.n_mistakes_, learner.n_updates_
    (29, 75)
    """

    _parameter_constraints: dict = {**OnlineClassifier._parameter_constraints, "aggressive": ["boolean"]}

    def __init__(self, aggressive=False, *, n_passes=1, fit_intercept=False, shuffle=False, random_state=None):
        super().__init__(n_passes=n_passes, fit_intercept=fit_intercept, shuffle=shuffle, random_state=random_state)
        self.aggressive = aggressive

    def _first_state(self):
        return (1.0, 0.0, 0.0)

    def _scale(self):
        return self._state[:, 0]

    def _walk(self, stream, positive, learner, scores, updated):
        weights, state = self._weights[:, learner], self._state[learner]
        romma(stream, positive, bool(self.aggressive), weights, state, scores, updated)

    def _walk_classes(self, stream, predicted, updated):
        multiclass_romma(stream, bool(self.aggressive), self._weights, self._state[0], predicted, updated)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # Where classes overlap the last example with a loss decides, whatever came before.
        tags.classifier_tags.poor_score = True
        return tags
