"""Compiled projection onto the non-negative vectors of given L1 and L2 norms (Hoyer, JMLR 5:1457, section 3.3).

The printed iteration recentres and stretches the vector again at every pass. All it ever does to the entries
that are still free is to add a common constant and multiply by a common positive factor, so the pass over
``k`` free entries can be written straight from the given vector: ``L1/k + stretch * (x - mean of the free x)``.
That is the same point, without the rounding that piles up over the passes.
"""

from math import sqrt

import numpy as np

from treatise._core.jit import compiled

# A value below this share of L1 is rounding, not signal: it becomes an exact zero.
_ROUNDING = 1e-15


@compiled
def mean_of(values, count):
    """Mean of the first ``count`` values, in four lanes so that the additions do not wait for one another."""
    a = b = c = d = 0.0
    for j in range(0, count - 3, 4):
        a += values[j]
        b += values[j + 1]
        c += values[j + 2]
        d += values[j + 3]
    for j in range(count - count % 4, count):
        a += values[j]
    return (a + b + c + d) / count


@compiled
def deviations_from(mean, values, count):
    """Sum of squared deviations from ``mean``, and sum of the deviations (what rounding left in the mean)."""
    a = b = c = d = 0.0
    p = q = r = s = 0.0
    for j in range(0, count - 3, 4):
        u = values[j] - mean
        v = values[j + 1] - mean
        w = values[j + 2] - mean
        z = values[j + 3] - mean
        a += u * u
        b += v * v
        c += w * w
        d += z * z
        p += u
        q += v
        r += w
        s += z
    for j in range(count - count % 4, count):
        u = values[j] - mean
        a += u * u
        p += u
    return a + b + c + d, p + q + r + s


@compiled
def project_vector(x, l1, l2, values, places):
    """Replace ``x`` by its projection; return the number of passes. ``values``, ``places``: scratch of its size."""
    free = x.size
    for i in range(free):
        values[i] = x[i]
        places[i] = i
    passes = 0
    while True:
        passes += 1
        mean = mean_of(values, free)
        squares, remainder = deviations_from(mean, values, free)
        spread = squares - remainder * remainder / free
        # Squared radius of the sphere, about its centre L1/free, on which both norms hold (step 3b).
        radius = max(l2 * l2 - l1 * l1 / free, 0.0)
        if spread <= 1e-12 * squares:
            _raise_one_peak(x, places, free, l1, radius)
            return passes
        stretch = sqrt(radius / spread)
        base = l1 / free - stretch * remainder / free
        kept = 0
        # Step 3d. Both lines write before the test, so that nothing branches on the data.
        for j in range(free):
            values[kept] = values[j]
            places[kept] = places[j]
            kept += base + stretch * (values[j] - mean) > _ROUNDING * l1
        if kept == free:
            x[:] = 0.0
            for j in range(free):
                x[places[j]] = base + stretch * (values[j] - mean)
            return passes
        free = kept


@compiled
def _raise_one_peak(x, places, free, l1, radius):
    """All free entries are equal, so every feasible point on them is as close: take the first one as the peak."""
    x[:] = 0.0
    if free == 1:
        x[places[0]] = l1
        return
    step = sqrt(radius / (free * (free - 1.0)))
    low = l1 / free - step
    if low > _ROUNDING * l1:
        for j in range(free):
            x[places[j]] = low
    x[places[0]] = l1 / free + (free - 1) * step


@compiled
def project_rows(X, l1, l2, passes, first, last):
    """Project the rows ``first`` to ``last`` of X in place, each to its own norms, and note their passes."""
    values = np.empty(X.shape[1])
    places = np.empty(X.shape[1], np.int64)
    for i in range(first, last):
        passes[i] = project_vector(X[i], l1[i], l2[i], values, places)
