"""Overlap of Gaussian mixtures: against quadrature of Imhof's integral, and the cells of the paper's Table 1."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.integrate import quad

from benchmarks._contest import Contest, Scaling, Work
from treatise.cluster import gaussian_overlap, make_overlap_mixture


def benchmarks() -> Iterable[Contest | Scaling]:
    """Maps of ten components, then whole mixtures over features and over components."""
    for p in (2, 3, 10):
        yield maps(p)
    yield _mixtures("10 components, p features", (1, 2, 3, 5, 10, 20, 50, 100), lambda p: (10, p))
    for p in (1, 10):
        yield _mixtures(f"K components, {p} features", (10, 20, 40, 100), lambda K, p=p: (K, p))


def maps(p: int) -> Contest:
    """All overlaps of ten components; quality is minus the largest distance from ours: how far quadrature is off."""
    mixture = make_overlap_mixture(10, p, average=0.02, random_state=0)
    exact = mixture.overlap.map

    def theirs() -> np.ndarray:
        found = np.eye(10)
        for i in range(10):
            for j in set(range(10)) - {i}:
                found[i, j] = _by_quadrature(mixture, i, j)
        return found

    def ours() -> np.ndarray:
        return gaussian_overlap(mixture.weights, mixture.means, mixture.covariances).map

    return Contest(
        f"overlaps of 10 components in {p} features (SciPy: Imhof's integral by quad to 1e-8)",
        "scipy",
        ours,
        theirs,
        quality=lambda found: -float(np.abs(found - exact).max()),
        warm_up=ours,
        repeats=1,
    )


def _mixtures(name: str, sizes: tuple[int, ...], shape: Any) -> Scaling:
    def prepare(size: int) -> Work:
        K, p = shape(size)
        return lambda: make_overlap_mixture(K, p, maximum=0.01, random_state=0)

    return Scaling(f"make_overlap_mixture, largest overlap 0.01: {name}", sizes, prepare, warm_up=prepare(sizes[0]))


def _by_quadrature(mixture: Any, i: int, j: int) -> float:
    whiten = np.linalg.inv(np.linalg.cholesky(mixture.covariances[j]))
    ratios, basis = np.linalg.eigh(whiten @ mixture.covariances[i] @ whiten.T)
    apart = basis.T @ whiten @ (mixture.means[i] - mixture.means[j])
    x = 2 * np.log(mixture.weights[j] / mixture.weights[i]) + np.log(ratios).sum() - np.sum(apart**2)
    a, b2 = ratios - 1, 4 * ratios * apart**2

    def integrand(t: float) -> float:
        w = 1 - 2j * a * t
        return float(np.imag(np.exp(np.sum(-0.5 * b2 * t * t / w - 0.5 * np.log(w)) - 1j * t * x)) / t)

    ends = (0.0, 1.0, 10.0, 100.0, 1000.0)
    parts = (quad(integrand, low, high, limit=2000, epsabs=1e-8)[0] for low, high in pairwise(ends))
    return 0.5 - sum(parts) / np.pi
