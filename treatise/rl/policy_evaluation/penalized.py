"""LSTD with penalties, for many features or few steps (JMLR 15:809, Section 2.3.2 and Table 2)."""

import warnings
from numbers import Real

import numpy as np
from scipy.linalg import cholesky, solve
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Lasso
from sklearn.utils._param_validation import Interval, StrOptions

from treatise._core.invariants import is_array, is_count
from treatise.rl.policy_evaluation.base import LinearValueEstimator
from treatise.rl.policy_evaluation.least_squares import blocks, weighted_block

PENALTIES = ("l2", "l2_l2", "l1", "dantzig", "lars", "l1_pbr", "l2_l1")


class PenalizedLSTD(LinearValueEstimator):
    """LSTD whose coefficients are held small or few, by one of seven penalties.

    Use it with more features than steps, or to find the features that matter. With many more steps than features
    :class:`LSTD` does as well; the survey found no penalty that was better throughout. All penalties act on features
    brought to mean square one, so that no feature's scale matters. Costs O(n p^2), then O(p^3) ("l2", "l2_l2",
    "l1_pbr", "l2_l1", "l1"), a linear program of 2 p variables ("dantzig") or O(p^2) for each feature that enters or
    leaves ("lars").

    Parameters
    ----------
    penalty : {"l2", "l2_l2", "l1", "dantzig", "lars", "l1_pbr", "l2_l1"}, default="l2"
        With A and b the means over the steps of LSTD's matrix and vector, and s the strength: "l2" solves
        (A + s I) theta = b; "l2_l2" has a ridge on the regression of one step and another on the fixed point; "l1"
        minimises |A theta - b|^2 + s |theta|_1; "dantzig" minimises |theta|_1 within \
max |A theta - b| <= s; "lars" (Lasso-TD) finds the fixed point of the Lasso of one step, which needs an A of positive
        principal minors; "l1_pbr" and "l2_l1" are the Lasso of the projected Bellman residual, the second with a ridge
        on the regression of one step.
    strength : float, default=0.01
        The penalty's strength as a share of the least one that leaves no coefficient; of the mean square of a feature,
        which is one, for the ridges.
    inner_strength : float, default=1e-6
        The ridge on the regression of one step, of "l2_l2", "l2_l1" and "l1_pbr", which needs it only where steps are
        fewer than features.
    absolute : bool, default=False
        Whether ``strength`` is s itself.

    Attributes
    ----------
    strength_ : float
        The s that was used.
    converged_ : bool
        Whether the conditions of the optimum hold.
    kkt_residual_ : float
        By how much they are missed, as a share of the greatest entry of b.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.rl import PenalizedLSTD
    >>> rng = np.random.default_rng(0)
    >>> walk = np.cumsum(rng.normal(size=401)) / 10
    >>> features = np.column_stack([walk, rng.normal(size=(401, 20))])  # one of 21 features matters
    >>> model = PenalizedLSTD(discount=0.5, penalty="lars", strength=0.2).fit(features[:-1], walk[:-1], features[1:])
    >>> np.flatnonzero(model.coef_)
    array([0])

    References
    ----------
    .. [1] Dann, Neumann & Peters, JMLR 15:809, Table 2.
    """

    _parameter_constraints: dict = {
        **LinearValueEstimator._parameter_constraints,
        "trace_decay": [Interval(Real, 0, 1, closed="both")],
        "weighting": [StrOptions({"transition", "standard"})],
        "penalty": [StrOptions(set(PENALTIES))],
        "strength": [Interval(Real, 0, None, closed="neither")],
        "inner_strength": [Interval(Real, 0, None, closed="neither")],
        "absolute": ["boolean"],
    }
    _mend = "take a greater strength"

    def __init__(
        self, discount=0.95, trace_decay=0.0, *, penalty="l2", strength=0.01, inner_strength=1e-6, absolute=False,
        weighting="transition", keep_every=None, initial=None,
    ):  # fmt: skip
        self.discount = discount
        self.trace_decay = trace_decay
        self.penalty = penalty
        self.strength = strength
        self.inner_strength = inner_strength
        self.absolute = absolute
        self.weighting = weighting
        self.keep_every = keep_every
        self.initial = initial

    @property
    def _leaning(self):
        # The others are made for few steps: they choose features.
        return "penalty (strength)" if self.penalty in ("l2", "l2_l2") else None

    def _begin(self, steps):
        p = self.n_features_in_
        self._trace, self._memory = np.zeros(p), np.zeros(3)
        self._matrix, self._squares, self._right = np.zeros((p, p)), np.zeros((p, p)), np.zeros(p)
        self._summed = 0

    def _advance(self, steps, every, seen, path):
        for first, last in blocks(len(steps.rewards), self.n_features_in_, every, seen):
            z, difference, weights, rewards = weighted_block(
                self, steps, first, last, self.weighting == "transition", self._trace, self._memory
            )
            self._matrix += (z * weights[:, np.newaxis]).T @ difference
            features = steps.features[first:last]
            counted = steps.ratios[first:last] if self.weighting == "transition" else np.ones(last - first)
            self._squares += (features * counted[:, np.newaxis]).T @ features
            self._right += z.T @ rewards
            self._summed += last - first
            if every and (seen + last) % every == 0:
                path[(seen + last) // every - 1 - seen // every] = self._solved()
        self.coef_ = self._solved()
        return len(steps.rewards)

    def _solved(self):
        n = self._summed
        size = np.sqrt(np.diag(self._squares) / n)
        size[size == 0.0] = 1.0
        scale = np.outer(size, size)
        A, C, b = self._matrix / n / scale, self._squares / n / scale, self._right / n / size
        coef, self.strength_, self.kkt_residual_ = solve_penalized(
            self.penalty, A, C, b, self.strength, self.inner_strength, self.absolute
        )
        self.converged_ = bool(self.kkt_residual_ <= 1e-6)
        return coef / size

    def _judge(self, steps, done):
        if not self.converged_:
            warnings.warn(
                f"the conditions of the optimum are missed by {self.kkt_residual_:.1e}; take a greater strength"
                + (", or the penalty 'l1_pbr' (A has no positive principal minors)" if self.penalty == "lars" else ""),
                ConvergenceWarning,
                stacklevel=4,
            )
        super()._judge(steps, done)

    def _invariants(self):
        p = self.n_features_in_
        for name in ("_trace", "_right"):
            yield f"{name} has a number for each feature", is_array(getattr(self, name), np.float64, p)
        for name in ("_matrix", "_squares"):
            yield f"{name} is a square matrix", is_array(getattr(self, name), np.float64, p, p)
        yield "steps are counted", is_count(self._summed)
        yield "_memory holds three numbers", is_array(self._memory, np.float64, 3)


def solve_penalized(penalty, A, C, b, strength, inner, absolute):
    """Coefficients, the strength used and the residual of the optimum's conditions, from LSTD's mean moments.

    Parameters
    ----------
    penalty : str
        One of :data:`PENALTIES`.
    A, C : ndarray of shape (n_features, n_features)
        E z (phi - gamma phi')^T and E phi phi^T.
    b : ndarray of shape (n_features,)
        E z r.
    strength, inner : float
        Of the penalty, and of the ridge on the regression of one step.
    absolute : bool
        Whether ``strength`` is no share.

    Returns
    -------
    coef : ndarray of shape (n_features,)
    strength : float
    residual : float
    """
    greatest = np.abs(b).max(initial=0.0)
    if greatest == 0.0:
        return np.zeros(len(b)), float(strength), 0.0
    if penalty == "l2":
        return solve(A + strength * np.eye(len(b)), b), float(strength), 0.0
    if penalty == "lars":
        strength = strength if absolute else strength * greatest
        coef = lars_td(A, b, strength)
        return coef, float(strength), lars_td_residual(A, b, coef, strength) / greatest
    if penalty == "dantzig":
        strength = strength if absolute else strength * greatest
        coef = dantzig(A, b, strength)
        return coef, float(strength), max(0.0, np.abs(A @ coef - b).max() - strength) / greatest
    if penalty == "l1":
        design, aim = A, b
    else:
        design, aim = projected_residual(A, C, b, inner)
    if penalty == "l2_l2":
        return (
            solve(design.T @ design + strength * np.eye(len(b)), design.T @ aim, assume_a="pos"),
            float(strength),
            0.0,
        )
    limit = 2.0 * np.abs(design.T @ aim).max()
    strength = strength if absolute else strength * limit
    coef = lasso(design, aim, strength)
    slope = 2.0 * design.T @ (aim - design @ coef)
    missed = np.where(coef != 0.0, np.abs(slope - strength * np.sign(coef)), np.maximum(np.abs(slope) - strength, 0.0))
    return coef, float(strength), float(missed.max() / limit)


def projected_residual(A, C, b, inner):
    """Design and aim whose least squares are the projected Bellman residual, with a ridge on the inner regression.

    The regression of one step is theta(omega) = (C + inner I)^-1 (b + (C - A) omega); its distance from omega is
    measured by C = U^T U.
    """
    identity = np.eye(len(b))
    ridge = solve(C + inner * identity, np.column_stack([C - A, b]), assume_a="pos")
    root = cholesky(C + 1e-12 * np.trace(C) / len(b) * identity)
    return root @ (identity - ridge[:, :-1]), root @ ridge[:, -1]


def lasso(design, aim, strength):
    """The least |design theta - aim|^2 + strength |theta|_1."""
    n = len(aim)
    model = Lasso(alpha=strength / (2.0 * n), fit_intercept=False, tol=1e-12, max_iter=100_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # our own conditions are looked at
        return model.fit(design, aim).coef_


def dantzig(A, b, strength):
    """The least |theta|_1 within max |A theta - b| <= strength, as a linear program."""
    p = len(b)
    both = np.hstack([A, -A])
    found = linprog(
        np.ones(2 * p), A_ub=np.vstack([both, -both]), b_ub=np.concatenate([strength + b, strength - b]),
        bounds=(0, None), method="highs",
    )  # fmt: skip
    if found.x is None:
        raise ValueError(f"no coefficients keep A theta within {strength:.3g} of b; take a greater strength")
    return found.x[:p] - found.x[p:]


def lars_td(A, b, strength):
    """The fixed point theta = soft(theta + b - A theta, strength), by the homotopy of LARS-TD.

    From the strength at which all coefficients are zero downwards: along each piece the correlations b - A theta of the
    active features fall at one pace, until another feature has the same or an active coefficient reaches zero.
    """
    p = len(b)
    coef, correlations = np.zeros(p), b.copy()
    level = np.abs(b).max()
    if level <= strength:
        return coef
    active = [int(np.abs(b).argmax())]
    dropped = -1
    for _ in range(20 * p + 20):
        signs = np.sign(correlations[active])
        try:
            direction = np.linalg.solve(A[np.ix_(active, active)], signs)
        except np.linalg.LinAlgError:
            return coef
        slopes = A[:, active] @ direction
        step, event, which = level - strength, "end", -1
        with np.errstate(divide="ignore", invalid="ignore"):
            meets = np.stack([(level - correlations) / (1.0 - slopes), (level + correlations) / (1.0 + slopes)])
            leaves = -coef[active] / direction
        meets[~(meets > 1e-12 * level)] = np.inf
        meets[:, active] = np.inf
        if dropped >= 0:
            meets[:, dropped] = np.where(meets[:, dropped] < 1e-9 * level, np.inf, meets[:, dropped])
        first = float(meets.min(axis=0).min(initial=np.inf))
        if first < step:
            step, event, which = first, "join", int(meets.min(axis=0).argmin())
        leaves[~(leaves > 1e-12 * level)] = np.inf
        if leaves.min() < step:
            step, event, which = float(leaves.min()), "leave", int(leaves.argmin())
        coef[active] += step * direction
        correlations = b - A @ coef
        level -= step
        if event == "end":
            return coef
        if event == "join":
            active.append(which)
            dropped = -1
        else:
            dropped = active.pop(which)
            coef[dropped] = 0.0
            if not active:
                return coef
    return coef


def lars_td_residual(A, b, coef, strength):
    """By how much coefficients miss the fixed point of Lasso-TD."""
    moved = coef + b - A @ coef
    return float(np.abs(coef - np.sign(moved) * np.maximum(np.abs(moved) - strength, 0.0)).max())
