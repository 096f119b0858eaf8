"""The approximate maximal margin algorithm (Gentile, 2001; in LIBOL, JMLR 15:495)."""

import math
from numbers import Real

from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.invariants import is_number, within
from treatise._core.jit import compiled
from treatise._core.magnitudes import LARGEST_NUMBER
from treatise.online._row_loops import add, dot, example, squared_norm
from treatise.online.rules._base import OnlineClassifier, squared_lengths

SMALLEST = 1e-150


@compiled
def alma(stream, positive, alpha, B, C, square, weights, state, scores, updated):
    """One pass; the state is the scale, the squared norm of w, and the number of the next update.

    Update k takes the step C / sqrt(k) where the margin is below (1 - alpha) B / sqrt(k), and brings weights longer
    than 1 back to the unit ball, through the scale, so that it costs the non-zeros of x. The examples of the algorithm
    are x / R, with ``square`` = R^2, and scale * weights = w / R, whose product with x is that of w with x / R.
    """
    scale, q, k = state
    for t in range(len(scores)):
        indices, values, label = example(stream, t)
        y = 1.0 if label == positive else -1.0
        scores[t] = scale * dot(weights, indices, values)
        m = y * scores[t]
        updated[t] = m < (1.0 - alpha) * B / math.sqrt(k)
        if updated[t]:
            step = C / math.sqrt(k)
            add(weights, step * y / (scale * square), indices, values)
            q += 2.0 * step * m + step * step * squared_norm(values) / square
            if q > 1.0:
                scale /= math.sqrt(q)
                q = 1.0
                if scale < SMALLEST:
                    weights *= scale
                    scale = 1.0
            k += 1.0
    state[0], state[1], state[2] = scale, q, k


class ALMA(OnlineClassifier):
    """Linear classifier in the unit ball whose margin to reach and whose steps shrink with every update.

    The weights never grow longer than one. On separable examples the margin comes within a factor 1 - α of the
    largest; on others it is among the best of the first-order learners once C is tuned. Its steps and margins are for
    examples within the unit ball, to which ``radius`` brings them; the original divides each by its own norm.

    A pass costs the non-zeros of X. With more than two classes each has a learner against the rest.

    Parameters
    ----------
    alpha : float, default=0.9
        In (0, 1]: how far the margin may stay from the largest.
    C : float, default=sqrt(2)
        First step.
    B : float or None, default=None
        First margin to reach, before the factor 1 - α; None is 1 / α.
    radius : float or "auto", default="auto"
        Length by which the examples are divided. "auto" is the largest among the rows in the first call; the paper's
        is 1.

    Attributes
    ----------
    radius_ : float
        The radius in use.

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
    >>> learner = ALMA(random_state=0).fit(normalize(scale(X)), y)
    >>> round(learner.score(normalize(scale(X)), y), 2)
    0.98
    """

    _parameter_constraints: dict = {
        **OnlineClassifier._parameter_constraints,
        "alpha": [Interval(Real, 0, 1, closed="right")],
        "C": [Interval(Real, 0, None, closed="neither")],
        "B": [Interval(Real, 0, None, closed="neither"), None],
        "radius": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
    }
    _native_multiclass = False

    def __init__(
        self,
        alpha=0.9,
        *,
        C=2**0.5,
        B=None,
        radius="auto",
        n_passes=5,
        fit_intercept=True,
        shuffle=True,
        random_state=None,
    ):
        super().__init__(n_passes=n_passes, fit_intercept=fit_intercept, shuffle=shuffle, random_state=random_state)
        self.alpha = alpha
        self.C = C
        self.B = B
        self.radius = radius

    def _first_state(self):
        return (1.0, 0.0, 1.0)

    def _scale(self):
        return self._state[:, 0]

    def _invariants(self):
        length = is_number(self.radius_) and within(self.radius_, 0.0, LARGEST_NUMBER)
        yield "radius_ is a length whose square is finite", length
        yield "updates are counted", bool((self._state[:, 2] >= 1.0).all())

    def _settle(self, X):
        if self.radius != "auto":
            self.radius_ = float(self.radius)
            return
        self.radius_ = math.sqrt(squared_lengths(X, self.fit_intercept).max(initial=0.0)) or 1.0

    def _walk(self, stream, positive, learner, scores, updated):
        first_margin, square = 1.0 / self.alpha if self.B is None else self.B, self.radius_**2
        parameters = (float(self.alpha), float(first_margin), float(self.C), float(square))
        alma(stream, positive, *parameters, self._weights[:, learner], self._state[learner], scores, updated)
