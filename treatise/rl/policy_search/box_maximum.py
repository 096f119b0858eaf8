"""The highest point of a function in a box, by trials alone."""

import numpy as np
from scipy.optimize import direct

from treatise.optimize import SNES, XNES

BLOCK = 256
POPULATION = 32
FEW_DIMENSIONS, MANY_DIMENSIONS = 15, 200
METHODS = ("auto", "direct", "nes", "random")


def maximum_in_box(function, bounds, start, n_trials, method, rng):
    """The best of some trials.

    Parameters
    ----------
    function : callable
        Takes points of shape (m, d) and returns m values.
    bounds : ndarray of shape (d, 2)
        The box.
    start : ndarray of shape (d,)
        A point that is good: strategies start there, and half of the random points lie around it.
    n_trials : int
        Trials.
    method : {"auto", "direct", "nes", "random"}
        Dividing rectangles, natural evolution strategies or random points; "auto" divides up to 15 dimensions.
    rng : numpy.random.Generator
        Source of chance.

    Returns
    -------
    point : ndarray of shape (d,)
    value : float
    """
    if method == "auto":
        method = "direct" if len(bounds) <= FEW_DIMENSIONS else "nes"
    search = {"direct": _direct, "nes": _nes, "random": _random}[method]
    return search(function, bounds, start, n_trials, rng)


def _direct(function, bounds, start, n_trials, rng):
    found = direct(
        lambda x: -float(function(x[np.newaxis])[0]), list(map(tuple, bounds)), maxfun=n_trials,
        maxiter=n_trials, locally_biased=False, vol_tol=0.0, len_tol=0.0,
    )  # fmt: skip
    return found.x, -float(found.fun)


def _nes(function, bounds, start, n_trials, rng):
    width = (bounds[:, 1] - bounds[:, 0]) / 4.0
    strategy = XNES if len(bounds) <= MANY_DIMENSIONS else SNES
    seed = int(rng.integers(2**31 - 1))
    search = strategy(start, width, popsize=POPULATION, bounds=bounds, random_state=seed)
    while search.evaluations + search.popsize <= n_trials or not search.generation:
        points = search.ask()
        search.tell(points, -function(points))
    return search.best_x, -float(search.best_f)


def _random(function, bounds, start, n_trials, rng):
    low, high = bounds.T
    best, value = start, -np.inf
    for begun in range(0, n_trials, BLOCK):
        m = min(BLOCK, n_trials - begun)
        points = rng.uniform(low, high, (m, len(low)))
        # Half of them near the best one, at all scales.
        spread = 10.0 ** rng.uniform(-3.0, 0.0, (m // 2, 1)) * (high - low)
        points[: m // 2] = np.clip(best + spread * rng.standard_normal((m // 2, len(low))), low, high)
        values = function(points)
        if values.max() > value:
            best, value = points[values.argmax()], float(values.max())
    return best, value
