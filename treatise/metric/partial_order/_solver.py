"""Solvers of partial order embedding, full and diagonal: projected descent in two forms, and a linear program."""

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array


def distances_from_gram(A, i, j):
    """Squared distances of pairs from the scalar products of all points: pairs mostly outnumber objects."""
    lengths = A.diagonal()
    return lengths[i] + lengths[j] - A[i, j] - A[j, i]


class FullView:
    """A modality with a positive semidefinite matrix V over its coordinates F, penalised by the trace of V.

    For a kernel the coordinates are those of its principal components, F F' = K: tr(V) is tr(W K) then, all steps
    have one scale, and W is recovered from V afterwards.
    """

    def __init__(self, F):
        self.F = F

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
        return float(np.trace(V))

    def gradient(self, S):
        return np.eye(self.F.shape[1]) + self.F.T @ (S @ self.F)


class DiagonalView:
    """A modality with a weight w >= 0 for each of its columns, penalised by ``cost @ w``."""

    def __init__(self, F, cost):
        self.F, self.cost = F, cost

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


def _inner(A, B):
    return sum(float(np.vdot(a, b)) for a, b in zip(A, B))


def projected_subgradient(objective, max_iter, tol):
    """The best iterate, and the best value after each iteration, by the paper's method (Appendix B).

    It gives no step size. Steps here are Polyak's with a level a little below the best value so far; the gap to the
    level is halved whenever a path of given length did not bring half of it (Nedić & Bertsekas), which needs no
    knowledge of the optimum. Stops when the gap falls below ``tol`` times the value.
    """
    W = [view.zero() for view in objective.views]
    value, slope = objective.loss(np.zeros(len(objective.i)))
    best, best_value, base = W, value, value
    gap, path, longest = 0.5 * value, 0.0, None
    history = [value]
    for _ in range(max_iter):
        gradient = objective.gradient(slope)
        norm = np.sqrt(_inner(gradient, gradient))
        if norm == 0 or gap <= tol * best_value:
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
        if best_value <= base - 0.5 * gap:
            base, path = best_value, 0.0
        elif path > longest:
            base, path, gap, longest = best_value, 0.0, 0.5 * gap, 0.7 * longest
            W = best
            loss, slope = objective.loss(objective.distances(W))
            value = objective.penalty(W) + loss
        history.append(best_value)
    return best, np.array(history)


def projected_accelerated(objective, max_iter, tol):
    """The same optimum by accelerated projected gradients on a rounded hinge, the rounding shrunk in stages.

    Distances are linear in W, so that those of an extrapolated point follow from two that are known.
    """
    views = objective.views
    W = [view.zero() for view in views]
    distance = np.zeros(len(objective.i))
    best, best_value = W, objective.loss(distance)[0]
    history, lipschitz = [best_value], 1.0
    stages = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0.0003)
    for rounding in stages:
        past, past_distance, momentum, stage_values = W, distance, 1.0, []
        for _ in range(max(1, max_iter // len(stages))):
            following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
            ahead = (momentum - 1.0) / following
            Y = [w + ahead * (w - v) for w, v in zip(W, past)]
            loss, slope = objective.loss(distance + ahead * (distance - past_distance), rounding)
            value = objective.penalty(Y) + loss
            gradient = objective.gradient(slope)
            while True:
                trial = [view.project(y - g / lipschitz) for view, y, g in zip(views, Y, gradient)]
                trial_distance = objective.distances(trial)
                penalty = objective.penalty(trial)
                move = [t - y for t, y in zip(trial, Y)]
                bound = value + _inner(gradient, move) + 0.5 * lipschitz * _inner(move, move)
                smooth = penalty + objective.loss(trial_distance, rounding)[0]
                if smooth <= bound + 1e-12 * abs(bound):
                    break
                lipschitz *= 2.0
            uphill = -_inner(move, [t - w for t, w in zip(trial, W)]) > 0
            past, past_distance, W, distance = W, distance, trial, trial_distance
            momentum = 1.0 if uphill else following
            lipschitz *= 0.95
            exact = penalty + objective.loss(distance)[0]
            if exact < best_value:
                best, best_value = W, exact
            history.append(best_value)
            stage_values.append(smooth)
            if len(stage_values) > 20 and stage_values[-21] - smooth <= tol * abs(smooth):
                break
    return best, np.array(history)


def linear_program(objective):
    """The exact optimum of the diagonal problem, by HiGHS, as a list of weights and the optimal value."""
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
    return np.split(np.maximum(found.x[:n_weights], 0.0), cuts), float(found.fun)
