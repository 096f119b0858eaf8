"""Gradient methods of policy evaluation, O(p) a step (JMLR 15:809, Section 2.2.1; JMLR 15:289, Section 4)."""

from numbers import Real

import numpy as np
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import row_norms

from treatise._core.invariants import is_array, is_number
from treatise.rl.policy_evaluation import _gradient_loops as loops
from treatise.rl.policy_evaluation._sparse_gradient_loops import sparse_gradient_pass
from treatise.rl.policy_evaluation.base import LinearValueEstimator
from treatise.rl.policy_evaluation.transitions import checked_features, checked_ratios

_POSITIVE = Interval(Real, 0, None, closed="neither")
_TRACE = {"trace_decay": [Interval(Real, 0, 1, closed="both")]}
_WEIGHTING = {"weighting": [StrOptions({"transition", "standard"})]}
_HELPER = {
    "beta": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
    "beta_decay": [_POSITIVE, None],
    "beta_power": [Interval(Real, 0, 1, closed="both")],
}


class _GradientMethod(LinearValueEstimator):
    """A method that moves the coefficients a little with every step.

    Parameters
    ----------
    alpha : float or "auto", default="auto"
        Length of a move at the first step. "auto" divides a fifth by the mean square length of the features (times the
        reach of the trace), so that the scale of all features together does not matter; that of one feature against
        another still does: standardise them.
    alpha_decay : float or None, default=None
        The c of the schedule alpha c / (c + i^power) at step i; None keeps the length.
    alpha_power : float, default=1.0
        The schedule's power.
    beta : float or "auto", default="auto"
        Length of a move of the second estimate; "auto" is a share of alpha.
    beta_decay : float or None, default=None
        As ``alpha_decay``, for the second estimate.
    beta_power : float, default=2/3
        As ``alpha_power``, for the second estimate, which is to settle faster.

    Attributes
    ----------
    alpha_, beta_ : float
        The lengths at the first step.
    """

    _parameter_constraints: dict = {
        **LinearValueEstimator._parameter_constraints,
        "alpha": [_POSITIVE, StrOptions({"auto"})],
        "alpha_decay": [_POSITIVE, None],
        "alpha_power": [Interval(Real, 0, 1, closed="both")],
    }

    _rule: int
    _beta_share = 1.0
    _mend = "take a smaller alpha, or a method that cannot diverge off-policy (TDC, GTD2, LSTD)"

    def _begin(self, steps):
        p = self.n_features_in_
        self.alpha_ = self._first_length(steps) if self.alpha == "auto" else float(self.alpha)
        beta = getattr(self, "beta", 0.0)
        self.beta_ = self._helper_length() if beta == "auto" else float(beta)
        self._helper, self._trace, self._successor_trace, self._memory = (
            np.zeros(p),
            np.zeros(p),
            np.zeros(p),
            np.zeros(3),
        )

    def _helper_length(self):
        return self._beta_share * self.alpha_

    def _first_length(self, steps):
        squares = row_norms(steps.features, squared=True) * np.maximum(steps.ratios, 1.0)
        reach = 1.0 - self.discount * getattr(self, "trace_decay", 0.0)
        mean = float(squares.mean())
        return 0.2 * max(reach, 0.01) / mean if mean > 0.0 else 0.2

    def _advance(self, steps, every, seen, path, second=None):
        after, ratios = (steps.next_features, np.ones(len(steps.rewards))) if second is None else second
        index = np.arange(seen + 1, seen + len(steps.rewards) + 1, dtype=np.float64)
        alphas = _lengths(self.alpha_, self.alpha_decay, self.alpha_power, index)
        betas = alphas
        if hasattr(self, "beta"):
            betas = _lengths(self.beta_, self.beta_decay, self.beta_power, index)
        rule = (
            self._rule, getattr(self, "weighting", "standard") == "transition", getattr(self, "recompute", False)
        )  # fmt: skip
        if sparse.issparse(steps.features):
            return sparse_gradient_pass(
                *rule, _rows(steps.features), steps.rewards, _rows(steps.next_features), steps.ratios, steps.starts,
                float(self.discount), float(getattr(self, "trace_decay", 0.0)), alphas, betas,
                self.coef_, self._helper, self._trace, self._memory,
                np.empty(self.n_features_in_, np.int64), np.empty(self.n_features_in_, bool), every, seen, path,
            )  # fmt: skip
        return loops.gradient_pass(
            *rule, steps.features, steps.rewards, steps.next_features, steps.ratios, steps.starts, after, ratios,
            float(self.discount), float(getattr(self, "trace_decay", 0.0)), alphas, betas,
            self.coef_, self._helper, self._trace, self._successor_trace, self._memory, every, seen, path,
        )  # fmt: skip

    def _invariants(self):
        p = self.n_features_in_
        for name in ("_helper", "_trace", "_successor_trace"):
            yield f"{name} has a number for each feature", is_array(getattr(self, name), np.float64, p)
        yield "_memory holds three numbers", is_array(self._memory, np.float64, 3)
        yield "alpha_ and beta_ are numbers", is_number(self.alpha_) and is_number(self.beta_)


