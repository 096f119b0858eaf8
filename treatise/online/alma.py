"""The approximate maximal margin algorithm (Gentile, 2001; in LIBOL, JMLR 15:495)."""

from numbers import Real

from sklearn.utils._param_validation import Interval

from treatise.online._alma_loops import alma
from treatise.online._base import OnlineClassifier


class ALMA(OnlineClassifier):
    """Linear classifier in the unit ball whose margin to reach and whose steps shrink with every update.

    The weights never grow longer than one. On separable examples the margin comes within a factor 1 - α of the
    largest; on others it is among the best of the first-order learners once C is tuned. Scale the examples to
    about unit length first: unlike the original, this does not divide each by its norm.

    A pass costs the non-zeros of X. With more than two classes each has a learner against the rest.

    Parameters
    ----------
    alpha : float, default=0.9
        In (0, 1]: how far the margin may stay from the largest.
    C : float, default=sqrt(2)
        First step.
    B : float or None, default=None
        First margin to reach, before the factor 1 - α; None is 1 / α.
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
    ROMMA : Approximates the maximal margin without parameters.

    Notes
    -----
    This is ALMA_2, for the Euclidean norm. The program behind the paper also has a parameter p, but it works in the
    Euclidean norm whatever p is: it multiplies B and divides C by sqrt(p - 1).

    References
    ----------
    .. [1] C. Gentile. A new approximate maximal margin classification algorithm. JMLR 2:213-242, 2001.
    .. [2] Paper v15-0495, Table 1, row "ALMA".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import normalize, scale
    >>> from treatise.online import ALMA
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learner = ALMA().fit(normalize(scale(X)), y)
    >>> learner.n_mistakes_, learner.n_updates_
    (32, 35)
    """

    _parameter_constraints: dict = {
        **OnlineClassifier._parameter_constraints,
        "alpha": [Interval(Real, 0, 1, closed="right")],
        "C": [Interval(Real, 0, None, closed="neither")],
        "B": [Interval(Real, 0, None, closed="neither"), None],
    }
    _native_multiclass = False

    def __init__(
        self,
        alpha=0.9,
        *,
        C=2**0.5,
        B=None,
        n_passes=1,
        fit_intercept=False,
        shuffle=False,
        random_state=None,
    ):
        super().__init__(n_passes=n_passes, fit_intercept=fit_intercept, shuffle=shuffle, random_state=random_state)
        self.alpha = alpha
        self.C = C
        self.B = B

    def _first_state(self):
        return (1.0, 0.0, 1.0)

    def _scale(self):
        return self._state[:, 0]

    def _walk(self, stream, positive, learner, scores, updated):
        first_margin = 1.0 / self.alpha if self.B is None else self.B
        weights, state = self._weights[:, learner], self._state[learner]
        alma(stream, positive, float(self.alpha), float(first_margin), float(self.C), weights, state, scores, updated)
