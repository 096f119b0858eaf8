"""Least-squares methods of policy evaluation, O(p^2) a step (JMLR 15:809, Section 2.2.2; JMLR 15:289, Section 3)."""

import warnings
from numbers import Integral, Real

import numpy as np
from scipy.linalg import lapack
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.invariants import is_array, is_count
from treatise.rl.policy_evaluation import _least_squares_loops as loops
from treatise.rl.policy_evaluation._gradient_loops import trace_rows
from treatise.rl.policy_evaluation.base import LinearValueEstimator
from treatise.rl.policy_evaluation.gradient import checked_second
from treatise.rl.policy_evaluation.transitions import checked_rewards

_TRACE = {"trace_decay": [Interval(Real, 0, 1, closed="both")]}
_WEIGHTING = {"weighting": [StrOptions({"transition", "standard"})]}
BLOCK = 1 << 18
"""Numbers of a block of transitions that are laid out at a time."""


class _LeastSquaresMethod(LinearValueEstimator):
    """A method that keeps a matrix of second moments.

    Parameters
    ----------
    eps : float or "auto", default="auto"
        Size of the matrix that the recursion begins with: its inverse is a ridge penalty on the coefficients. "auto"
        is 1000 divided by each feature's mean square, so that no feature's scale matters; the surveys take 1000.

    Attributes
    ----------
    ridge_ : ndarray of shape (n_features,)
        The penalty of each coefficient's square.
    """

    _parameter_constraints: dict = {
        **LinearValueEstimator._parameter_constraints,
        "eps": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
    }

    def _begin(self, steps):
        p = self.n_features_in_
        if self.eps == "auto":
            squares = np.einsum("ij,ij->j", steps.features, steps.features) / len(steps.features)
            self.ridge_ = np.where(squares > 0.0, squares, 1.0) / 1e3
        else:
            self.ridge_ = np.full(p, 1.0 / self.eps)
        self._trace, self._memory = np.zeros(p), np.zeros(3)
        self._passed_over = 0
        self._begin_matrices(p)

    def _judge(self, steps, done):
        if self._passed_over:
            warnings.warn(
                f"{self._passed_over} steps were passed over: they would have made the matrix singular; take a "
                "smaller eps, or the solver 'block' where there is one",
                ConvergenceWarning,
                stacklevel=4,
            )
        super()._judge(steps, done)

    def _invariants(self):
        p = self.n_features_in_
        yield "_trace has a number for each feature", is_array(self._trace, np.float64, p)
        yield "_memory holds three numbers", is_array(self._memory, np.float64, 3)
        yield "ridge_ has a number for each feature", is_array(self.ridge_, np.float64, p)
        yield "_passed_over is a number of steps", is_count(self._passed_over)
        for name in self._matrices:
            yield f"{name} is a square matrix", is_array(getattr(self, name), np.float64, p, p)

    _matrices: tuple[str, ...] = ()
    _leaning = "penalty (eps)"


