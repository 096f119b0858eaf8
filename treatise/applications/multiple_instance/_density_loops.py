"""Compiled parts of diverse density: what each bag adds, and its derivative by the squared distances."""

from math import exp, expm1, log

import numpy as np

from treatise._core.jit import compiled, compiled_step, compiled_sums

LEAST = 1e-12
"""The least chance that an instance is not the concept; at a negative instance it keeps the logarithm finite."""
_FAR = 36.0  # beyond this squared distance 1 - exp(-q) is 1 in double precision
_FAINT = 1e-9


@compiled_step
def miss(q):
    """log(1 - exp(-q)) and its derivative: an instance at squared distance q is not the concept."""
    if q > _FAR:
        near = exp(-q)
        return -near, near
    rest = max(-expm1(-max(q, 0.0)), LEAST)
    return log(rest), (1.0 - rest) / rest


@compiled
def bag_terms(squared, starts, positive, total, terms):
    """log DD of equation (3) at each point, of the squared distances of all instances to it, and its derivatives.

    Row k of ``squared`` becomes the derivatives of the k-th sum by the squared distances. With p = exp(-q), a negative
    bag adds the logarithms of 1 - p. A positive one adds log(1 - exp(-t)), t being minus their sum: where every p is
    tiny this is the logarithm of a sum of tiny numbers, so the nearest one's is taken out first, t = exp(-near) tau.
    """
    for k in range(len(squared)):
        total[k] = 0.0
        q = squared[k]
        for b in range(len(starts) - 1):
            first, last = starts[b], starts[b + 1]
            if not positive[b]:
                term = 0.0
                for j in range(first, last):
                    value, q[j] = miss(q[j])
                    term += value
            else:
                near = np.inf
                for j in range(first, last):
                    q[j] = max(q[j], 0.0)
                    near = min(near, q[j])
                tau = 0.0
                for j in range(first, last):
                    share, p = exp(near - q[j]), exp(-q[j])
                    if p < _FAINT:
                        tau += share
                        q[j] = share
                    else:
                        rest = max(-expm1(-q[j]), LEAST)
                        tau -= share * log(rest) / p
                        q[j] = share / rest
                t = tau * exp(-near)
                term, slope = log(tau) - near, 1.0
                if t > _FAINT:
                    term += log(-expm1(-t) / t)
                    slope = t / expm1(t)
                for j in range(first, last):
                    q[j] *= -slope / tau
            terms[k, b] = term
            total[k] += term


@compiled_sums
def chosen_terms(instances, chosen, positive, which, points, values, gradients):
    """Minus the log-likelihood of EM-DD and its gradient: bag b speaks by instance ``chosen[which[r], b]`` alone.

    Row r of ``points`` holds x and w. A positive bag adds the logarithm of p = exp(-q), a negative one that of 1 - p.
    """
    m = instances.shape[1]
    for r in range(len(points)):
        x, w = points[r, :m], points[r, m:]
        of_x, of_w = gradients[r, :m], gradients[r, m:]
        of_x[:] = 0.0
        of_w[:] = 0.0
        value = 0.0
        for b in range(len(positive)):
            instance = instances[chosen[which[r], b]]
            q = 0.0
            for d in range(m):
                away = w[d] * (instance[d] - x[d])
                q += away * away
            if positive[b]:
                term, slope = -q, -1.0
            else:
                term, slope = miss(q)
            value -= term
            for d in range(m):
                apart = instance[d] - x[d]
                of_x[d] += slope * apart
                of_w[d] -= slope * apart * apart
        for d in range(m):
            of_x[d] *= 2.0 * w[d] * w[d]
            of_w[d] *= 2.0 * w[d]
        values[r] = value
