"""Probabilistic methods, and the regression of returns that they are a form of (JMLR 15:809, Section 2.2.3)."""

import warnings
from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.invariants import is_array
from treatise._core.magnitudes import LARGEST_NUMBER
from treatise.rl.policy_evaluation import _least_squares_loops as loops
from treatise.rl.policy_evaluation._gradient_loops import returns
from treatise.rl.policy_evaluation.base import LinearValueEstimator
from treatise.rl.policy_evaluation.least_squares import scaled_solve
from treatise.rl.policy_evaluation.transitions import checked_features, checked_ratios

_POSITIVE = Interval(Real, 0, None, closed="neither")
_DEVIATION = Interval(Real, 0, LARGEST_NUMBER, closed="neither")
"""Its square is a number, too."""


class _GaussianMethod(LinearValueEstimator):
    """A method with a normal distribution over the coefficients.

    Parameters
    ----------
    noise : float, default=1.0
        Standard deviation of an observed return about its state's value.
    prior : float, default=1.0
        Standard deviation of a coefficient before anything is seen.

    Attributes
    ----------
    covariance_ : ndarray of shape (n_features, n_features)
        Of the coefficients.
    """

    _parameter_constraints: dict = {
        **LinearValueEstimator._parameter_constraints, "noise": [_DEVIATION], "prior": [_DEVIATION],
    }  # fmt: skip
    _leaning = "prior"

    def _begin(self, steps):
        p = self.n_features_in_
        self.covariance_, self._lag, self._memory = self.prior**2 * np.eye(p), np.zeros(p), np.zeros(2)

    def _learn(self, features, rewards, next_features, ratios, starts, ends, *, first):
        if ratios is not None and not (checked_ratios(ratios, len(rewards)) == 1.0).all():
            raise ValueError(
                f"{type(self).__name__} sums the rewards of the policy that acted, so it cannot judge another: leave "
                "ratios out, or take LSTD"
            )
        return super()._learn(features, rewards, next_features, None, starts, ends, first=first)

    def predict(self, features, return_std=False):
        """Estimated values of states.

        Parameters
        ----------
        features : array-like of shape (n_states, n_features)
            A row for each state.
        return_std : bool, default=False
            Whether to give their standard deviations too.

        Returns
        -------
        values : ndarray of shape (n_states,)
        deviations : ndarray of shape (n_states,)
            With ``return_std=True`` only.
        """
        values = super().predict(features)
        if not return_std:
            return values
        features = checked_features("features", features)
        return values, np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", features, self.covariance_, features), 0.0))

    def _invariants(self):
        p = self.n_features_in_
        yield "covariance_ is a square matrix", is_array(self.covariance_, np.float64, p, p)
        yield "_lag has a number for each feature", is_array(self._lag, np.float64, p)
        yield "_memory holds two numbers", is_array(self._memory, np.float64, 2)


class GPTD(_GaussianMethod):
    """Gaussian-process temporal differences with given features: values with error bars.

    Its mean is the ridge regression of observed returns, computed as steps come in; its standard deviations say where
    nothing has been seen. Use it on-policy where it matters how sure a value is. Returns vary more than temporal
    differences: with many random steps to an episode :class:`LSTD` is nearer. It cannot judge another policy than the
    one that acted. Costs O(p^2) a step.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import GPTD
    >>> cycle = np.eye(2)[[0, 1] * 200]
    >>> values, deviations = GPTD(discount=0.5).fit(cycle, cycle[:, 1], cycle[:, ::-1]).predict(
    ...     np.eye(2), return_std=True)
    >>> values.round(2), deviations.round(2)
    (array([0.66, 1.33]), array([0.07, 0.07]))

    References
    ----------
    .. [1] Dann, Neumann & Peters, JMLR 15:809, Algorithm 12 and Equation 34 (whose transposes are exchanged).
    """

    def __init__(self, discount=0.95, *, noise=1.0, prior=1.0, keep_every=None, initial=None):
        self.discount = discount
        self.noise = noise
        self.prior = prior
        self.keep_every = keep_every
        self.initial = initial

    def _advance(self, steps, every, seen, path):
        loops.gptd_pass(
            *steps[:3], steps.starts, steps.ends, float(self.discount), float(self.noise) ** 2, self.coef_,
            self.covariance_, self._lag, self._memory, every, seen, path,
        )  # fmt: skip
        return len(steps.rewards)