class LSTD(_LeastSquaresMethod):
    """Least-squares temporal differences, LSTD(lambda), and LSTD-TO(lambda), its form of small variance off-policy.

    The first choice wherever p^2 numbers fit into memory: it has no step length, and learns the most from every step.
    Do not use it with fewer steps than features (take :class:`PenalizedLSTD`) nor, off-policy, with
    ``weighting="standard"``, the older form, whose estimates can be wild for thousands of steps. Costs O(p^2) a step;
    the blocks' solver is the faster one, the recursive one has the coefficients after every step.

    Parameters
    ----------
    solver : {"block", "recursive"}, default="block"
        "block" sums A and b over blocks of steps and solves at the end of a call, and wherever coefficients are kept;
        "recursive" updates an inverse at every step (the surveys' listings), for calls of ``partial_fit`` with few
        steps each. Both give the same coefficients up to rounding.

    Attributes
    ----------
    reciprocal_condition_ : float
        Of the system solved last (solver "block"); near 1e-16 the coefficients are not determined, and a warning says
        so.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import FiniteMDP, LSTD, transitions_of
    >>> mdp = FiniteMDP([[[0.5, 0.5], [0.5, 0.5]]], rewards=[-0.8, 1.2], discount=0.8)
    >>> run = mdp.sample(np.ones((2, 1)), 100_000, random_state=0)
    >>> LSTD(discount=0.8).fit(*transitions_of(run, np.ones((2, 1)))).coef_.round(1)
    array([1.])

    References
    ----------
    .. [1] Dann, Neumann & Peters, JMLR 15:809, Algorithms 5 and 6; Geist & Scherrer, JMLR 15:289, Algorithm 1.
    """

    _parameter_constraints: dict = {
        **_LeastSquaresMethod._parameter_constraints, **_TRACE, **_WEIGHTING,
        "solver": [StrOptions({"block", "recursive"})],
    }  # fmt: skip
    _matrices = ("_matrix",)

    def __init__(
        self, discount=0.95, trace_decay=0.0, *, weighting="transition", eps="auto", solver="block", keep_every=None,
        initial=None,
    ):  # fmt: skip
        self.discount = discount
        self.trace_decay = trace_decay
        self.weighting = weighting
        self.eps = eps
        self.solver = solver
        self.keep_every = keep_every
        self.initial = initial

    def _begin_matrices(self, p):
        # The ridge and the first coefficients: A + ridge, b + ridge theta_0.
        self._matrix = np.diag(self.ridge_ if self.solver == "block" else 1.0 / self.ridge_)
        self._right = self.ridge_ * self.coef_

    def _advance(self, steps, every, seen, path):
        if self.solver == "recursive":
            self._passed_over += loops.lstd_pass(
                self.weighting == "transition", *steps[:5], float(self.discount), float(self.trace_decay),
                self.coef_, self._matrix, self._trace, self._memory, every, seen, path,
            )  # fmt: skip
            return len(steps.rewards)
        for first, last in blocks(len(steps.rewards), self.n_features_in_, every, seen):
            self._add(first, last, steps)
            if every and (seen + last) % every == 0:
                path[(seen + last) // every - 1 - seen // every] = self._solved()
        self.coef_ = self._solved()
        return len(steps.rewards)

    def _add(self, first, last, steps):
        z, difference, weights, rewards = weighted_block(
            self, steps, first, last, self.weighting == "transition", self._trace, self._memory
        )
        self._matrix += (z * weights[:, np.newaxis]).T @ difference
        self._right += z.T @ rewards

    def _solved(self):
        solution, self.reciprocal_condition_ = scaled_solve(self._matrix, self._right)
        return solution

    def _judge(self, steps, done):
        if self.solver == "block" and self.reciprocal_condition_ < 1e-14:
            warnings.warn(
                f"the system is nearly singular (reciprocal condition {self.reciprocal_condition_:.1e}): features that "
                "depend on each other leave the coefficients open; drop some, or take a smaller eps",
                ConvergenceWarning,
                stacklevel=4,
            )
        super()._judge(steps, done)

    def _invariants(self):
        yield "_right has a number for each feature", is_array(self._right, np.float64, self.n_features_in_)


def blocks(n, p, every, seen):
    """Where blocks of transitions begin and end: of bounded memory, and ending wherever coefficients are kept."""
    size = max(64, BLOCK // max(p, 1))
    first = 0
    while first < n:
        last = min(n, first + size)
        if every:
            last = min(last, first + every - (seen + first) % every)
        yield first, last
        first = last


def weighted_block(model, steps, first, last, transition, trace, memory):
    """Traces, feature differences, the weights of their products and weighted rewards of a block of transitions."""
    part = slice(first, last)
    features, ratios = steps.features[part], steps.ratios[part]
    factor = float(model.discount * model.trace_decay)
    if factor == 0.0:
        z = features
        trace[:], memory[0] = features[-1], ratios[-1]
    else:
        z = np.empty_like(features)
        trace_rows(features, ratios, steps.starts[part], factor, trace, memory, z)
    bootstrap = model.discount * (np.ones(len(ratios)) if transition else ratios)
    difference = features - bootstrap[:, np.newaxis] * steps.next_features[part]
    weights = ratios if transition else np.ones(len(ratios))
    return z, difference, weights, ratios * steps.rewards[part]


def scaled_solve(matrix, right):
    """Solution of a system whose rows and columns are brought to one scale first, and its reciprocal condition."""
    size = np.sqrt(np.abs(np.diag(matrix)))
    size[size == 0.0] = 1.0
    scaled = matrix / size[:, np.newaxis] / size
    factors, pivots, info = lapack.dgetrf(scaled)
    if info != 0:
        return np.linalg.lstsq(scaled, right / size, rcond=None)[0] / size, 0.0
    reciprocal, _ = lapack.dgecon(factors, np.abs(scaled).sum(axis=0).max(initial=0.0))
    solution, _ = lapack.dgetrs(factors, pivots, right / size)
    return solution / size, float(reciprocal)


class LSPE(_LeastSquaresMethod):
    """Least-squares policy evaluation, LSPE(lambda), and LSPE-TO(lambda): moves towards the regression of one step.

    Use it in place of :class:`LSTD` where a good first estimate (``initial``) is at hand, or where LSTD's system is
    nearly singular: it moves from where it stands. It diverges where the projected Bellman operator is no contraction
    (:meth:`PolicyEvaluation.contraction` tells), which off-policy may be. Costs O(p^2) a step.

    Parameters
    ----------
    alpha : float, default=1.0
        Length of a move; 1 goes all the way to the regression.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import FiniteMDP, LSPE, transitions_of
    >>> mdp = FiniteMDP([[[0.5, 0.5], [0.5, 0.5]]], rewards=[-0.8, 1.2], discount=0.8)
    >>> run = mdp.sample(np.ones((2, 1)), 100_000, random_state=0)
    >>> LSPE(discount=0.8).fit(*transitions_of(run, np.ones((2, 1)))).coef_.round(1)
    array([1.])

    References
    ----------
    .. [1] Dann, Neumann & Peters, JMLR 15:809, Algorithms 7 and 8; Geist & Scherrer, JMLR 15:289, Algorithm 2.
    """

    _parameter_constraints: dict = {
        **_LeastSquaresMethod._parameter_constraints, **_TRACE, **_WEIGHTING,
        "alpha": [Interval(Real, 0, 2, closed="neither")],
    }  # fmt: skip
    _matrices = ("_inverse", "_matrix")
    _mend = "the projected operator is no contraction here; take LSTD, or a smaller alpha"

    def __init__(
        self, discount=0.95, trace_decay=0.0, *, alpha=1.0, weighting="transition", eps="auto", keep_every=None,
        initial=None,
    ):  # fmt: skip
        self.discount = discount
        self.trace_decay = trace_decay
        self.alpha = alpha
        self.weighting = weighting
        self.eps = eps
        self.keep_every = keep_every
        self.initial = initial

    def _begin_matrices(self, p):
        self._inverse, self._matrix, self._right = np.diag(1.0 / self.ridge_), np.zeros((p, p)), np.zeros(p)

    def _advance(self, steps, every, seen, path):
        return loops.lspe_pass(
            self.weighting == "transition", *steps[:5], float(self.discount), float(self.trace_decay),
            float(self.alpha), self.coef_, self._inverse, self._matrix, self._right, self._trace, self._memory,
            every, seen, path,
        )  # fmt: skip

    def _invariants(self):
        yield "_right has a number for each feature", is_array(self._right, np.float64, self.n_features_in_)


class FPKF(_LeastSquaresMethod):
    """Fixed-point Kalman filter, FPKF(lambda): a regression on bootstrapped targets, each made with the estimate of its
    day.

    Offered as the surveys compare it; :class:`LSTD` and :class:`LSPE` learn faster, since old targets are never
    corrected. It weights as ``weighting="standard"`` does. Costs O(p^2) a step, two matrices without and one more with
    a trace.

    Parameters
    ----------
    alpha : float, default=1.0
        Scale of the moves.
    beta : float or None, default=None
        Delay of their fall: a move of step t has the length alpha t beta / (beta + t) times the inverse of the summed
        second moments, so that large values fall late; None leaves them at alpha, as in JMLR 15:289.
    delay : int, default=0
        Steps before the first move.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import FPKF, FiniteMDP, transitions_of
    >>> mdp = FiniteMDP([[[0.5, 0.5], [0.5, 0.5]]], rewards=[-0.8, 1.2], discount=0.8)
    >>> run = mdp.sample(np.ones((2, 1)), 100_000, random_state=0)
    >>> FPKF(discount=0.8, beta=100).fit(*transitions_of(run, np.ones((2, 1)))).coef_.round(1)
    array([1.])

    References
    ----------
    .. [1] Dann, Neumann & Peters, JMLR 15:809, Algorithm 9; Geist & Scherrer, JMLR 15:289, Algorithm 3.
    """

    _parameter_constraints: dict = {
        **_LeastSquaresMethod._parameter_constraints, **_TRACE,
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "beta": [Interval(Real, 0, None, closed="neither"), None],
        "delay": [Interval(Integral, 0, None, closed="left")],
    }  # fmt: skip
    _matrices = ("_inverse", "_matrix")
    _mend = "take a smaller alpha or beta, a longer delay, or LSTD"

    def __init__(
        self, discount=0.95, trace_decay=0.0, *, alpha=1.0, beta=None, delay=0, eps="auto", keep_every=None,
        initial=None,
    ):  # fmt: skip
        self.discount = discount
        self.trace_decay = trace_decay
        self.alpha = alpha
        self.beta = beta
        self.delay = delay
        self.eps = eps
        self.keep_every = keep_every
        self.initial = initial

    def _begin_matrices(self, p):
        self._inverse, self._matrix = np.diag(1.0 / self.ridge_), np.zeros((p, p))

    def _advance(self, steps, every, seen, path):
        t = np.arange(seen + 1, seen + len(steps.rewards) + 1, dtype=np.float64)
        lengths = np.full(len(t), self.alpha) if self.beta is None else self.alpha * t * self.beta / (self.beta + t)
        lengths[t <= self.delay] = 0.0
        return loops.fpkf_pass(
            *steps[:5], float(self.discount), float(self.trace_decay), lengths, self.coef_, self._inverse,
            self._matrix, self._trace, self._memory, every, seen, path,
        )  # fmt: skip


class BRM(_LeastSquaresMethod):
    """Bellman residual minimisation, BRM(lambda): least squares of the temporal differences themselves.

    Use it where steps are nearly deterministic, or with ``double_samples``, a second successor of every state: with one
    successor it minimises the mean squared temporal difference, which is biased where steps are random. It cannot
    diverge. Off-policy with a trace its weights are products of squares, which need
    discount x trace_decay x ratio < 1. Costs O(p^2) a step.

    Parameters
    ----------
    weighting : {"transition", "standard"}, default="transition"
        What the ratio of policies multiplies: the square of a whole temporal difference, or only what depends on the
        action, before the square is taken; these have different limits, and the first alone is the mean squared
        temporal difference of the policy to be judged. Off-policy with a trace there is the second alone.
    double_samples : bool, default=False
        Whether ``fit`` is given a second, independent successor of every state; there is no trace then.
    weigh_rewards : bool, default=True
        Whether standard weights multiply rewards too, as the listings do. False is right as well where a reward
        depends on the state alone, and is what the limit in JMLR 15:289, Theorem 3, is of.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import BRM
    >>> cycle = np.eye(2)[[0, 1] * 500]
    >>> BRM(discount=0.5).fit(cycle, cycle[:, 1], cycle[:, ::-1]).coef_.round(3)
    array([0.667, 1.333])

    References
    ----------
    .. [1] Geist & Scherrer, JMLR 15:289, Algorithm 4; Dann, Neumann & Peters, JMLR 15:809, Algorithms 10 and 11.
    """

    _parameter_constraints: dict = {
        **_LeastSquaresMethod._parameter_constraints, **_TRACE, **_WEIGHTING,
        "double_samples": ["boolean"], "weigh_rewards": ["boolean"],
    }  # fmt: skip
    _matrices = ("_inverse",)

    def __init__(
        self, discount=0.95, trace_decay=0.0, *, weighting="transition", double_samples=False, weigh_rewards=True,
        eps="auto", keep_every=None, initial=None,
    ):  # fmt: skip
        self.discount = discount
        self.trace_decay = trace_decay
        self.weighting = weighting
        self.double_samples = double_samples
        self.weigh_rewards = weigh_rewards
        self.eps = eps
        self.keep_every = keep_every
        self.initial = initial

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, features, rewards, next_features, ratios=None, starts=None, ends=None, *, second_rewards=None,
        second_next_features=None, second_ratios=None,
    ):  # fmt: skip
        """Learn from steps in the order given, and from nothing before.

        Parameters
        ----------
        features, rewards, next_features, ratios, starts, ends : array-like
            As for :meth:`LSTD.fit`.
        second_rewards : array-like of shape (n_steps,) or None, default=None
            Of the second step; None takes those of the first.
        second_next_features : array-like of shape (n_steps, n_features) or None, default=None
            Of a second state that might have been reached, drawn independently; needed for ``double_samples``. Zeros
            where it ends the episode.
        second_ratios : array-like of shape (n_steps,) or None, default=None
            Ratio of the policies for the second action; None is 1.

        Returns
        -------
        self
        """
        second = self._checked_second(features, rewards, second_rewards, second_next_features, second_ratios)
        return self._learn(features, rewards, next_features, ratios, starts, ends, first=True, second=second)

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, features, rewards, next_features, ratios=None, starts=None, ends=None, *, second_rewards=None,
        second_next_features=None, second_ratios=None,
    ):  # fmt: skip
        """Learn from further steps.

        Parameters
        ----------
        features, rewards, next_features, ratios, starts, ends, second_rewards, second_next_features, second_ratios : \
array-like
            As for ``fit``.

        Returns
        -------
        self
        """
        first = not hasattr(self, "coef_")
        second = self._checked_second(features, rewards, second_rewards, second_next_features, second_ratios)
        return self._learn(features, rewards, next_features, ratios, starts, ends, first=first, second=second)

    def _checked_second(self, features, rewards, second_rewards, after, ratios):
        second = checked_second(self, features, after, ratios)
        if second is None:
            return None
        if self.trace_decay > 0.0:
            raise ValueError(f"trace_decay={self.trace_decay:g}: with double_samples=True there is no trace; give 0")
        second_rewards = rewards if second_rewards is None else second_rewards
        return checked_rewards(second_rewards, len(second[0]), "second_rewards"), *second

    def _begin_matrices(self, p):
        self._inverse, self._summed, self._right = np.diag(1.0 / self.ridge_), np.zeros(p), self.ridge_ * self.coef_

    def _advance(self, steps, every, seen, path, second=None):
        if second is not None:
            self._passed_over += loops.double_brm_pass(
                *steps[:4], *second, float(self.discount), self.coef_, self._inverse, self._right, every, seen, path
            )
        else:
            transition = self.weighting == "transition"
            if transition and self.trace_decay > 0.0 and (steps.ratios != 1.0).any():
                raise ValueError("BRM with a trace has standard weights alone; say weighting='standard'")
            self._passed_over += loops.brm_pass(
                transition, self.weigh_rewards, *steps[:5], float(self.discount), float(self.trace_decay), self.coef_,
                self._inverse, self._summed, self._memory, every, seen, path,
            )  # fmt: skip
        return len(steps.rewards)

    def _invariants(self):
        p = self.n_features_in_
        for name in ("_summed", "_right"):
            yield f"{name} has a number for each feature", is_array(getattr(self, name), np.float64, p)