def _rows(matrix):
    """What a compiled pass takes of a matrix in compressed rows."""
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data


def _lengths(first, decay, power, index):
    return np.full(len(index), first) if decay is None else first * decay / (decay + index**power)


class TD(_GradientMethod):
    """Temporal differences, TD(lambda): the simplest estimate of values, one feature vector of work a step.

    Use it where features are very many (tens of thousands) and standardised, on- or mildly off-policy. Do not use it
    where the acting policy differs much from the judged one: it can diverge (then ``diverged_`` is set); nor with few
    features, where :class:`LSTD` learns more from every step. Costs O(p) a step and two vectors of p numbers; a step of
    sparse features costs what they and the trace hold.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import FiniteMDP, TD, transitions_of
    >>> mdp = FiniteMDP([[[0.5, 0.5], [0.5, 0.5]]], rewards=[-0.8, 1.2], discount=0.8)
    >>> run = mdp.sample(np.ones((2, 1)), 50_000, random_state=0)
    >>> TD(discount=0.8, alpha=0.2, alpha_decay=100).fit(*transitions_of(run, np.eye(2))).coef_.round(1) + 0.0
    array([0., 2.])

    References
    ----------
    .. [1] Dann, Neumann & Peters, JMLR 15:809, Algorithm 1; Geist & Scherrer, JMLR 15:289, Algorithm 5.
    """

    _parameter_constraints: dict = {**_GradientMethod._parameter_constraints, **_TRACE, **_WEIGHTING}
    _rule = loops.TD
    _takes_sparse = True

    def __init__(
        self, discount=0.95, trace_decay=0.0, *, alpha="auto", alpha_decay=None, alpha_power=1.0,
        weighting="transition", keep_every=None, initial=None,
    ):  # fmt: skip
        self.discount = discount
        self.trace_decay = trace_decay
        self.alpha = alpha
        self.alpha_decay = alpha_decay
        self.alpha_power = alpha_power
        self.weighting = weighting
        self.keep_every = keep_every
        self.initial = initial


class TDC(_GradientMethod):
    """Temporal differences with gradient correction, TDC(lambda) or GQ(lambda): converges off-policy too.

    Use it in place of :class:`TD` where the acting policy differs from the judged one. With ``beta=0`` it is TD. The
    second step length has to be chosen; where p^2 numbers fit into memory :class:`LSTD` needs none. Costs O(p) a step.

    Parameters
    ----------
    recompute : bool, default=True
        Whether the second estimate sees the error after the move (the listing of JMLR 15:289) or before it (its
        Equation 20, and JMLR 15:809).

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import FiniteMDP, TDC, transitions_of
    >>> mdp = FiniteMDP([[[0.5, 0.5], [0.5, 0.5]]], rewards=[-0.8, 1.2], discount=0.8)
    >>> run = mdp.sample(np.ones((2, 1)), 50_000, random_state=0)
    >>> TDC(discount=0.8, alpha=0.2, alpha_decay=100).fit(*transitions_of(run, np.eye(2))).coef_.round() + 0.0
    array([0., 2.])

    References
    ----------
    .. [1] Dann, Neumann & Peters, JMLR 15:809, Algorithm 4; Geist & Scherrer, JMLR 15:289, Algorithm 6.
    """

    _parameter_constraints: dict = {
        **_GradientMethod._parameter_constraints, **_TRACE, **_WEIGHTING, **_HELPER, "recompute": ["boolean"],
    }  # fmt: skip
    _rule = loops.TDC
    _takes_sparse = True
    _beta_share = 0.05

    def __init__(
        self, discount=0.95, trace_decay=0.0, *, alpha="auto", alpha_decay=None, alpha_power=1.0, beta="auto",
        beta_decay=None, beta_power=2 / 3, weighting="transition", recompute=True, keep_every=None, initial=None,
    ):  # fmt: skip
        self.discount = discount
        self.trace_decay = trace_decay
        self.alpha = alpha
        self.alpha_decay = alpha_decay
        self.alpha_power = alpha_power
        self.beta = beta
        self.beta_decay = beta_decay
        self.beta_power = beta_power
        self.weighting = weighting
        self.recompute = recompute
        self.keep_every = keep_every
        self.initial = initial


