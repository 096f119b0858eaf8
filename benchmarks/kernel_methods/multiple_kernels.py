"""Learning the weights of many kernels against the plain way: a cold machine of scikit-learn for every set of them.

MKLpy, the package for such machines, needs torch, which is not among the peers' requirements; it has no l_p norm.
"""

from collections.abc import Iterator

import numpy as np
from sklearn.svm import SVC

from benchmarks._contest import Contest, Scaling, left_out
from treatise._core.errors import DataNotFoundError
from treatise.datasets import load_mnist_test
from treatise.kernel_methods import GroupedMKLClassifier, LpMKLClassifier, lp_kernel_weights
from treatise.kernels import Gaussian, KernelBank, OnColumns

N_KERNELS = 50


def benchmarks() -> Iterator[Contest | Scaling]:
    """50 Gaussian kernels of handwritten digits, odd against even, as in Section 6.5; kernels in groups."""
    try:
        X, digits = load_mnist_test()
    except DataNotFoundError as missing:
        left_out(f"multiple kernels: left out, {missing}")
        return
    y = np.where(digits % 2, 1, -1)
    kernels = [Gaussian(1.2**-k) for k in range(N_KERNELS)]
    grams = _grams(kernels, X[:1000])
    for p in (2.0, 4 / 3):
        yield Contest(
            work=f"{N_KERNELS} precomputed kernels, 1 000 digits, p = {p:.3g}, to a relative gap of 1e-3",
            peer="scikit-learn",
            ours=lambda p=p: LpMKLClassifier(  # type: ignore[misc]
                p, kernels="precomputed", normalize=None
            ).fit(list(grams), y[:1000]),
            theirs=lambda p=p: _plain_wrapper(grams, y[:1000], p),  # type: ignore[misc]
            quality=lambda result: result if isinstance(result, float) else result.objective_,
            warm_up=lambda: LpMKLClassifier(kernels="precomputed").fit([gram[:20, :20] for gram in grams], y[:20]),
            repeats=1,
        )
    yield Scaling(
        work=f"{N_KERNELS} Gaussian kernels of digits, p = 2, kernels included, over rows",
        sizes=(500, 1_000, 2_000),
        prepare=lambda n: lambda: LpMKLClassifier(2.0, kernels=kernels).fit(X[:n], y[:n]),
        warm_up=lambda: LpMKLClassifier(kernels=kernels).fit(X[:20], y[:20]),
    )
    small = X[:500]
    yield Scaling(
        work="kernels in groups of five, 500 digits, q = 2, to a relative gap of 1e-3, over kernels",
        sizes=(10, 50, 100),
        prepare=lambda m: lambda: GroupedMKLClassifier(2.0, kernels=_blocks(m)).fit(small, y[:500]),
        warm_up=lambda: GroupedMKLClassifier(2.0, kernels=_blocks(10)).fit(X[:20], y[:20]),
    )


def _blocks(n_kernels: int) -> list[list[OnColumns]]:
    """Groups of five widths on random blocks of 40 pixels each."""
    generator = np.random.default_rng(0)
    blocks = [generator.choice(784, 40, replace=False).tolist() for _ in range(n_kernels // 5)]
    return [[OnColumns(Gaussian(4.0**power), block) for power in range(-4, 1)] for block in blocks]


def _grams(kernels: list[Gaussian], X: np.ndarray) -> np.ndarray:
    bank = KernelBank(kernels, X)
    return np.array([bank.mixture(unit) for unit in np.eye(len(kernels))])


def _plain_wrapper(grams: np.ndarray, y: np.ndarray, p: float) -> float:
    """Algorithm 1 as printed: a machine from scratch for every set of weights.

    With the tolerance of 1e-3 that scikit-learn has by default the gap of the machine alone exceeds 1e-3.
    """
    weights = np.full(len(grams), len(grams) ** (-1.0 / p))
    while True:
        gram = np.tensordot(weights, grams, axes=1)
        machine = SVC(kernel="precomputed", tol=1e-4).fit(gram, y)
        beta = np.zeros(len(y))
        beta[machine.support_] = machine.dual_coef_[0]
        forms = np.array([beta @ part @ beta for part in grams])
        upper = 0.5 * weights @ forms + np.maximum(0.0, 1.0 - y * machine.decision_function(gram)).sum()
        lower = np.abs(beta).sum() - 0.5 * (forms ** (p / (p - 1))).sum() ** (1 - 1 / p)
        if upper - lower <= 1e-3 * upper:
            return float(upper)
        weights = lp_kernel_weights(weights * np.sqrt(forms), p)
