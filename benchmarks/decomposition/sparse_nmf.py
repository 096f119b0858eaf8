"""Non-negative factorisation against scikit-learn's: the time to the same error; and the price of a constraint.

Both sides start from the same random factors. The error to reach is the larger of what the two have after as many
iterations, so that both reach it, and each side runs the fewest iterations that do. The error is not convex, and
one start may favour either side: the small tables are factorised from several.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import NMF

from benchmarks._contest import Contest, left_out
from treatise._core.errors import DataNotFoundError
from treatise.datasets import load_orl_faces
from treatise.decomposition import SparseNMF

Start = tuple[np.ndarray, np.ndarray]
Fit = Callable[[int], float]
"""Relative error after so many iterations."""


def benchmarks() -> Iterator[Contest]:
    """Digits, faces where their file is at hand, and a larger table; then the constrained fits."""
    for name, X, n_components, n_starts in _tables():
        starts = [_start(X, n_components, seed) for seed in range(n_starts)]
        for solver, iterations in (("mu", 200), ("cd", 60)):
            ours = [partial(_ours, X, start, solver) for start in starts]
            theirs = [partial(_theirs, X, start, solver) for start in starts]
            errors = [max(our(iterations), their(iterations)) for our, their in zip(ours, theirs)]
            yield Contest(
                f"{name}, {n_components} components, {solver}, {n_starts} starts, to the error after {iterations}",
                "scikit-learn",
                ours=_to_errors(ours, errors, iterations),
                theirs=_to_errors(theirs, errors, iterations),
                quality=float,
                warm_up=partial(_ours, X[:50], _start(X[:50], 2, 0), solver, 2),
            )
    X = load_digits().data / 16.0
    start = _start(X, 16, 0)
    for constraint in (
        {"component_sparseness": 0.8},
        {"code_sparseness": 0.8},
        {"component_sparseness": 0.6, "code_sparseness": 0.5},
    ):
        wished = ", ".join(f"{key}={value}" for key, value in constraint.items())
        yield Contest(
            f"digits, 300 iterations with {wished}, against the peer's without a constraint (errors differ by nature)",
            "scikit-learn",
            ours=partial(_ours, X, start, "mu", 300, **constraint),
            theirs=partial(_theirs, X, start, "mu", 300),
            quality=float,
            warm_up=partial(_ours, X[:50], _start(X[:50], 2, 0), "mu", 2, **constraint),
        )


def _tables() -> Iterator[tuple[str, np.ndarray, int, int]]:
    yield "digits 1797 x 64", load_digits().data / 16.0, 16, 10
    try:
        yield "ORL faces 400 x 1024", load_orl_faces()[0], 25, 3
    except DataNotFoundError as missing:
        left_out(f"left out: {missing}")
    yield "low-rank table 10000 x 500", _planted(10_000, 500, 30), 30, 1


def _planted(n_samples: int, n_features: int, rank: int) -> np.ndarray:
    """A non-negative product of skewed factors, and noise of a tenth of its size."""
    rng = np.random.default_rng(0)
    exact = rng.gamma(0.5, size=(n_samples, rank)) @ rng.gamma(0.3, size=(rank, n_features))
    return exact + 0.1 * exact.mean() * rng.random(exact.shape)


def _start(X: np.ndarray, n_components: int, seed: int) -> Start:
    rng = np.random.default_rng(seed)
    scale = np.sqrt(X.mean() / n_components)
    codes = scale * np.abs(rng.standard_normal((len(X), n_components)))
    return codes, scale * np.abs(rng.standard_normal((n_components, X.shape[1])))


def _ours(X: np.ndarray, start: Start, solver: str, iterations: int, **constraint: float) -> float:
    model = SparseNMF(len(start[1]), solver=solver, init="custom", max_iter=iterations, tol=0, **constraint)
    model.fit(X, codes=start[0], components=start[1])
    return model.reconstruction_err_ / np.linalg.norm(X)


def _theirs(X: np.ndarray, start: Start, solver: str, iterations: int) -> float:
    model = NMF(len(start[1]), solver=solver, init="custom", max_iter=iterations, tol=0)
    model.fit_transform(X, W=start[0].copy(), H=start[1].copy())
    return model.reconstruction_err_ / np.linalg.norm(X)


def _to_errors(fits: list[Fit], errors: list[float], most: int) -> Callable[[], float]:
    """All fits, each with its fewest iterations that reach its error; the work returns the mean error."""
    counts = [_fewest(fit, error, most) for fit, error in zip(fits, errors)]
    return lambda: float(np.mean([fit(count) for fit, count in zip(fits, counts)]))


def _fewest(fit: Fit, error: float, most: int) -> int:
    """Fewest iterations to the error, by bisection."""
    too_few, enough = 0, most
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        too_few, enough = (too_few, middle) if fit(middle) <= error else (middle, enough)
    return enough