class GTD2(TDC):
    """Gradient temporal differences, second form, GTD2(lambda): follows the gradient of the projected error.

    Use it as :class:`TDC`, which is usually faster; its moves are those of a true gradient, so that it is the steadier
    of the two far from the policy that acted. Costs O(p) a step.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import FiniteMDP, GTD2, transitions_of
    >>> mdp = FiniteMDP([[[0.5, 0.5], [0.5, 0.5]]], rewards=[-0.8, 1.2], discount=0.8)
    >>> run = mdp.sample(np.ones((2, 1)), 50_000, random_state=0)
    >>> GTD2(discount=0.8, alpha=0.2, beta=0.2).fit(*transitions_of(run, np.eye(2))).coef_.round() + 0.0
    array([0., 2.])

    References
    ----------
    .. [1] Dann, Neumann & Peters, JMLR 15:809, Algorithm 3; Geist & Scherrer, JMLR 15:289, Algorithm 7.
    """

    _rule = loops.GTD2
    _beta_share = 1.0


class GTD(_GradientMethod):
    """Gradient temporal differences, first form: follows the gradient of the norm of the expected update.

    Offered as the survey compares it; :class:`TDC` and :class:`GTD2` do better nearly everywhere. It has no trace and
    weights whole transitions. Costs O(p) a step.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import FiniteMDP, GTD, transitions_of
    >>> mdp = FiniteMDP([[[0.5, 0.5], [0.5, 0.5]]], rewards=[-0.8, 1.2], discount=0.8)
    >>> run = mdp.sample(np.ones((2, 1)), 50_000, random_state=0)
    >>> GTD(discount=0.8, alpha=0.2, beta=0.2).fit(*transitions_of(run, np.eye(2))).coef_.round() + 0.0
    array([0., 2.])

    References
    ----------
    .. [1] Dann, Neumann & Peters, JMLR 15:809, Algorithm 2.
    """

    _parameter_constraints: dict = {**_GradientMethod._parameter_constraints, **_HELPER}
    _rule = loops.GTD
    _takes_sparse = True

    def _first_length(self, steps):
        # The second estimate grows with the features here, and has no unit of its own.
        return 5.0 * super()._first_length(steps) ** 2

    def _helper_length(self):
        return 0.1

    def __init__(
        self, discount=0.95, *, alpha="auto", alpha_decay=None, alpha_power=1.0, beta="auto", beta_decay=None,
        beta_power=2 / 3, keep_every=None, initial=None,
    ):  # fmt: skip
        self.discount = discount
        self.alpha = alpha
        self.alpha_decay = alpha_decay
        self.alpha_power = alpha_power
        self.beta = beta
        self.beta_decay = beta_decay
        self.beta_power = beta_power
        self.keep_every = keep_every
        self.initial = initial