class KTD(_GaussianMethod):
    """Kalman temporal differences: :class:`GPTD` whose coefficients may drift, for a world that changes.

    Use it where values change over time, with a ``drift`` to match; without drift it is GPTD. Costs O(p^2) a step.

    Parameters
    ----------
    drift : float, default=0.0
        Standard deviation of a coefficient's change in one step.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import KTD
    >>> cycle = np.eye(2)[[0, 1] * 200]
    >>> earned = np.repeat([1.0, 3.0], 200) * cycle[:, 1]  # three times as much from the middle on
    >>> steady = KTD(discount=0.5, noise=0.1).fit(cycle, earned, cycle[:, ::-1])
    >>> following = KTD(discount=0.5, noise=0.1, drift=0.1).fit(cycle, earned, cycle[:, ::-1])
    >>> steady.coef_.round(1), following.coef_.round(1)
    (array([1.3, 2.7]), array([2., 4.]))

    References
    ----------
    .. [1] Dann, Neumann & Peters, JMLR 15:809, Section 2.2.3.
    """

    _parameter_constraints: dict = {
        **_GaussianMethod._parameter_constraints, "drift": [Interval(Real, 0, LARGEST_NUMBER, closed="left")],
    }  # fmt: skip

    def __init__(self, discount=0.95, *, noise=1.0, prior=1.0, drift=0.0, keep_every=None, initial=None):
        self.discount = discount
        self.noise = noise
        self.prior = prior
        self.drift = drift
        self.keep_every = keep_every
        self.initial = initial

    def _advance(self, steps, every, seen, path):
        drift = np.full(self.n_features_in_, float(self.drift) ** 2)
        loops.ktd_pass(
            *steps[:3], steps.starts, steps.ends, float(self.discount), float(self.noise) ** 2, drift, self.coef_,
            self.covariance_, self._lag, self._memory, every, seen, path,
        )  # fmt: skip
        return len(steps.rewards)


class MonteCarlo(LinearValueEstimator):
    """Least squares of the returns that were observed after each step.

    Use it as the yardstick, or with few long episodes of little chance: it has no bias of bootstrapping, and the
    variance of whole returns. Episodes that are cut off count as ended: their last returns are too small, and a warning
    says so. Off-policy each reward is weighted by the product of the ratios since (per decision), whose variance grows
    with every step. It learns from whole episodes, in one call. Costs O(n p^2).

    Parameters
    ----------
    ridge : float or "auto", default="auto"
        Penalty of the squares of the coefficients; "auto" is a thousandth of each feature's mean square.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import MonteCarlo
    >>> chain = np.eye(3)  # three states in a row, then the end
    >>> after = np.vstack([chain[1:], np.zeros(3)])
    >>> MonteCarlo(discount=0.5, ridge=1e-9).fit(chain, [0.0, 0.0, 1.0], after, ends=[False, False, True]).coef_
    array([0.25, 0.5 , 1.  ])

    References
    ----------
    .. [1] Dann, Neumann & Peters, JMLR 15:809, Section 1.2 and Equation 35.
    """

    _parameter_constraints: dict = {
        **LinearValueEstimator._parameter_constraints, "ridge": [_POSITIVE, StrOptions({"auto"})],
    }  # fmt: skip
    _leaning = "penalty (ridge)"
    partial_fit = property(doc="Not offered: returns are known only when their episodes have ended.")

    def __init__(self, discount=0.95, *, ridge="auto", keep_every=None, initial=None):
        self.discount = discount
        self.ridge = ridge
        self.keep_every = keep_every
        self.initial = initial

    def _begin(self, steps):
        cut = np.append(steps.starts[1:], True) & ~steps.ends
        if cut.any() and self.discount > 0.0:
            warnings.warn(
                f"{int(cut.sum())} episodes were cut off before their end: the returns of their last steps lack what "
                "would have followed",
                stacklevel=5,
            )

    def _advance(self, steps, every, seen, path):
        earned = returns(steps.rewards, steps.ratios, steps.starts, steps.ends, float(self.discount))
        squares = np.einsum("ij,ij->j", steps.features, steps.features) / len(steps.features)
        ridge = np.where(squares > 0.0, squares, 1.0) / 1e3 if self.ridge == "auto" else self.ridge
        start, matrix = self.coef_, np.diag(np.broadcast_to(ridge, self.coef_.shape)).copy()
        right = ridge * start
        marks = [*range(every, len(earned) + 1, every)] if every else []
        for place, (first, last) in enumerate(zip([0, *marks], [*marks, len(earned)])):
            matrix += steps.features[first:last].T @ steps.features[first:last]
            right = right + steps.features[first:last].T @ earned[first:last]
            self.coef_, _ = scaled_solve(matrix, right)
            if place < len(path):
                path[place] = self.coef_
        return len(earned)
