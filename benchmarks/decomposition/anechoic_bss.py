"""Sources with delays: the paper's second set, and delays alone, against SciPy's correlations."""

from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.signal import correlate, correlation_lags
from sklearn.decomposition import FastICA

from benchmarks._contest import Contest
from treatise.datasets import make_anechoic_mixture
from treatise.decomposition import AnechoicBSS, estimate_delays
from treatise.papers.decomposition.v12_1111 import likeness


def benchmarks() -> Iterator[Contest]:
    """Set II of the paper beside ICA, which has no delays; and templates whose delays are wanted."""
    mixture = make_anechoic_mixture(random_state=1)
    small = make_anechoic_mixture(n_samples=200, random_state=1).X
    yield Contest(
        "set II, 5 x 8000, 2 sources: Pe (the peer knows no delays)",
        "scikit-learn",
        ours=lambda: AnechoicBSS(2, random_state=0).fit(mixture.X).sources_,
        theirs=lambda: FastICA(2, random_state=0).fit_transform(mixture.X.T).T,
        quality=lambda sources: likeness(sources, mixture.sources),
        warm_up=partial(AnechoicBSS(2, random_state=0).fit, small),
    )
    delays = np.random.default_rng(0).uniform(-100.0, 100.0, (200, 2))
    X, sources, _, _ = make_anechoic_mixture(np.ones((200, 2)), delays, n_samples=2000, random_state=0)
    yield Contest(
        "200 x 2000, 2 known sources: mean error of a delay in samples (the peer's are whole)",
        "scipy",
        ours=lambda: estimate_delays(X, sources)[1],
        theirs=lambda: _peaks(X, sources),
        quality=lambda found: float(np.mean(np.abs(found - delays))),
        warm_up=partial(estimate_delays, X[:2, :100], sources[:, :100]),
    )


def _peaks(X: np.ndarray, sources: np.ndarray) -> np.ndarray:
    lags = correlation_lags(X.shape[1], X.shape[1])
    return np.array([[lags[np.argmax(correlate(row, source, method="fft"))] for source in sources] for row in X])