class ResidualGradient(_GradientMethod):
    """The residual gradient: follows the gradient of the squared temporal difference itself.

    Use it where steps are nearly deterministic, or where every state's successor can be drawn twice
    (``double_samples``): one successor alone makes it minimise the mean squared temporal difference, which is biased
    where steps are random. Costs O(p) a step.

    Parameters
    ----------
    double_samples : bool, default=False
        Whether ``fit`` is given a second, independent successor of every state; then the Bellman error is minimised.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import ResidualGradient
    >>> cycle = np.eye(2)[[0, 1] * 5_000]
    >>> model = ResidualGradient(discount=0.5, alpha=0.3)
    >>> model.fit(cycle, cycle[:, 1], cycle[:, ::-1]).coef_.round(3)
    array([0.667, 1.333])

    References
    ----------
    .. [1] Dann, Neumann & Peters, JMLR 15:809, Algorithm 13 and Section 2.2.1.
    """

    _parameter_constraints: dict = {**_GradientMethod._parameter_constraints, "double_samples": ["boolean"]}
    _rule = loops.RESIDUAL

    def __init__(
        self, discount=0.95, *, double_samples=False, alpha="auto", alpha_decay=None, alpha_power=1.0,
        keep_every=None, initial=None,
    ):  # fmt: skip
        self.discount = discount
        self.double_samples = double_samples
        self.alpha = alpha
        self.alpha_decay = alpha_decay
        self.alpha_power = alpha_power
        self.keep_every = keep_every
        self.initial = initial

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, features, rewards, next_features, ratios=None, starts=None, ends=None, *, second_next_features=None,
        second_ratios=None,
    ):  # fmt: skip
        """Learn from steps in the order given, and from nothing before.

        Parameters
        ----------
        features, rewards, next_features, ratios, starts, ends : array-like
            As for :meth:`TD.fit`.
        second_next_features : array-like of shape (n_steps, n_features) or None, default=None
            Of a second state that might have been reached, drawn independently; needed for ``double_samples``.
        second_ratios : array-like of shape (n_steps,) or None, default=None
            Ratio of the policies for the second action; None is 1.

        Returns
        -------
        self
        """
        second = self._checked_second(features, second_next_features, second_ratios)
        return self._learn(features, rewards, next_features, ratios, starts, ends, first=True, second=second)

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, features, rewards, next_features, ratios=None, starts=None, ends=None, *, second_next_features=None,
        second_ratios=None,
    ):  # fmt: skip
        """Learn from further steps.

        Parameters
        ----------
        features, rewards, next_features, ratios, starts, ends, second_next_features, second_ratios : array-like
            As for ``fit``.

        Returns
        -------
        self
        """
        second = self._checked_second(features, second_next_features, second_ratios)
        first = not hasattr(self, "coef_")
        return self._learn(features, rewards, next_features, ratios, starts, ends, first=first, second=second)

    def _checked_second(self, features, after, ratios):
        return checked_second(self, features, after, ratios)


def checked_second(model, features, after, ratios):
    """A second successor of every state where the method wants one, and none where it does not."""
    if not model.double_samples:
        if after is not None:
            raise ValueError("second_next_features are given; say double_samples=True to use them")
        return None
    if after is None:
        raise ValueError("double_samples=True needs second_next_features: another successor of every state")
    after = checked_features("second_next_features", after)
    shape = np.shape(features)
    if after.shape != shape:
        raise ValueError(f"second_next_features have the shape {after.shape} and features {shape}")
    return after, np.ones(len(after)) if ratios is None else checked_ratios(ratios, len(after))


class GradientBRM(_GradientMethod):
    """Gradient form of Bellman residual minimisation, gBRM(lambda), with traces and standard importance weights.

    Use it as :class:`ResidualGradient` where a trace is wanted; with ``trace_decay=1`` it is TD(1), without a trace the
    residual gradient. Off-policy it is slow. Costs O(p) a step.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import GradientBRM
    >>> cycle = np.eye(2)[[0, 1] * 5_000]
    >>> model = GradientBRM(discount=0.5, alpha=0.3)
    >>> model.fit(cycle, cycle[:, 1], cycle[:, ::-1]).coef_.round(3)
    array([0.667, 1.333])

    References
    ----------
    .. [1] Geist & Scherrer, JMLR 15:289, Algorithm 8.
    """

    _parameter_constraints: dict = {**_GradientMethod._parameter_constraints, **_TRACE}
    _rule = loops.RESIDUAL_TRACE

    def __init__(
        self, discount=0.95, trace_decay=0.0, *, alpha="auto", alpha_decay=None, alpha_power=1.0, keep_every=None,
        initial=None,
    ):  # fmt: skip
        self.discount = discount
        self.trace_decay = trace_decay
        self.alpha = alpha
        self.alpha_decay = alpha_decay
        self.alpha_power = alpha_power
        self.keep_every = keep_every
        self.initial = initial
