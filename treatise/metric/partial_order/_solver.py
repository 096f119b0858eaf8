"""Solvers of partial order embedding: projected descent in two forms, an interior point method, a linear program."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import linprog
from scipy.sparse import csr_array

CHECKED_EVERY = 5
"""Steps between two lower bounds, each of which costs about as much as a step."""
SHRINKAGE = 0.3
"""From one rounding of the hinge to the next."""
MOST_HALVINGS = 60
"""Of a step before it is below rounding."""
TOWARDS_OPTIMUM = 0.1
"""Factor of the barrier's weight once the central path is near."""
FARTHEST = 0.7
"""Share of the way to the edge that a step inside may take; the way back from the edge is slow."""
ROUNDINGS = (1.0, 0.1, 0.01, 0.001)
"""Of the hinge, whose slopes are tried for a lower bound where the solver itself has none."""


def distances_from_gram(A, i, j):
    """Squared distances of pairs from the scalar products of all points: pairs mostly outnumber objects."""
    lengths = A.diagonal()
    return lengths[i] + lengths[j] - A[i, j] - A[j, i]


class FullView:
    """A modality with a positive semidefinite matrix V over its coordinates F, penalised by ``cost`` times its trace.

    For a kernel the coordinates are those of its principal components, F F' = K: tr(V) is tr(W K) then, and W is
    recovered from V afterwards. Coordinates are divided by ``scale``, which V absorbs and the cost pays for, so that
    steps have one length whatever the units of a kernel.
    """

    def __init__(self, F):
        self.scale = float(np.sqrt((F**2).sum(axis=1).mean())) or 1.0
        self.F, self.cost = F / self.scale, self.scale**-2

    def zero(self):
        return np.zeros((self.F.shape[1], self.F.shape[1]))

    def factor(self, V):
        """M with M M' = V."""
        values, vectors = np.linalg.eigh(V)
        keep = values > 1e-12 * max(values[-1], 0.0)
        return vectors[:, keep] * np.sqrt(values[keep])

    def project(self, V):
        M = self.factor(0.5 * (V + V.T))
        return M @ M.T

    def distances(self, V, i, j):
        return distances_from_gram(self.F @ V @ self.F.T, i, j)

    def penalty(self, V):
        return self.cost * float(np.trace(V))

    def gradient(self, S):
        return self.cost * np.eye(self.F.shape[1]) + self.F.T @ (S @ self.F)

    def excess(self, gradient):
        """By how much the slopes that gave a gradient must be divided for it to be positive semidefinite."""
        return 1.0 - float(np.linalg.eigvalsh(gradient)[0]) / self.cost


class DiagonalView:
    """A modality with a weight w >= 0 for each of its columns, penalised by ``cost @ w``; scaled as the full one."""

    def __init__(self, F, cost):
        self.scale = float(np.sqrt((F**2).mean())) or 1.0
        self.F, self.cost = F / self.scale, cost / self.scale**2

    def zero(self):
        return np.zeros(self.F.shape[1])

    def project(self, w):
        return np.maximum(w, 0.0)

    def distances(self, w, i, j):
        # Most weights are zero: only the landmarks in use are looked at.
        used = np.flatnonzero(w)
        G = self.F[:, used] * np.sqrt(w[used])
        return distances_from_gram(G @ G.T, i, j)

    def penalty(self, w):
        return float(self.cost @ w)

    def gradient(self, S):
        return self.cost + np.einsum("ij,ij->j", self.F, S @ self.F)

    def excess(self, gradient):
        """By how much the slopes that gave a gradient must be divided for it not to be negative."""
        priced = self.cost > 0
        return 1.0 - float((gradient[priced] / self.cost[priced]).min(initial=1.0))


