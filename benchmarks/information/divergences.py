"""Divergences of many pairs of histograms beside SciPy's, and the cost of a bound against the number of risks."""

from collections.abc import Callable, Iterator

import numpy as np
from scipy.spatial.distance import jensenshannon
from scipy.special import ndtr
from scipy.stats import entropy

from benchmarks import Contest, Scaling
from treatise.information import FDivergence

PAIRS, OUTCOMES = 20_000, 50


def histograms() -> np.ndarray:
    """Pairs of distributions."""
    return np.random.default_rng(0).dirichlet(np.ones(OUTCOMES), size=(2, PAIRS))


def bound_from(count: int) -> Callable[[], float]:
    """The least KL divergence of two normal distributions one apart, from their risks at some priors."""
    priors = np.arange(1, count + 1) / (count + 1)
    cut = 0.5 + np.log((1 - priors) / priors)
    risks = (1 - priors) * ndtr(-cut) + priors * ndtr(cut - 1)
    return lambda: FDivergence("kl").least(priors=priors, risks=risks)


def benchmarks() -> Iterator[Contest | Scaling]:
    """Two divergences that SciPy has, and the bound that it has not."""
    p, q = histograms()
    yield Contest(
        work=f"KL of {PAIRS:,} pairs of {OUTCOMES} outcomes; quality is the mean", peer="scipy",
        ours=lambda: FDivergence("kl").between(p, q), theirs=lambda: entropy(p, q, axis=1), quality=np.mean,
    )  # fmt: skip
    yield Contest(
        work=f"Jensen-Shannon of {PAIRS:,} pairs of {OUTCOMES} outcomes; quality is the mean", peer="scipy",
        ours=lambda: FDivergence("jensen_shannon").between(p, q),
        theirs=lambda: jensenshannon(p, q, axis=1) ** 2, quality=np.mean,
    )  # fmt: skip
    yield Scaling(
        work="least KL from 0-1 risks at n priors", sizes=(10, 100, 1000), prepare=bound_from,
        warm_up=bound_from(10),
    )  # fmt: skip
