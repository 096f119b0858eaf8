"""Newton steps on a working set for the logistic loss with a price on every coefficient."""

import numpy as np

from treatise._core.jit import compiled
from treatise.optimize.penalties import shrunk


@compiled
def logistic_loss(eta, y, weights):
    """Weighted mean of log(1 + exp(eta)) - y eta; y lies in [0, 1]."""
    total = 0.0
    for i in range(len(eta)):
        size = abs(eta[i])
        total += weights[i] * (np.log1p(np.exp(-size)) + max(eta[i], 0.0) - y[i] * eta[i])
    return total


@compiled
def residuals(eta, y, weights, slope, curvature):
    """First and second derivatives of the loss in every margin, into ``slope`` and ``curvature``."""
    for i in range(len(eta)):
        chance = 1.0 / (1.0 + np.exp(-eta[i]))
        slope[i] = weights[i] * (chance - y[i])
        curvature[i] = weights[i] * chance * (1.0 - chance)


@compiled
def violation(slope, coef, penalty):
    """By how much the condition for the optimum fails in one coefficient."""
    if coef > 0.0:
        return abs(slope + penalty)
    if coef < 0.0:
        return abs(slope - penalty)
    return max(abs(slope) - penalty, 0.0)


@compiled
def newton_on_working_set(A, y, weights, penalty, coef, eta, tol, max_steps):
    """Minimise over the coefficients of the rows of A, in place, together with the margins ``eta``.

    ``A`` holds one feature per row. Every step minimises the quadratic model by coordinate descent on its small
    Hessian and halves its length until the objective falls.
    """
    k, n = A.shape
    slope, curvature = np.empty(n), np.empty(n)
    scaled = np.empty((k, n))
    objective = logistic_loss(eta, y, weights) + np.sum(penalty * np.abs(coef))
    for _ in range(max_steps):
        residuals(eta, y, weights, slope, curvature)
        gradient = np.dot(A, slope)
        worst = 0.0
        for j in range(k):
            worst = max(worst, violation(gradient[j], coef[j], penalty[j]))
        if worst <= tol:
            return
        for j in range(k):
            for i in range(n):
                scaled[j, i] = A[j, i] * curvature[i]
        H = np.dot(scaled, A.T)
        direction = np.zeros(k)
        model = gradient.copy()
        for _ in range(200):
            moved, largest = 0.0, 0.0
            for j in range(k):
                # A margin beyond rounding has no curvature left; the floor keeps its step finite.
                h = max(H[j, j], 1e-12)
                here = coef[j] + direction[j]
                change = shrunk(here - model[j] / h, penalty[j] / h) - here
                if change != 0.0:
                    direction[j] += change
                    for other in range(k):
                        model[other] += change * H[j, other]
                    moved = max(moved, abs(change))
                largest = max(largest, abs(direction[j]))
            if moved <= 1e-6 * largest:
                break
        promised = 0.0
        for j in range(k):
            promised += gradient[j] * direction[j]
            promised += penalty[j] * (abs(coef[j] + direction[j]) - abs(coef[j]))
        if promised >= 0.0:
            return
        along = np.dot(direction, A)
        length = 1.0
        while True:
            trial = logistic_loss(eta + length * along, y, weights)
            trial += np.sum(penalty * np.abs(coef + length * direction))
            # The slack is the rounding of two sums over the rows: near the optimum the fall itself is smaller.
            if trial <= objective + 1e-4 * length * promised + 1e-13 * abs(objective):
                break
            length *= 0.5
            if length < 1e-10:
                return
        for j in range(k):
            coef[j] += length * direction[j]
        for i in range(n):
            eta[i] += length * along[i]
        objective = trial


@compiled
def solve(features, y, weights, penalty, coef, tol, max_rounds):
    """Grow the working set by the worst violators until none is left; gives the largest violation and the rounds.

    ``features`` holds one feature per row; an infinite penalty leaves a feature out. ``coef`` is the start and becomes
    the solution.
    """
    p, n = features.shape
    eta = np.zeros(n)
    for j in range(p):
        if penalty[j] == np.inf:
            coef[j] = 0.0
        if coef[j] != 0.0:
            for i in range(n):
                eta[i] += coef[j] * features[j, i]
    slope, curvature = np.empty(n), np.empty(n)
    excess = np.empty(p)
    worst = np.inf
    for round_number in range(max_rounds):
        residuals(eta, y, weights, slope, curvature)
        gradient = np.dot(features, slope)
        worst = 0.0
        n_used = 0
        for j in range(p):
            excess[j] = violation(gradient[j], coef[j], penalty[j]) if penalty[j] < np.inf else 0.0
            worst = max(worst, excess[j])
            if coef[j] != 0.0 or penalty[j] == 0.0:
                n_used += 1
        if worst <= tol:
            return worst, round_number
        order = np.argsort(-excess)
        room = max(10, n_used)
        chosen = np.empty(p, dtype=np.int64)
        k = 0
        for j in range(p):
            if coef[j] != 0.0 or penalty[j] == 0.0:
                chosen[k] = j
                k += 1
        for place in range(p):
            j = order[place]
            if excess[j] <= tol or room == 0:
                break
            if coef[j] == 0.0 and penalty[j] > 0.0:
                chosen[k] = j
                k += 1
                room -= 1
        A = np.empty((k, n))
        part, price = np.empty(k), np.empty(k)
        for place in range(k):
            A[place] = features[chosen[place]]
            part[place] = coef[chosen[place]]
            price[place] = penalty[chosen[place]]
        newton_on_working_set(A, y, weights, price, part, eta, 0.3 * tol, 50)
        for place in range(k):
            coef[chosen[place]] = part[place]
    return worst, max_rounds


@compiled
def solve_every_column(features, columns, weights, penalty, coef, tol, max_rounds, worst, rounds):
    """The problem of each of some columns against all the others; ``features`` has a last row of ones.

    Row r of ``coef`` belongs to column ``columns[r]`` and ``penalty`` to the features as ``solve`` takes it.
    """
    price = penalty.copy()
    for r in range(len(columns)):
        s = columns[r]
        kept = price[s]
        price[s] = np.inf
        worst[r], rounds[r] = solve(features, features[s], weights, price, coef[r], tol, max_rounds)
        price[s] = kept
