"""Where the regularisation path of a support vector machine begins (Hastie et al., JMLR 5:1391, Section 3)."""

from dataclasses import dataclass

import numpy as np

from treatise.kernels import GramRows
from treatise.optimize import SVMDualProblem, solve_svm_dual
from treatise.svm.path._loops import ELBOW, LEFT, RIGHT

_BETWEEN = 1e-7
"""Distance from 0 and 1 beyond which a multiplier lies between them: well above what the solver leaves open."""


@dataclass
class PathStart:
    """First breakpoint: multipliers, places of the points, lambda, alpha_0 and its growth with lambda above."""

    alpha: np.ndarray
    place: np.ndarray
    lam: float
    alpha_0: float
    alpha_0_slope: float = 0.0


def path_start(K, y, intercept):
    """The solution for all large lambda, taken to the first breakpoint."""
    if not intercept:
        return _without_intercept(K, y)
    positive = y > 0
    if positive.sum() == (~positive).sum():
        alpha = np.ones(len(y))
        return _first_pair(K, y, alpha, alpha > 0)
    return _unbalanced(K, y)


def _without_intercept(K, y):
    alpha = np.ones(len(y))
    reach = y * (K @ y)
    first = int(np.argmax(reach))
    place = np.full(len(y), LEFT, np.int8)
    if reach[first] > 0:
        place[first] = ELBOW
    return PathStart(alpha, place, float(reach[first]), 0.0)


def _first_pair(K, y, alpha, at_one):
    """One point of each class meets the elbow at the same lambda (Eq. 19-20)."""
    g = K @ (y * alpha)
    up = np.flatnonzero((y > 0) & at_one)
    down = np.flatnonzero((y < 0) & at_one)
    i, j = up[np.argmax(g[up])], down[np.argmin(g[down])]
    place = np.where(at_one, LEFT, RIGHT).astype(np.int8)
    place[[i, j]] = ELBOW
    return PathStart(alpha, place, float(g[i] - g[j]) / 2.0, -float(g[i] + g[j]) / 2.0)


def _unbalanced(K, y):
    """The larger class shares the weight of the smaller one so that the machine is as short as possible (Lemma 2)."""
    larger = 1.0 if (y > 0).sum() > (y < 0).sum() else -1.0
    many, few = np.flatnonzero(y == larger), np.flatnonzero(y != larger)
    inner = np.ascontiguousarray(K[np.ix_(many, many)])
    pull = K[np.ix_(many, few)].sum(axis=1)
    filled = np.clip(len(few) - np.arange(len(many), dtype=float), 0.0, 1.0)
    problem = SVMDualProblem(np.ones(len(many)), pull, np.ones(len(many)), filled)
    tol = 1e-10 * max(np.abs(pull).max(), 1.0)
    shares = solve_svm_dual(GramRows.precomputed(inner), problem, tol=tol, max_iter=10**6).alpha
    between = (shares > _BETWEEN) & (shares < 1 - _BETWEEN)
    shares = np.where(between, shares, np.round(shares))
    if between.sum() > 1:
        shares[between] = _polished(inner, pull, shares, between, float(len(few)))
    alpha = np.ones(len(y))
    alpha[many] = shares
    if not between.any():
        start = _first_pair(K, y, alpha, alpha > 0)
        # The larger class stays on both sides of its margin, which moves with lambda and takes the offset along.
        start.alpha_0_slope = larger
        return start
    g = larger * (K @ (y * alpha))
    margin = g[many[between]].mean()
    opponent = few[np.argmin(g[few])]
    place = np.where(alpha > 0, LEFT, RIGHT).astype(np.int8)
    place[many[between]] = ELBOW
    place[opponent] = ELBOW
    lam = (margin - g[opponent]) / 2.0
    return PathStart(alpha, place, float(lam), float(larger * (lam - margin)), larger)


def _polished(inner, pull, shares, between, total):
    """The shares between 0 and 1 to full precision: all of them have the same score."""
    m = int(between.sum())
    bordered = np.zeros((m + 1, m + 1))
    bordered[0, 1:] = bordered[1:, 0] = 1.0
    bordered[1:, 1:] = inner[np.ix_(between, between)]
    fixed = np.where(between, 0.0, shares)
    right = np.concatenate([[total - fixed.sum()], (pull - inner @ fixed)[between]])
    solution = np.linalg.lstsq(bordered, right, rcond=None)[0][1:]
    inside = np.all((solution > 0) & (solution < 1))
    return solution if inside else shares[between]
