"""Compiled sums over orders of teams: the Plackett-Luce likelihood, of which Bradley-Terry's is the case of two.

Order o has the teams ``order_ptr[o]:order_ptr[o + 1]``, the best first; team t the players
``players[team_ptr[t]:team_ptr[t + 1]]``, and the sum of their scores. At each stage but the last one team is chosen
among those that are left, with the logits of the teams' scores.
"""

import math

import numpy as np

from treatise._core.jit import compiled, compiled_step


@compiled_step
def _stages(scores, players, team_ptr, first, last, strength, log_left):
    """Scores of the teams of an order, and the logarithms of the sums of exponentials over those left at each stage."""
    for t in range(last - first):
        total = 0.0
        for seat in range(team_ptr[first + t], team_ptr[first + t + 1]):
            total += scores[players[seat]]
        strength[t] = total
    left = -np.inf
    for t in range(last - first - 1, -1, -1):
        high = max(left, strength[t])
        left = high + math.log(math.exp(left - high) + math.exp(strength[t] - high))
        log_left[t] = left


@compiled_step
def _longest(order_ptr):
    longest = 0
    for o in range(len(order_ptr) - 1):
        longest = max(longest, order_ptr[o + 1] - order_ptr[o])
    return longest


@compiled_step
def _spread(players, team_ptr, team, amount, target):
    for seat in range(team_ptr[team], team_ptr[team + 1]):
        target[players[seat]] += amount


@compiled
def log_likelihood(scores, players, team_ptr, order_ptr, weights, gradient):
    """The weighted log-likelihood; ``gradient`` gains its derivatives."""
    longest, value = _longest(order_ptr), 0.0
    strength, log_left = np.empty(longest), np.empty(longest)
    for o in range(len(order_ptr) - 1):
        first, last, weight = order_ptr[o], order_ptr[o + 1], weights[o]
        _stages(scores, players, team_ptr, first, last, strength, log_left)
        top = log_left[0]
        chance = 0.0  # sum over the stages so far of exp(top - log_left), so that nothing overflows
        for t in range(last - first):
            chosen = t < last - first - 1
            if chosen:
                chance += math.exp(min(top - log_left[t], 600.0))
                value += weight * (strength[t] - log_left[t])
            residual = (1.0 if chosen else 0.0) - math.exp(strength[t] - top) * chance
            _spread(players, team_ptr, first + t, weight * residual, gradient)
    return value


@compiled
def curvature(scores, players, team_ptr, order_ptr, weights, hessian):
    """Add minus the second derivatives to a dense matrix, in O(teams^2) an order."""
    longest = _longest(order_ptr)
    strength, log_left, once, twice = np.empty(longest), np.empty(longest), np.empty(longest), np.empty(longest)
    for o in range(len(order_ptr) - 1):
        first, last, weight = order_ptr[o], order_ptr[o + 1], weights[o]
        count = last - first
        _stages(scores, players, team_ptr, first, last, strength, log_left)
        top, chance, square = log_left[0], 0.0, 0.0
        for t in range(count):
            if t < count - 1:
                chance += math.exp(min(top - log_left[t], 300.0))
                square += math.exp(2.0 * min(top - log_left[t], 300.0))
            once[t], twice[t] = chance, square
        for t in range(count):
            own = math.exp(strength[t] - top)
            for u in range(t, count):
                entry = -own * math.exp(strength[u] - top) * twice[t]
                if u == t:
                    entry += own * once[t]
                for seat in range(team_ptr[first + t], team_ptr[first + t + 1]):
                    for other in range(team_ptr[first + u], team_ptr[first + u + 1]):
                        hessian[players[seat], players[other]] += weight * entry
                        if u != t:
                            hessian[players[other], players[seat]] += weight * entry


@compiled
def curvature_along(scores, players, team_ptr, order_ptr, weights, direction, product):
    """Add minus the second derivatives times a direction, in O(teams) an order."""
    longest = _longest(order_ptr)
    strength, log_left, along = np.empty(longest), np.empty(longest), np.empty(longest)
    for o in range(len(order_ptr) - 1):
        first, last, weight = order_ptr[o], order_ptr[o + 1], weights[o]
        count = last - first
        _stages(scores, players, team_ptr, first, last, strength, log_left)
        top = log_left[0]
        left = 0.0
        for t in range(count - 1, -1, -1):
            turn = 0.0
            for seat in range(team_ptr[first + t], team_ptr[first + t + 1]):
                turn += direction[players[seat]]
            left += math.exp(strength[t] - top) * turn
            along[t] = left
        chance, mean = 0.0, 0.0
        for t in range(count):
            turn = along[t] - (along[t + 1] if t + 1 < count else 0.0)
            if t < count - 1:
                rise = math.exp(min(top - log_left[t], 300.0))
                chance += rise
                mean += rise * rise * along[t]
            _spread(
                players, team_ptr, first + t, weight * (turn * chance - math.exp(strength[t] - top) * mean), product
            )


@compiled
def curvature_diagonal(scores, players, team_ptr, order_ptr, weights, diagonal):
    """Add the diagonal of minus the second derivatives."""
    longest = _longest(order_ptr)
    strength, log_left = np.empty(longest), np.empty(longest)
    for o in range(len(order_ptr) - 1):
        first, last, weight = order_ptr[o], order_ptr[o + 1], weights[o]
        _stages(scores, players, team_ptr, first, last, strength, log_left)
        top, chance, square = log_left[0], 0.0, 0.0
        for t in range(last - first):
            if t < last - first - 1:
                rise = math.exp(min(top - log_left[t], 300.0))
                chance += rise
                square += rise * rise
            own = math.exp(strength[t] - top)
            _spread(players, team_ptr, first + t, weight * (own * chance - own * own * square), diagonal)


@compiled
def simulated_slopes(scores, players, team_ptr, order_ptr, weights, uniforms, slopes):
    """Add a random vector with the covariance of ``curvature``: the residuals of choices drawn from the model.

    ``uniforms`` holds a number for each team.
    """
    longest = _longest(order_ptr)
    strength, log_left = np.empty(longest), np.empty(longest)
    for o in range(len(order_ptr) - 1):
        first, last, scale = order_ptr[o], order_ptr[o + 1], math.sqrt(weights[o])
        _stages(scores, players, team_ptr, first, last, strength, log_left)
        for stage in range(last - first - 1):
            bar, reached, open_still = uniforms[first + stage], 0.0, True
            for t in range(stage, last - first):
                chance = math.exp(strength[t] - log_left[stage])
                reached += chance
                chosen = open_still and (reached >= bar or t == last - first - 1)
                if chosen:
                    open_still = False
                _spread(players, team_ptr, first + t, scale * ((1.0 if chosen else 0.0) - chance), slopes)
