"""Posteriors drawn towards few kinds of features: the projection of posterior regularisation, with its gap."""

from collections import deque
from typing import NamedTuple

import numpy as np

from treatise.optimize.simplices import project_capped_simplices

_MEMORY = 8
_SUFFICIENT = 1e-4
_LONGEST_STEP = 1e6
_LEAST_CURVATURE = 1e-3


class PosteriorProjection(NamedTuple):
    """The regularised posterior, as multipliers of the features."""

    multipliers: np.ndarray
    """What each feature costs: the posterior is the model's times exp(-multipliers . features)."""
    expectations: np.ndarray
    """Of the features under the regularised posterior."""
    log_partition: float
    """Logarithm of the sum of the costed weights: never below the regularised log-likelihood."""
    gap: float
    """How far ``log_partition`` is above the regularised objective of this posterior, at most."""
    n_evaluations: int
    """Sums over all posteriors that it took."""
    converged: bool
    """Whether the gap is as small as asked."""


def posterior_projection(expect, starts, strength, *, start=None, max_iter=100, tol=1e-6):
    """The posterior nearest to a model's that has few kinds of features: ``min_q KL(q || p) + strength sum_g max E_q``.

    Of each group g of features the largest expectation is penalised: a kind of feature is paid for once, and once paid
    for it is free. The dual is a minimum over multipliers that are not negative and sum in each group to at most the
    strength: that of the log-partition function of the costed model, found by spectral projected gradients (Birgin,
    Martinez & Raydan 2000). Use it in the E-step of any latent model that can be summed with costs on its features.
    An iteration takes one sum over the model, or a few.

    Parameters
    ----------
    expect : callable
        ``expect(multipliers)`` returns the logarithm of the sum of weights times exp(-multipliers . features), and the
        expectations of the features under it.
    starts : array-like of int of shape (n_groups + 1,)
        Where the features of each group begin, and the number of features.
    strength : float
        Penalty of one kind of feature, not negative.
    start : array-like or None, default=None
        Multipliers to begin from, as those of the last E-step; None begins with zero.
    max_iter : int, default=100
        Steps at most.
    tol : float, default=1e-6
        Gap, in units of log-likelihood, at which they stop.

    Returns
    -------
    projection : PosteriorProjection

    Examples
    --------
    One variable of three states, of which the first two are of one kind, and cost 1 together however they are divided.

    >>> import numpy as np
    >>> from treatise.optimize import posterior_projection
    >>> p = np.array([0.6, 0.2, 0.2])
    >>> def expect(multipliers):
    ...     q = p * np.exp(-np.append(multipliers, 0.0))
    ...     return np.log(q.sum()), q[:2] / q.sum()
    >>> found = posterior_projection(expect, [0, 2], 1.0)
    >>> found.expectations.round(3), found.multipliers.round(3), found.converged
    (array([0.356, 0.322]), array([1., 0.]), True)

    References
    ----------
    .. [1] Paper v12-0455, section 4.3, equation 7 and its dual.
    """
    starts = np.ascontiguousarray(starts, np.int64)
    if not (strength >= 0 and np.isfinite(strength)):
        raise ValueError(f"strength={strength!r} must be a finite number, not negative")
    x = np.zeros(starts[-1]) if start is None else np.array(start, np.float64)
    if x.shape != (starts[-1],):
        raise ValueError(f"start has the shape {x.shape}; there are {starts[-1]} features")
    project_capped_simplices(starts, x, float(strength))
    value, expected = expect(x)
    n_evaluations, best = 1, None
    recent = deque([value], maxlen=_MEMORY)
    step = 1.0
    for iteration in range(max_iter + 1):
        gap = _gap(x, expected, starts, strength)
        if best is None or gap < best.gap:
            best = PosteriorProjection(x, expected, value, gap, n_evaluations, gap <= tol)
        if gap <= tol or iteration == max_iter:
            break
        scale = _group_scale(expected, starts)
        aim = x + step * scale * expected
        project_capped_simplices(starts, aim, float(strength))
        move = aim - x
        slope = -float(np.sum(move * expected))
        if slope >= 0.0:  # nothing but rounding is left to gain
            break
        share = 1.0
        while True:
            new = x + share * move
            new_value, new_expected = expect(new)
            n_evaluations += 1
            if new_value <= max(recent) + _SUFFICIENT * share * slope or share < 1e-10:
                break
            # The least point of the parabola through both values and the slope, kept away from both ends.
            least = -0.5 * share**2 * slope / (new_value - value - share * slope)
            share = least if 0.1 * share <= least <= 0.9 * share else 0.5 * share
        moved = new - x
        bend = float(np.sum(moved * (expected - new_expected)))
        step = min(float(np.sum(moved * moved / scale)) / bend, _LONGEST_STEP) if bend > 0.0 else _LONGEST_STEP
        x, value, expected = new, new_value, new_expected
        recent.append(value)
    assert best is not None
    return best._replace(n_evaluations=n_evaluations)


def _group_scale(expected, starts):
    """Longer steps for groups of rare features: the curvature falls with the expectations."""
    sizes = np.diff(starts)
    highest = np.zeros(len(sizes))
    highest[sizes > 0] = np.maximum.reduceat(expected, starts[:-1][sizes > 0])
    return np.repeat(1.0 / np.maximum(highest, _LEAST_CURVATURE), sizes)


def _gap(multipliers, expected, starts, strength):
    """``strength * max E - multipliers . E`` over all groups: the dual's value less the primal's at one posterior."""
    if not len(expected):
        return 0.0
    highest = np.maximum.reduceat(expected, starts[:-1][np.diff(starts) > 0])
    return max(float(strength * highest.sum() - np.sum(multipliers * expected)), 0.0)
