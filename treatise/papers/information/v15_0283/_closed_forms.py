"""First quick test: estimates beside the values of closed forms."""

from collections.abc import Callable
from math import exp, log, pi, sqrt

import numpy as np

from treatise.information import association, cross_entropy, divergence, divergence_profile, entropy, mutual_information
from treatise.papers._evidence import Row

RHO = 0.6
SIZES = (300, 1000, 3000, 10_000)
WHY = "the standard deviation of such an estimate is a third of it or less"


def pair(n: int, seed: int) -> np.ndarray:
    """Two normal columns of correlation 0.6."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return np.column_stack([x, RHO * x + sqrt(1 - RHO**2) * rng.normal(size=n)])


def two_samples(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Standard normal rows, and rows of variance 2.25 with the mean (0.5, 0)."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)), 1.5 * rng.normal(size=(n, 2)) + [0.5, 0.0]


def renyi_entropy(alpha: float) -> float:
    """Of the two correlated columns."""
    return log(2 * pi) + 0.5 * log(1 - RHO**2) - log(alpha) / (1 - alpha)


def renyi_divergence(alpha: float) -> float:
    """Of the two samples."""
    variance = alpha * 2.25 + (1 - alpha)
    return alpha * 0.25 / (2 * variance) + (log(variance) - (1 - alpha) * log(1.0) - alpha * log(2.25)) / (1 - alpha)


def _product(a: float, b: float, gap: float) -> float:
    """Integral of the product of two round normal densities with variances a and b, in two dimensions."""
    return exp(-gap / (2 * (a + b))) / (2 * pi * (a + b))


SHANNON = log(2 * pi * exp(1.0)) + 0.5 * log(1 - RHO**2)
KL = 0.5 * (2 / 2.25 + 0.25 / 2.25 - 2 + 2 * log(2.25))
CHI_SQUARE = 2.25**2 / (2 * 2.25 - 1) * exp(0.25 / (2 * 2.25 - 1)) - 1
L2_SQUARED = _product(1, 1, 0) + _product(2.25, 2.25, 0) - 2 * _product(1, 2.25, 0.25)
BHATTACHARYYA = exp(-0.5 * renyi_divergence(0.5))


def closed_form_rows(full: bool) -> list[Row]:
    """Every kind of quantity with a closed form for normal laws."""
    n, seeds = (20_000, 5) if full else (5000, 3)
    within = 0.02 if full else 0.04
    entropies: dict[str, tuple[Callable[[np.ndarray], float], float, float]] = {
        "Shannon entropy, neighbours": (entropy, SHANNON, 1),
        "Renyi entropy (0.8), neighbours": (lambda X: entropy(X, "renyi_knn", alpha=0.8), renyi_entropy(0.8), 1),
        "Tsallis entropy (0.8), neighbours": (
            lambda X: entropy(X, "tsallis_knn", alpha=0.8), (exp(0.2 * renyi_entropy(0.8)) - 1) / 0.2, 2,
        ),
        "Sharma-Mittal entropy (0.8, 0.6), neighbours": (
            lambda X: entropy(X, "sharma_mittal_knn", alpha=0.8, beta=0.6),
            (exp(0.4 * renyi_entropy(0.8)) - 1) / 0.4, 3,
        ),
        "Shannon information, Kraskov": (mutual_information, -0.5 * log(1 - RHO**2), 1),
        "Shannon information, entropies": (
            lambda X: mutual_information(X, method="shannon_from_entropies"), -0.5 * log(1 - RHO**2), 1,
        ),
        "Spearman's rho": (association, 6 / pi * np.arcsin(RHO / 2), 1),
        "Blomqvist's beta": (lambda X: association(X, method="blomqvist"), 2 / pi * np.arcsin(RHO), 1),
    }  # fmt: skip
    samples = [pair(n, seed) for seed in range(seeds)]
    rows = [
        Row.check(f"{name}, n = {n}", round(truth, 5), float(np.mean([f(X) for X in samples])),
                  within=_width(truth, scale * within), why=WHY)
        for name, (f, truth, scale) in entropies.items()
    ]  # fmt: skip
    return rows + _divergence_rows(n, seeds, within)


def _width(truth: float, spread: float) -> float:
    """Three standard deviations of an estimate, and never more than a tenth of the truth."""
    return min(spread, 0.1 * abs(round(truth, 5)))


def _divergence_rows(n: int, seeds: int, within: float) -> list[Row]:
    profiles = [divergence_profile(*two_samples(n, seed), k=5, alpha=0.7) for seed in range(seeds)]
    # Squares average without bias where distances do not.
    squares = [divergence(*two_samples(n, seed), "l2_knn", k=20, squared=True) for seed in range(seeds)]
    means = {name: float(np.mean([profile[name] for profile in profiles])) for name in profiles[0]}
    crossed = float(np.mean([cross_entropy(*two_samples(n, seed), k=5) for seed in range(seeds)]))
    truths = [
        ("Kullback-Leibler divergence", KL, means["kl_knn"], within),
        ("Renyi divergence (0.7)", renyi_divergence(0.7), means["renyi_knn"], within),
        ("Tsallis divergence (0.7)", (exp(-0.3 * renyi_divergence(0.7)) - 1) / -0.3, means["tsallis_knn"], within),
        ("Bhattacharyya distance", -log(BHATTACHARYYA), means["bhattacharyya_knn"], 0.5 * within),
        ("Hellinger distance", sqrt(1 - BHATTACHARYYA), means["hellinger_knn"], within),
        ("Pearson's chi-square divergence", CHI_SQUARE, means["chi_square_knn"], 4 * within),
        ("squared L2 divergence, k = 20", L2_SQUARED, float(np.mean(squares)), 0.002),
        ("cross-entropy", KL + log(2 * pi * exp(1.0)), crossed, within),
    ]
    return [
        Row.check(f"{name}, neighbours, n = {n}", round(truth, 5), here, within=_width(truth, width), why=WHY)
        for name, truth, here, width in truths
    ]


def curves(seeds: int) -> dict[str, tuple[np.ndarray, float]]:
    """Estimates of a few quantities at each size and seed, and the truth, for the figure."""
    kinds: dict[str, tuple[Callable[[int, int], float], float]] = {
        "Shannon entropy": (lambda n, seed: entropy(pair(n, seed)), SHANNON),
        "Shannon information": (lambda n, seed: mutual_information(pair(n, seed)), -0.5 * log(1 - RHO**2)),
        "Kullback-Leibler divergence": (lambda n, seed: divergence(*two_samples(n, seed)), KL),
    }
    return {
        name: (np.array([[f(n, seed) for seed in range(seeds)] for n in SIZES]), truth)
        for name, (f, truth) in kinds.items()
    }
