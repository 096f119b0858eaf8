"""Harmonics of Gaussian and uniform sources (sections 3.4, 3.5), their products (Theorem 1), and section 5.1."""

import numpy as np

from treatise.datasets import make_colored_sources
from treatise.decomposition import SlowFeatureAnalysis, delta_value, required_length
from treatise.papers._evidence import Row


def theory_rows(full: bool) -> list[Row]:
    """Delta values against the theory's, over draws."""
    n_draws = 20 if full else 6
    return [*_gaussian_rows(n_draws), *_uniform_rows(n_draws), *_product_rows(n_draws), *_length_rows(full)]


def _checked(quantity: str, expected: float, values: np.ndarray) -> Row:
    error = float(values.std(ddof=1) / np.sqrt(len(values)))
    return Row.check(quantity, expected, round(float(values.mean()), 4), standard_error=round(error, 5))


def _gaussian_rows(n_draws: int) -> list[Row]:
    """Equation 14: Hermite polynomials at multiples of the source's own delta value."""
    ratios = []
    for seed in range(n_draws):
        source = make_colored_sources(60_000, 1, random_state=seed)
        # Powers up to the third alone: with more, the third output adapts to the extremes of the record.
        deltas = SlowFeatureAnalysis(3, degree=3).fit(source).deltas_
        ratios.append(deltas[1:] / deltas[0])
    first, second = np.array(ratios).T
    return [
        _checked(f"Gaussian source, mean of {n_draws}: second delta value over the first (14)", 2.0, first),
        _checked(f"Gaussian source, mean of {n_draws}: third delta value over the first (14)", 3.0, second),
    ]


def _uniform_rows(n_draws: int) -> list[Row]:
    """Section 3.5: cosines, whose delta values go with the square of their number.

    The source is a random walk of small steps that is thrown back at both ends; frames apart by a step of deviation s
    give the cosine number i a delta value of 2 (1 - exp(-(i pi s)^2 / 2)).
    """
    step, ratios, matches = 0.05, [], []
    for seed in range(n_draws):
        path = np.cumsum(step * np.random.default_rng(seed).standard_normal(100_000))
        source = 1.0 - np.abs(np.mod(path, 2.0) - 1.0)
        model = SlowFeatureAnalysis(3, degree=11).fit(source.reshape(-1, 1))
        ratios.append(model.deltas_[1:] / model.deltas_[0])
        cosines = np.cos(np.pi * np.outer(source, [1, 2, 3]))
        matches.append(np.abs(np.corrcoef(model.transform(source.reshape(-1, 1)).T, cosines.T)[:3, 3:]).diagonal())
    exact = 1.0 - np.exp(-((np.arange(1, 4) * np.pi * step) ** 2) / 2)
    first, second = np.array(ratios).T
    return [
        _checked(f"uniform source, mean of {n_draws}: second delta value over the first", exact[1] / exact[0], first),
        _checked(f"uniform source, mean of {n_draws}: third delta value over the first", exact[2] / exact[0], second),
        Row.check_at_least(
            "uniform source: least mean correlation of an output with its cosine", 0.98,
            round(float(np.mean(matches, axis=0).min()), 4),
        ),
    ]  # fmt: skip


def _product_rows(n_draws: int) -> list[Row]:
    """Theorem 1: the delta value of a product of harmonics is the sum of theirs."""
    errors = []
    for seed in range(n_draws):
        sources = make_colored_sources(60_000, 3, random_state=seed)[:, [0, 2]]
        slow, fast = delta_value(sources)
        expected = np.sort([i * slow + j * fast for i in range(6) for j in range(6) if i + j])[:6]
        found = SlowFeatureAnalysis(6, degree=6).fit(sources).deltas_
        errors.append(found / expected - 1.0)
    worst = float(np.abs(np.mean(errors, axis=0)).max())
    return [
        Row.check_at_most(
            f"two sources, mean of {n_draws}: largest relative error of the six least delta values (Theorem 1)", 0.1,
            round(worst, 4),
        )
    ]  # fmt: skip


def _length_rows(full: bool) -> list[Row]:
    """Section 5.1: the relative error of a delta value goes with T^(-1/2) and delta^(-1/4)."""
    lengths, numbers, n_draws = (2_000, 8_000, 32_000), (0, 3, 15), 200 if full else 60
    spreads, values = [], []
    for n_times in lengths:
        found = np.array([delta_value(_segment(n_times, numbers, seed)) for seed in range(n_draws)])
        spreads.append(found.std(axis=0) / found.mean(axis=0))
        values.append(found.mean(axis=0))
    design = np.column_stack(
        [np.ones(9), np.log(np.repeat(lengths, 3)), np.log(np.array(values)).ravel()],
    )
    powers = np.linalg.lstsq(design, np.log(np.array(spreads)).ravel(), rcond=None)[0]
    # A standard deviation of n draws is known to 1 / sqrt(2 n).
    error = np.sqrt(np.diag(np.linalg.inv(design.T @ design)) / (2 * n_draws))
    return [
        Row.printed(
            "frames that tell apart delta values of 0.01 that differ by 5 %", "Section 5.1", 4000,
            round(required_length(0.01, 0.0105), 6),
        ),
        Row.check("power of the length in the relative error of a delta value (17)", -0.5, round(float(powers[1]), 4),
                  standard_error=round(float(error[1]), 4)),
        Row.check("power of the delta value in its relative error (17)", -0.25, round(float(powers[2]), 4),
                  standard_error=round(float(error[2]), 4)),
    ]  # fmt: skip


def _segment(n_times: int, numbers: tuple[int, ...], seed: int) -> np.ndarray:
    """Half of a record, whose ends do not meet as those of a whole one do."""
    return make_colored_sources(2 * n_times, max(numbers) + 1, random_state=seed)[:n_times, list(numbers)]
