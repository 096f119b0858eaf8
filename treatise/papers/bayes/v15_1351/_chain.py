"""A Markov chain for the heteroscedastic additive model, the reference of section 5.2.

Coefficients of the mean and all variances have closed conditionals; those of the log variance move by Langevin steps
in the metric of their information and prior.
"""

import numpy as np
from scipy.linalg import solve_triangular

PRIOR_SCALE = 1e5


def curve_chain(
    C: np.ndarray, y: np.ndarray, blocks: list[slice], start: tuple[np.ndarray, np.ndarray],
    *, n_draws: int, n_burn: int, rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, float]:  # fmt: skip
    """Draws of the coefficients of mean and log variance, and the share of accepted Langevin steps.

    Parameters
    ----------
    C : ndarray of shape (n_rows, d)
        Constant, lines and splines.
    y : ndarray of shape (n_rows,)
        Targets.
    blocks : list of slice
        Splines of each function.
    start : tuple
        Coefficients of mean and log variance.
    n_draws, n_burn : int
        Steps kept, and left out before.
    rng : Generator
        Randomness.
    """
    mean, gamma = (part.copy() for part in start)
    information = 0.5 * C.T @ C
    variances = np.ones((2, len(blocks)))
    step, accepted, kept = 1.2 * len(gamma) ** (-1 / 6), 0, []
    for k in range(n_burn + n_draws):
        mean = _mean_draw(C, y, gamma, _precisions(C.shape[1], blocks, variances[0]), rng)
        squares = (y - C @ mean) ** 2
        prior = _precisions(C.shape[1], blocks, variances[1])
        # The metric follows the variances, which the step leaves alone, so that it stays reversible.
        metric = np.linalg.inv(information + np.diag(prior))
        moved = _langevin(C, squares, prior, gamma, metric, np.linalg.cholesky(metric), step, rng)
        accepted += moved is not gamma and k >= n_burn
        if k < n_burn:
            step *= np.exp(((moved is not gamma) - 0.57) / np.sqrt(k + 1))
        gamma = moved
        for row, coefficients in zip(variances, (mean, gamma)):
            for j, part in enumerate(blocks):
                row[j] = _variance_draw(coefficients[part], row[j], rng)
        if k >= n_burn:
            kept.append((mean, gamma))
    means, gammas = (np.array(part) for part in zip(*kept))
    return means, gammas, accepted / n_draws


def _precisions(d: int, blocks: list[slice], variances: np.ndarray) -> np.ndarray:
    precision = np.full(d, PRIOR_SCALE**-2)
    for part, variance in zip(blocks, variances):
        precision[part] = 1 / variance
    return precision


def _mean_draw(
    C: np.ndarray, y: np.ndarray, gamma: np.ndarray, prior: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    weight = np.exp(-C @ gamma)
    root = np.linalg.cholesky(C.T @ (weight[:, None] * C) + np.diag(prior))
    inner = solve_triangular(root, C.T @ (weight * y), lower=True)
    return solve_triangular(root, inner + rng.standard_normal(len(inner)), lower=True, trans=1)


def _langevin(
    C: np.ndarray, squares: np.ndarray, prior: np.ndarray, gamma: np.ndarray, metric: np.ndarray, root: np.ndarray,
    step: float, rng: np.random.Generator,
) -> np.ndarray:  # fmt: skip
    """A Langevin step with Metropolis's correction; the point itself where it is refused."""

    def density(at: np.ndarray) -> tuple[float, np.ndarray]:
        h = C @ at
        share = squares * np.exp(-h)
        return -0.5 * float(h.sum() + share.sum() + prior @ at**2), 0.5 * C.T @ (share - 1) - prior * at

    value, slope = density(gamma)
    noise = rng.standard_normal(len(gamma))
    proposal = gamma + 0.5 * step**2 * metric @ slope + step * root @ noise
    new_value, new_slope = density(proposal)
    back = solve_triangular(root, gamma - proposal - 0.5 * step**2 * metric @ new_slope, lower=True) / step
    log_ratio = new_value - value - 0.5 * back @ back + 0.5 * noise @ noise
    return proposal if np.log(rng.random()) < log_ratio else gamma


def _variance_draw(coefficients: np.ndarray, variance: float, rng: np.random.Generator) -> float:
    """The auxiliary variable of the half-Cauchy prior, then the variance."""
    auxiliary = (1 / variance + PRIOR_SCALE**-2) / rng.gamma(1.0)
    shape = (len(coefficients) + 1) / 2
    return float((0.5 * coefficients @ coefficients + 1 / auxiliary) / rng.gamma(shape))
