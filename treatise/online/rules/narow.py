"""Narrow adaptive regularisation of weights (Orabona & Crammer, 2010; in LIBOL, JMLR 15:495)."""

import warnings
from numbers import Real

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.invariants import is_number
from treatise._core.jit import compiled
from treatise.online.rules._base import squared_lengths
from treatise.online.rules._second_order import SecondOrderClassifier

# An example that has taught leaves v = 1 / b, and so does a row of length one with b = 1: what exceeds it by less than
# this is rounding.
SLACK = 1e-9


@compiled
def narow(m, v, b):
    """Whether there is a loss, and alpha and kappa of w += alpha y Sigma x, Sigma^-1 += kappa x x'.

    m = y w.x is the margin and v = x' Sigma x its variance. These are the steps of AROW with r = v / (b v - 1), which
    is infinite as long as v <= 1 / b.
    """
    if m >= 1.0:
        return False, 0.0, 0.0
    gain = b * v - 1.0
    if gain <= SLACK:
        return True, 0.0, 0.0
    return True, (1.0 - m) * gain / (b * v * v), gain / v


class NAROW(SecondOrderClassifier):
    """AROW whose resistance is chosen anew for each example, so that its mistakes can be bounded.

    It learns only from examples whose score is uncertain, of a variance above 1 / b, and the more uncertain the
    score the further it goes. It is here for comparison: its mistakes depend strongly on the order of the examples
    (Table 1 of the paper), what later examples would teach is lost (iris, three classes: 0.75 to 0.8 of the rows,
    whatever b, :class:`AROW` 0.94), and :class:`AROW` is the better choice.

    A pass costs the non-zeros of X with a diagonal covariance, else n_features² for each example with a margin
    below one. With more than two classes each has a learner against the rest.

    Parameters
    ----------
    b : float or "auto", default="auto"
        Examples whose score has a variance of at most 1 / b teach nothing; with b = 1, that of the paper, nothing is
        ever learned from examples of length one. "auto" is 1, or more where rows are short: twice the inverse of the
        median squared length of the rows in the first call.

    Attributes
    ----------
    b_ : float
        The b in use.

    See Also
    --------
    AROW : The same with one resistance for all examples.

    References
    ----------
    .. [1] F. Orabona and K. Crammer. New adaptive algorithms for online classification. NIPS 2010, pages 1840-1848.
    .. [2] Paper v15-0495, Table 1, row "NAROW".

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from treatise.online import NAROW
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> learner = NAROW(random_state=0).fit(scale(X), y)
    >>> round(learner.score(scale(X), y), 2)
    0.96
    """

    _parameter_constraints: dict = {
        **SecondOrderClassifier._parameter_constraints,
        "b": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
    }
    _native_multiclass = False

    def __init__(
        self,
        b="auto",
        *,
        covariance="auto",
        n_passes=5,
        fit_intercept=True,
        shuffle=True,
        random_state=None,
    ):
        super().__init__(
            covariance=covariance,
            n_passes=n_passes,
            fit_intercept=fit_intercept,
            shuffle=shuffle,
            random_state=random_state,
        )
        self.b = b

    def _conclude(self):
        if not np.any(self._weights):
            warnings.warn(
                f"NAROW learned nothing: no example has a score of a variance above 1 / b = {1.0 / self.b_:.3g}; "
                "choose b='auto', or one above the inverse of the squared length of most rows",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _invariants(self):
        yield "b_ is a number", is_number(self.b_)

    def _settle(self, X):
        if self.b != "auto":
            self.b_ = float(self.b)
            return
        lengths = squared_lengths(X, self.fit_intercept)
        self.b_ = max(1.0, 2.0 / float(np.median(lengths))) if len(lengths) else 1.0

    def _rule(self):
        return narow, self.b_
