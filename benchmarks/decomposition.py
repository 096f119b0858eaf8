"""Non-negative factorisation against scikit-learn's: the time to the same error; and the price of a constraint.

Both sides start from the same random factors and run as many iterations as they need to reach one error.
"""

import sys
from collections.abc import Iterator

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import NMF

from benchmarks._contest import Contest, Work
from treatise._core.errors import DataNotFoundError
from treatise.datasets import load_orl_faces
from treatise.decomposition import SparseNMF

Start = tuple[np.ndarray, np.ndarray]


def benchmarks() -> Iterator[Contest]:
    """Digits, faces where their file is at hand, and a larger table; then the constrained fits."""
    for name, X, n_components in _tables():
        start = _start(X, n_components)
        for solver, iterations in (("mu", 300), ("cd", 100)):
            theirs = _theirs(X, start, solver, iterations)
            yield Contest(
                f"{name}, {n_components} components, {solver}, to the peer's error after {iterations} iterations",
                "scikit-learn",
                ours=_ours(X, start, solver, _iterations_to(theirs(), X, start, solver)),
                theirs=theirs,
                quality=float,
                warm_up=_ours(X[:50], _start(X[:50], 2), solver, 2),
            )
    X = load_digits().data / 16.0
    start = _start(X, 16)
    for constraint in (
        {"component_sparseness": 0.8},
        {"code_sparseness": 0.8},
        {"component_sparseness": 0.6, "code_sparseness": 0.5},
    ):
        wished = ", ".join(f"{key}={value}" for key, value in constraint.items())
        yield Contest(
            f"300 iterations on digits with {wished}, against the peer without a constraint (errors differ by nature)",
            "scikit-learn",
            ours=_ours(X, start, "mu", 300, **constraint),
            theirs=_theirs(X, start, "mu", 300),
            quality=float,
            warm_up=_ours(X[:50], _start(X[:50], 2), "mu", 2, **constraint),
        )


def _tables() -> Iterator[tuple[str, np.ndarray, int]]:
    yield "digits 1797 x 64", load_digits().data / 16.0, 16
    try:
        yield "ORL faces 400 x 1024", load_orl_faces()[0], 25
    except DataNotFoundError as missing:
        print(f"left out: {missing}", file=sys.stderr)
    yield "low-rank table 10000 x 500", _planted(10_000, 500, 30), 30


def _planted(n_samples: int, n_features: int, rank: int) -> np.ndarray:
    """A non-negative product of skewed factors, and noise of a tenth of its size."""
    rng = np.random.default_rng(0)
    exact = rng.gamma(0.5, size=(n_samples, rank)) @ rng.gamma(0.3, size=(rank, n_features))
    return exact + 0.1 * exact.mean() * rng.random(exact.shape)


def _start(X: np.ndarray, n_components: int) -> Start:
    rng = np.random.default_rng(1)
    scale = np.sqrt(X.mean() / n_components)
    codes = scale * np.abs(rng.standard_normal((len(X), n_components)))
    return codes, scale * np.abs(rng.standard_normal((n_components, X.shape[1])))


def _ours(X: np.ndarray, start: Start, solver: str, iterations: int, **constraint: float) -> Work:
    return lambda: _fitted(X, start, solver, iterations, **constraint).reconstruction_err_ / np.linalg.norm(X)


def _theirs(X: np.ndarray, start: Start, solver: str, iterations: int) -> Work:
    def work() -> float:
        model = NMF(len(start[1]), solver=solver, init="custom", max_iter=iterations, tol=0)
        model.fit_transform(X, W=start[0].copy(), H=start[1].copy())
        return model.reconstruction_err_ / np.linalg.norm(X)

    return work


def _fitted(X: np.ndarray, start: Start, solver: str, iterations: int, **constraint: float) -> SparseNMF:
    model = SparseNMF(len(start[1]), solver=solver, init="custom", max_iter=iterations, tol=0, **constraint)
    return model.fit(X, codes=start[0], components=start[1])


def _iterations_to(error: float, X: np.ndarray, start: Start, solver: str) -> int:
    """Our least iterations that end with no larger error, found by bisection; 400 where those are too few."""
    too_few, enough = 0, 400
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        too_few, enough = (too_few, middle) if _ours(X, start, solver, middle)() <= error else (middle, enough)
    return enough
