"""Rewards that explain observed behaviour: alternate between a reward and the policy that is best for it."""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog, nnls

SAME_POINT = 1e-12
PENALTY_SHARE = 0.05
"""Penalty in each round of margins between values, as a share of the least one for which the reward is zero.

Without any, rewards of all signs everywhere profit from runs that are cut off; with a fifth of it, rewards are found
that no policy can change.
"""


class Candidate(NamedTuple):
    """A reward that was tried."""

    alpha: np.ndarray
    """Weights of the features."""
    policy: object
    """What is best for the reward."""
    distance: float
    """How far it is from the expert."""
    lam: float = 0.0
    """Penalty with which it was found."""


class Search(NamedTuple):
    """What an alternation found."""

    best: Candidate
    distances: np.ndarray
    """By which the method ends, one for each round."""
    converged: bool
    """Whether the last is small enough."""


def max_margin(expert, plan, alpha, *, eps, max_iter):
    """Maximise the margin between the expert's features and those of all policies found (Algorithms 2 and 5).

    Parameters
    ----------
    expert : ndarray of shape (n_features,)
        Discounted features of the expert.
    plan : callable
        Of weights: the best policy and its discounted features.
    alpha : ndarray of shape (n_features,)
        Weights to begin with.
    eps : float
        Margin at which to stop.
    max_iter : int
        Rounds at most.

    Returns
    -------
    search : Search
    """
    found, points, margins = [], [], []
    for _ in range(max_iter):
        policy, point = plan(alpha)
        points.append(point)
        found.append(Candidate(alpha, policy, float(np.linalg.norm(expert - point))))
        if margins and margins[-1] <= eps:
            break
        apart = expert - nearest_in_hull(expert, np.array(points))
        margins.append(float(np.linalg.norm(apart)))
        if margins[-1] <= SAME_POINT:
            break
        alpha = apart / margins[-1]
    return Search(min(found, key=lambda each: each.distance), np.array(margins), margins[-1] <= eps)


def projection(expert, plan, alpha, *, eps, max_iter):
    """As :func:`max_margin`, with one projection a round in place of the quadratic program (Algorithms 3 and 6).

    Parameters
    ----------
    expert : ndarray of shape (n_features,)
        Discounted features of the expert.
    plan : callable
        Of weights: the best policy and its discounted features.
    alpha : ndarray of shape (n_features,)
        Weights to begin with.
    eps : float
        Distance at which to stop.
    max_iter : int
        Rounds at most.

    Returns
    -------
    search : Search
        Its distances never rise.
    """
    policy, middle = plan(alpha)
    found = [Candidate(alpha, policy, float(np.linalg.norm(expert - middle)))]
    distances = [found[0].distance]
    for _ in range(max_iter):
        if distances[-1] <= SAME_POINT:
            break
        alpha = expert - middle
        policy, point = plan(alpha)
        found.append(Candidate(alpha, policy, float(np.linalg.norm(expert - point))))
        if distances[-1] <= eps:
            break
        way = point - middle
        share = way @ alpha / max(way @ way, 1e-300)
        middle = middle + np.clip(share, 0.0, 1.0) * way
        distances.append(float(np.linalg.norm(expert - middle)))
    return Search(min(found, key=lambda each: each.distance), np.array(distances), distances[-1] <= eps)


def max_margin_values(expert, plan, first, features, *, lam, eps, max_iter):
    """Maximise the margins between values at the expert's beliefs, by linear programs (Algorithms 1 and 4).

    Parameters
    ----------
    expert : ndarray of shape (n_points, n_features)
        Discounted features of the expert from each of some points on.
    plan : callable
        Of weights: the best policy and, of the same shape, its discounted features.
    first : ndarray of shape (n_points, n_features)
        Discounted features of a policy to begin with.
    features : ndarray of shape (n_states, n_actions, n_features)
        Features.
    lam : float or "auto"
        Penalty on the sum of the rewards' sizes; "auto" is a twentieth of the least one for which the reward is zero,
        in each round.
    eps : float
        Largest difference of values at which to stop.
    max_iter : int
        Rounds at most.

    Returns
    -------
    search : Search
        Rewards of zero are left out: all policies are alike for them.
    """
    others, found, gaps = [first], [], []
    penalised = np.unique(features.reshape(-1, features.shape[2]), axis=0, return_counts=True)
    for _ in range(max_iter):
        alpha, penalty = _value_margins(expert, others, penalised, lam)
        if np.abs(alpha).max() <= SAME_POINT:
            break
        policy, values = plan(alpha)
        gaps.append(float(np.abs((expert - values) @ alpha).max()))
        found.append(Candidate(alpha, policy, gaps[-1], penalty))
        if gaps[-1] <= eps:
            break
        others.append(values)
    if not found:
        raise ValueError(f"every reward is zero at lam={lam}; give a smaller penalty")
    return Search(min(found, key=lambda each: each.distance), np.array(gaps), min(gaps) <= eps)


