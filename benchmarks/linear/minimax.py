"""Minimax probability machines: against a general optimiser, against the linear discriminant, and over sizes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from benchmarks._contest import Contest, Scaling
from treatise.linear import KernelMinimaxProbabilityMachine, MinimaxProbabilityMachine


def benchmarks() -> Iterator[Contest | Scaling]:
    """The same cone programme by SciPy's BFGS; a fit beside scikit-learn's discriminant; features; kernel rows."""
    moments = two_classes(200)
    yield Contest(
        work="balanced machine from moments of 200 features: distance promised, against the cone programme by L-BFGS",
        peer="scipy",
        ours=lambda: MinimaxProbabilityMachine("balanced").fit_moments(*moments).distances_[0],
        theirs=lambda: 1.0 / weighted_deviations(*moments, (1.0, 1.0))[0],
        quality=float,
        warm_up=lambda: MinimaxProbabilityMachine("balanced").fit_moments(*two_classes(3)),
    )
    yield Contest(
        work="minimum error machine from moments of 200 features: accuracy promised, against the paper's sequence of "
        "biased machines by L-BFGS",
        peer="scipy",
        ours=lambda: MinimaxProbabilityMachine("minimum_error").fit_moments(*moments).worst_case_accuracy_,
        theirs=lambda: sequential_accuracy(*moments),
        quality=float,
        warm_up=lambda: MinimaxProbabilityMachine("minimum_error").fit_moments(*two_classes(3)),
    )
    X, y = sample(100_000, 200)
    yield Contest(
        work="linear fit, 100 000 rows of 200 features: minimum error machine and linear discriminant (eigen)",
        peer="scikit-learn",
        ours=lambda: MinimaxProbabilityMachine("minimum_error").fit(X, y).score(X[:10_000], y[:10_000]),
        theirs=lambda: LinearDiscriminantAnalysis(solver="eigen").fit(X, y).score(X[:10_000], y[:10_000]),
        quality=float,
        warm_up=lambda: MinimaxProbabilityMachine("minimum_error").fit(X[:100, :3], y[:100]),
    )
    yield Scaling(
        work="minimum error machine, 20 000 rows, over features",
        sizes=(50, 100, 200, 400),
        prepare=lambda p: _linear(20_000, p),
        warm_up=_linear(100, 3),
    )
    yield Scaling(
        work="kernel minimum error machine, 20 features, over rows",
        sizes=(250, 500, 1000, 2000),
        prepare=_kernel,
        warm_up=_kernel(50),
    )


def two_classes(p: int) -> tuple[np.ndarray, np.ndarray]:
    """Moments of two classes of unlike covariance, whose features are correlated as measured ones are."""
    rng = np.random.default_rng(0)
    decay = np.geomspace(1.0, 1e-2, 2 * p)
    factors = rng.normal(size=(2, p, 2 * p)) * decay
    return 0.3 * rng.normal(size=(2, p)) / np.sqrt(p), factors @ factors.transpose(0, 2, 1) / (2 * p)


def weighted_deviations(
    means: np.ndarray, covariances: np.ndarray, weights: tuple[float, float], start: np.ndarray | None = None
) -> tuple[float, np.ndarray, list[float]]:
    """Least weighted sum of the deviations over a'd = 1, by a general optimiser with exact gradients."""
    d = means[1] - means[0]
    free = np.linalg.svd(d[np.newaxis])[2][1:].T
    fixed = d / (d @ d)

    def deviations(u: np.ndarray) -> tuple[float, np.ndarray]:
        a = fixed + free @ u
        total, slope = 0.0, np.zeros_like(a)
        for weight, covariance in zip(weights, covariances):
            along = covariance @ a
            s = np.sqrt(a @ along)
            total, slope = total + weight * s, slope + weight * along / s
        return total, free.T @ slope

    u = np.zeros(free.shape[1]) if start is None else start
    options = {"ftol": 1e-14, "gtol": 1e-10, "maxiter": 5000, "maxfun": 10_000}
    found = minimize(deviations, u, jac=True, method="L-BFGS-B", options=options)
    a = fixed + free @ found.x
    return float(found.fun), found.x, [float(np.sqrt(a @ covariance @ a)) for covariance in covariances]


def sequential_accuracy(means: np.ndarray, covariances: np.ndarray) -> float:
    """The paper's method: a line search over the accuracy of one class, a parametric fractional programme for each."""
    state: dict[str, Any] = {"start": None}

    def promised(beta: float) -> float:
        kappa, ratio = np.sqrt(beta / (1.0 - beta)), 1.0
        for _ in range(20):
            _, state["start"], (first, second) = weighted_deviations(means, covariances, (kappa, ratio), state["start"])
            previous, ratio = ratio, max((1.0 - kappa * first) / second, 0.0)
            if abs(ratio - previous) <= 1e-8:
                break
        return 0.5 * (beta + ratio**2 / (1.0 + ratio**2))

    found = minimize_scalar(lambda beta: -promised(beta), bounds=(0.01, 0.99), method="bounded")
    return -float(found.fun)


def sample(n: int, p: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of two classes of unlike covariance."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], [n - n // 3, n // 3])
    X = rng.normal(size=(n, p)) * np.where(y, 1.5, 1.0)[:, np.newaxis] + y[:, np.newaxis] * 2.0 / np.sqrt(p)
    order = rng.permutation(n)
    return X[order], y[order]


def _linear(n: int, p: int) -> Any:
    X, y = sample(n, p)
    return lambda: MinimaxProbabilityMachine("minimum_error").fit(X, y)


def _kernel(n: int) -> Any:
    X, y = sample(n, 20)
    return lambda: KernelMinimaxProbabilityMachine().fit(X, y)