class HingeObjective:
    """Penalty plus beta times the mean violation of the comparisons by unit margin.

    Distances are taken once for each pair that occurs, however many comparisons it is part of, and all violated
    comparisons enter the gradient through one sparse matrix of pairs (equation 11 and after).
    """

    def __init__(self, views, pairs, edges, beta):
        self.views, self.n = views, len(views[0].F)
        self.i, self.j = pairs.T
        self.near, self.far = edges.T
        self.loss_weight = beta / len(edges)

    def distances(self, W):
        """Squared distance of every pair; linear in W."""
        return sum(view.distances(w, self.i, self.j) for view, w in zip(self.views, W))

    def penalty(self, W):
        """The regulariser; linear in W too."""
        return sum(view.penalty(w) for view, w in zip(self.views, W))

    def loss(self, distance, rounding=0.0):
        """The hinge loss and its slope for each comparison; a parabola of width ``rounding`` replaces the kink."""
        slack = 1.0 + distance[self.near] - distance[self.far]
        if rounding == 0.0:
            violated = slack > 0
            return self.loss_weight * float(slack[violated].sum()), violated.astype(float)
        slope = np.clip(slack / rounding, 0.0, 1.0)
        return self.loss_weight * float((slope * (slack - 0.5 * rounding * slope)).sum()), slope

    def gradient(self, slope):
        """A gradient for each view; the factor beta / \\|C\\| of the loss is missing in the paper's appendix."""
        size = len(self.i)
        counts = np.bincount(self.near, slope, size) - np.bincount(self.far, slope, size)
        used = np.flatnonzero(counts)
        i, j, c = self.i[used], self.j[used], self.loss_weight * counts[used]
        # The sum of c (e_i - e_j)(e_i - e_j)'.
        rows, columns = np.concatenate([i, j, i, j]), np.concatenate([i, j, j, i])
        S = csr_array((np.concatenate([c, c, -c, -c]), (rows, columns)), shape=(self.n, self.n))
        if S.nnz > 0.05 * self.n**2:
            S = S.toarray()
        return [view.gradient(S) for view in self.views]

    def bounds(self, slope, rounding):
        """Lower bounds of the optimum with the hinge and with a rounded one.

        The slopes of the comparisons are a point of the dual problem once their gradient is no longer negative in any
        direction, to which end they are divided.
        """
        excess = max(1.0, *(view.excess(g) for view, g in zip(self.views, self.gradient(slope))))
        dual = slope / excess
        hinge = self.loss_weight * float(dual.sum())
        return hinge, hinge - 0.5 * self.loss_weight * rounding * float(dual @ dual)

    def dual_changes(self, step):
        """Change of Z in each view with a step of the multipliers."""
        moved, still = (self.gradient(slope) for slope in (step / self.loss_weight, np.zeros(len(step))))
        return [m - s for m, s in zip(moved, still)]

    def barrier_derivatives(self, inverses, a):
        """Slope and negative curvature, in the multipliers, of the logarithms of their bounds and of det Z."""
        slope, squares = 1.0 / a - 1.0 / (self.loss_weight - a), 0.0
        for view, inverse in zip(self.views, inverses):
            P = view.F @ inverse @ view.F.T
            distance = distances_from_gram(P, self.i, self.j)
            slope = slope - distance[self.far] + distance[self.near]
            across = P[self.i] - P[self.j]
            squares = squares + (across[:, self.i] - across[:, self.j]) ** 2
        rows = squares[self.far] - squares[self.near]
        curvature = rows[:, self.far] - rows[:, self.near]
        curvature[np.diag_indices_from(curvature)] += a**-2 + (self.loss_weight - a) ** -2
        return slope, curvature

    def bound_near(self, W):
        """The best lower bound from the slopes of several roundings at W."""
        distance = self.distances(W)
        return max(self.bounds(self.loss(distance, rounding)[1], rounding)[0] for rounding in ROUNDINGS)


def _inner(A, B):
    return sum(float(np.vdot(a, b)) for a, b in zip(A, B))


@dataclass(frozen=True)
class Found:
    """Where a solver ended: the metrics, the least value after each step, and a lower bound of the optimum."""

    W: list
    history: np.ndarray
    bound: float

    @property
    def gap(self):
        """What the value may lie above the optimum, in units of the value."""
        return (self.history[-1] - self.bound) / self.history[-1] if self.history[-1] > 0 else 0.0