def _value_margins(expert, others, penalised, lam):
    """Weights from -1 to 1 with the largest sum of p(margin) - lam |reward|, p(x) = x or, if negative, 2 x; and lam."""
    margins = np.concatenate([expert - other for other in others])
    margins, repeats = np.unique(np.round(margins, 12) + 0.0, axis=0, return_counts=True)
    if lam == "auto":
        lam = PENALTY_SHARE * _largest_penalty(margins, repeats, penalised)
    n_features = margins.shape[1]
    rows, costs, bounds = _program(margins, repeats, penalised if lam > 0.0 else (penalised[0][:0], penalised[1][:0]))
    costs[n_features + len(margins) :] *= lam
    return _solved(costs, rows, np.zeros(rows.shape[0]), bounds)[:n_features], float(lam)


def _largest_penalty(margins, repeats, penalised):
    """The penalty from which on the reward is zero: the most margin that rewards of the summed size one can have."""
    rows, costs, bounds = _program(margins, repeats, penalised)
    sizes = costs > 0.0
    rows = sparse.csr_array(sparse.vstack([rows, np.where(sizes, costs, 0.0)[np.newaxis]]))
    gains = np.where(sizes, 0.0, costs)
    bounds = [(None, None)] * margins.shape[1] + bounds[margins.shape[1] :]
    return float(-gains @ _solved(gains, rows, np.append(np.zeros(rows.shape[0] - 1), 1.0), bounds))


def _program(margins, repeats, penalised):
    """Rows that must not be above zero, costs and bounds of the weights, p of each margin and the size of rewards."""
    (n_margins, n_features), (rewards, sizes) = margins.shape, penalised
    scored, sized = sparse.eye_array(n_margins), sparse.eye_array(len(rewards))
    none = sparse.csr_array((n_margins, len(rewards)))
    rows = [
        sparse.hstack([-margins, scored, none]),
        sparse.hstack([-2.0 * margins, scored, none]),
        sparse.hstack([rewards, none.T, -sized]),
        sparse.hstack([-rewards, none.T, -sized]),
    ]
    costs = np.concatenate([np.zeros(n_features), -repeats.astype(float), sizes.astype(float)])
    bounds = [(-1.0, 1.0)] * n_features + [(None, None)] * n_margins + [(0.0, None)] * len(rewards)
    return sparse.csr_array(sparse.vstack(rows)), costs, bounds


def _solved(costs, rows, right, bounds):
    answer = linprog(costs, A_ub=rows, b_ub=right, bounds=bounds, method="highs")
    if answer.status != 0:
        raise RuntimeError(f"the linear program for the weights did not end: {answer.message}")
    return answer.x


def nearest_in_hull(point, corners):
    """The point of a convex hull that is nearest to another.

    With w = s u, s the sum of w, the least of ``|D w|^2 + (1 - sum w)^2`` over w >= 0 has the u that makes ``|D u|``
    least, whatever s is: non-negative least squares give the projection exactly.

    Parameters
    ----------
    point : ndarray of shape (p,)
        What to come near.
    corners : ndarray of shape (n, p)
        Points whose hull it is.

    Returns
    -------
    nearest : ndarray of shape (p,)
    """
    apart = corners - point
    scale = max(np.abs(apart).max(), 1e-300)
    system = np.vstack([apart.T / scale, np.ones(len(corners))])
    weights, _ = nnls(system, np.append(np.zeros(len(point)), 1.0))
    return (weights / weights.sum()) @ corners
