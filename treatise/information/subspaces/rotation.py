"""Rotation of white rows to independent components by exact rotations of pairs (Comon's contrast, Jacobi's sweeps)."""

import numpy as np

from treatise._core.jit import compiled

_AT_REST = 1e-7
"""Largest angle of a last sweep."""


def independent_rotation(white, max_iter):
    """Rotation that makes the sum of squared kurtoses greatest, the sweeps it took, and whether it came to rest.

    Pairs are turned in turn, each by the best of all angles, so that the sum never falls, and neither a random start
    nor the order of the rows matters.
    """
    values = np.ascontiguousarray(white.T)
    rotation = np.eye(len(values))
    for sweep in range(1, max_iter + 1):
        if turn_all_pairs(values, rotation) < _AT_REST:
            return rotation, sweep, True
    return rotation, max_iter, False


@compiled
def turn_all_pairs(values, rotation):
    """Turn each pair of components to its best angle; returns the largest angle."""
    p, n = values.shape
    largest = 0.0
    for i in range(p):
        for j in range(i + 1, p):
            a, b, c, d, e = 0.0, 0.0, 0.0, 0.0, 0.0
            for t in range(n):
                u, v = values[i, t], values[j, t]
                uu, vv, uv = u * u, v * v, u * v
                a += uu * uu
                b += uu * uv
                c += uv * uv
                d += uv * vv
                e += vv * vv
            angle = best_angle(a / n, b / n, c / n, d / n, e / n)
            if abs(angle) > 1e-9:
                cosine, sine = np.cos(angle), np.sin(angle)
                for t in range(n):
                    u, v = values[i, t], values[j, t]
                    values[i, t], values[j, t] = cosine * u + sine * v, cosine * v - sine * u
                for t in range(p):
                    u, v = rotation[i, t], rotation[j, t]
                    rotation[i, t], rotation[j, t] = cosine * u + sine * v, cosine * v - sine * u
                largest = max(largest, abs(angle))
    return largest


@compiled
def pair_contrast(angle, a, b, c, d, e):
    """Sum of the squared kurtoses of a pair of white components turned by an angle, from its fourth moments."""
    x, y = np.cos(angle), np.sin(angle)
    first = x**4 * a + 4 * x**3 * y * b + 6 * x**2 * y**2 * c + 4 * x * y**3 * d + y**4 * e - 3.0
    second = y**4 * a - 4 * y**3 * x * b + 6 * x**2 * y**2 * c - 4 * y * x**3 * d + x**4 * e - 3.0
    return first**2 + second**2


@compiled
def best_angle(a, b, c, d, e):
    """Angle between minus and plus 45 degrees of the greatest contrast; zero where no other is better."""
    quarter = np.pi / 4.0
    best, value = 0.0, pair_contrast(0.0, a, b, c, d, e) + 1e-12
    width = 2.0 * quarter / 64
    for place in range(65):
        angle = -quarter + place * width
        trial = pair_contrast(angle, a, b, c, d, e)
        if trial > value:
            best, value = angle, trial
    low, high = best - width, best + width
    ratio = (np.sqrt(5.0) - 1.0) / 2.0
    for _ in range(50):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if pair_contrast(left, a, b, c, d, e) < pair_contrast(right, a, b, c, d, e):
            low = left
        else:
            high = right
    found = 0.5 * (low + high)
    if pair_contrast(found, a, b, c, d, e) <= pair_contrast(0.0, a, b, c, d, e) + 1e-12:
        return 0.0
    return found