def projected_subgradient(objective, max_iter, tol):
    """The best iterate by the paper's method (Appendix B).

    It gives no step size. Steps here are Polyak's with a level a little below the best value so far; the gap to the
    level is halved whenever a path of given length did not bring half of it (Nedić & Bertsekas), which needs no
    knowledge of the optimum. Stops when a lower bound is within ``tol`` times the value, or the steps are as short.
    """
    W = [view.zero() for view in objective.views]
    value, slope = objective.loss(np.zeros(len(objective.i)))
    best, best_value, base, bound = W, value, value, 0.0
    gap, path, longest = 0.5 * value, 0.0, None
    history = [value]
    for _ in range(max_iter):
        gradient = objective.gradient(slope)
        norm = np.sqrt(_inner(gradient, gradient))
        if norm == 0 or gap <= 1e-3 * tol * best_value:
            break
        step = (value - (base - gap)) / norm**2
        W = [view.project(w - step * g) for view, w, g in zip(objective.views, W, gradient)]
        loss, slope = objective.loss(objective.distances(W))
        value = objective.penalty(W) + loss
        path += step * norm
        if longest is None:
            longest = 3.0 * path
        if value < best_value:
            best, best_value = W, value
        history.append(best_value)
        if best_value <= base - 0.5 * gap:
            base, path = best_value, 0.0
        elif path > longest:
            base, path, gap, longest = best_value, 0.0, 0.5 * gap, 0.7 * longest
            W = best
            bound = max(bound, objective.bound_near(W))
            if best_value - bound <= tol * best_value:
                break
            loss, slope = objective.loss(objective.distances(W))
            value = objective.penalty(W) + loss
    return Found(best, np.array(history), max(bound, objective.bound_near(best)))


def projected_accelerated(objective, max_iter, tol):
    """The same optimum by accelerated projected gradients on a rounded hinge.

    A rounding is kept until its own problem is solved as closely as the rounding lies beside the hinge, then shrunk,
    until a lower bound is within ``tol`` times the value. Distances are linear in W, so that those of an extrapolated
    point follow from two that are known.
    """
    views = objective.views
    W = past = [view.zero() for view in views]
    distance = past_distance = np.zeros(len(objective.i))
    best, best_value, bound = W, objective.loss(distance)[0], 0.0
    history, lipschitz, rounding, momentum = [best_value], 1.0, 1.0, 1.0
    for iteration in range(max_iter):
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        ahead = (momentum - 1.0) / following
        Y = [w + ahead * (w - v) for w, v in zip(W, past)]
        loss, slope = objective.loss(distance + ahead * (distance - past_distance), rounding)
        value = objective.penalty(Y) + loss
        gradient = objective.gradient(slope)
        for _ in range(MOST_HALVINGS):
            trial = [view.project(y - g / lipschitz) for view, y, g in zip(views, Y, gradient)]
            trial_distance = objective.distances(trial)
            penalty = objective.penalty(trial)
            move = [t - y for t, y in zip(trial, Y)]
            limit = value + _inner(gradient, move) + 0.5 * lipschitz * _inner(move, move)
            smooth = penalty + objective.loss(trial_distance, rounding)[0]
            if smooth <= limit + 1e-12 * abs(limit):
                break
            lipschitz *= 2.0
        else:
            break  # No step, however short, lowers the value beyond rounding.
        uphill = -_inner(move, [t - w for t, w in zip(trial, W)]) > 0
        past, past_distance, W, distance = W, distance, trial, trial_distance
        momentum = 1.0 if uphill else following
        lipschitz *= 0.95
        exact = penalty + objective.loss(distance)[0]
        if exact < best_value:
            best, best_value = W, exact
        history.append(best_value)
        if iteration % CHECKED_EVERY:
            continue
        slope = objective.loss(distance, rounding)[1]
        hinge_bound, rounded_bound = objective.bounds(slope, rounding)
        bound = max(bound, hinge_bound)
        if best_value - bound <= tol * best_value:
            break
        if smooth - rounded_bound <= exact - smooth:
            rounding *= SHRINKAGE
            momentum, lipschitz = 1.0, lipschitz / SHRINKAGE
    return Found(best, np.array(history), bound)


def interior_point(objective, max_iter, tol):
    """The optimum of the full problem from the inside of its dual, by Newton's method on a barrier.

    The dual has one multiplier a, between 0 and beta / \\|C\\|, for each comparison, their sum to be largest where
    every Z = cost I - F' S F stays positive definite, S the sum of a (E_far - E_near). On the central path the primal
    matrices are ``mu`` times the inverses of Z, so that every step has a value, a bound and hence a gap. A step costs
    the third power of the number of comparisons, and its square in memory: exact where these are few.
    """
    weight, n_comparisons = objective.loss_weight, len(objective.near)
    start = np.full(n_comparisons, 0.5)
    start /= max(1.0, 2.0 * max(view.excess(g) for view, g in zip(objective.views, objective.gradient(start))))
    a = weight * start
    barrier_degree = 2 * n_comparisons + sum(view.F.shape[1] for view in objective.views)
    mu = weight * n_comparisons / barrier_degree
    W = [view.zero() for view in objective.views]
    best, best_value, bound = W, objective.loss(np.zeros(len(objective.i)))[0], 0.0
    history = [best_value]
    for _ in range(max_iter):
        try:
            roots = [np.linalg.inv(np.linalg.cholesky(Z)) for Z in objective.gradient(a / weight)]
        except np.linalg.LinAlgError:
            break  # Rounding has taken the multipliers over the edge.
        inverses = [root.T @ root for root in roots]
        gradient, curvature = objective.barrier_derivatives(inverses, a)
        gradient += 1.0 / mu
        step = _newton_step(gradient, curvature)
        changes = objective.dual_changes(step)
        # The primal matrices that Newton's step implies; positive semidefinite near the path.
        W = [
            view.project(mu * (inverse - inverse @ change @ inverse))
            for view, inverse, change in zip(objective.views, inverses, changes)
        ]
        value = objective.penalty(W) + objective.loss(objective.distances(W))[0]
        if value < best_value:
            best, best_value = W, value
        bound = max(bound, float(a.sum()))
        history.append(best_value)
        if best_value - bound <= tol * best_value or mu * barrier_degree <= 1e-12 * best_value:
            break
        # Rates of everything under a logarithm along the step.
        relative = [np.linalg.eigvalsh(root @ change @ root.T) for root, change in zip(roots, changes)]
        rates = np.concatenate([step / a, step / (a - weight), *relative])
        near_path = float(step @ gradient) < 0.25
        a = a + _highest_along(rates, float(step.sum()) / mu) * step
        if near_path:
            mu *= TOWARDS_OPTIMUM
    return Found(best, np.array(history), bound)


def _newton_step(gradient, curvature):
    """The solution of ``curvature @ step = gradient``, by multipliers of unit curvature: theirs differ by many powers.

    Where rounding leaves the curvature indefinite a ridge is added, with which the step still leads uphill.
    """
    units = 1.0 / np.sqrt(np.diagonal(curvature))
    curvature = curvature * units * units[:, np.newaxis]
    ridge = 1e-14 * len(units)
    while True:
        try:
            return units * cho_solve(cho_factor(curvature + ridge * np.eye(len(units))), units * gradient)
        except np.linalg.LinAlgError:
            ridge *= 10.0


def _highest_along(rates, slope):
    """The t that maximises ``slope t + sum of log(1 + rates t)``, by Newton steps, at most FARTHEST of the way out."""
    t, end = 0.0, -FARTHEST / min(rates.min(), -1e-300)
    for _ in range(30):
        shares = rates / (1.0 + rates * t)
        rise, bend = slope + shares.sum(), float(shares @ shares)
        following = t + rise / bend
        following = following if following < end else 0.5 * (t + end)
        if abs(following - t) <= 1e-2 * following:
            break
        t = max(following, 0.0)
    return t


def linear_program(objective):
    """The exact optimum of the diagonal problem, by HiGHS."""
    parts = []
    for view in objective.views:
        squares = (view.F[objective.i] - view.F[objective.j]) ** 2
        parts.append(squares[objective.near] - squares[objective.far])
    margins = np.hstack(parts)
    n_comparisons, n_weights = margins.shape
    cost = np.concatenate([view.cost for view in objective.views] + [np.full(n_comparisons, objective.loss_weight)])
    found = linprog(
        cost, A_ub=np.hstack([margins, -np.eye(n_comparisons)]), b_ub=-np.ones(n_comparisons), method="highs"
    )
    if found.status != 0:
        raise ValueError(f"the linear program was not solved: {found.message}")
    cuts = np.cumsum([view.F.shape[1] for view in objective.views])[:-1]
    weights = np.split(np.maximum(found.x[:n_weights], 0.0), cuts)
    return Found(weights, np.array([found.fun]), float(found.fun))
