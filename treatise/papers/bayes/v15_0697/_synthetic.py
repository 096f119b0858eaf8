"""The made-up models of section 5.3, noisy sequences of them, and the methods that group them."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import rand_score

from treatise.bayes import HMMClusterer, fit_hmms
from treatise.inference import MixtureHMM
from treatise.kernels import Gaussians, HiddenMarkovModel, HiddenMarkovProductKernel

LENGTH = 100
NOISES = (0.1, 0.5, 1.0)
_LAZY = [[0.8, 0.1, 0.1], [0.2, 0.8, 0.0], [0.0, 0.2, 0.8]]


def _model(means: Any = (1.0, 2.0, 3.0), variance: float = 0.5, transitions: Any = _LAZY) -> MixtureHMM:
    return MixtureHMM(
        np.full(3, 1 / 3), transitions, np.ones((3, 1)), np.reshape(means, (3, 1, 1)), np.full((3, 1, 1), variance)
    )


def _moving(second: list[float], fourth: list[float]) -> list[MixtureHMM]:
    """Experiment (c), with the first rows of its second and fourth matrix, which are misprinted."""
    matrices = [
        _LAZY,
        [second, [0.4, 0.6, 0.0], [0.0, 0.4, 0.6]],
        [[0.9, 0.05, 0.05], [0.1, 0.9, 0.0], [0.0, 0.1, 0.9]],
        [fourth, [0.6, 0.4, 0.0], [0.0, 0.6, 0.4]],
    ]
    return [_model(transitions=matrix) for matrix in matrices]


SOURCES = {
    "a": [_model(means=means) for means in ([1, 2, 3], [3, 2, 1], [1, 2, 2], [1, 3, 3])],
    "b": [_model(variance=variance) for variance in (0.5, 0.1, 1.0, 0.05)],
    # Printed are 0.2, 0.2, 0.2 and 0.4, 0.3, 0.4, which do not sum to one; the other rows suggest these.
    "c": _moving([0.6, 0.2, 0.2], [0.4, 0.3, 0.3]),
}
READINGS = {
    "0.6, 0.2, 0.2 and 0.4, 0.3, 0.3": SOURCES["c"],
    "the printed rows over their sums": _moving([1 / 3, 1 / 3, 1 / 3], [4 / 11, 3 / 11, 4 / 11]),
    "0.2, 0.2, 0.6 and 0.4, 0.3, 0.3": _moving([0.2, 0.2, 0.6], [0.4, 0.3, 0.3]),
}
"""Readings of the misprinted rows."""


class Setting(NamedTuple):
    """Noisy sequences and how they are modelled."""

    experiment: str
    noise: float
    copies: int
    trial: int
    n_states: int = 3
    length: int = LENGTH


def noisy_sequences(sources: list[MixtureHMM], copies: int, length: int, noise: float, seed: int) -> list[np.ndarray]:
    """Sequences of each source with Gaussian noise on top."""
    random = np.random.RandomState(seed)
    return [
        source.sample(length, random_state=random)[0] + np.sqrt(noise) * random.standard_normal((length, 1))
        for source in sources
        for _ in range(copies)
    ]


def noisy_models(setting: Setting) -> list[MixtureHMM]:
    """A model fitted to each noisy sequence."""
    sequences = noisy_sequences(
        SOURCES[setting.experiment], setting.copies, setting.length, setting.noise, setting.trial
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit_hmms(sequences, setting.n_states, reg_covar=1e-3, random_state=0)


def rand_of(labels: np.ndarray) -> float:
    """Rand index of labels of as many copies of each of the four sources."""
    return float(rand_score(np.repeat(np.arange(4), len(labels) // 4), labels))


def vhem_labels(models: list[MixtureHMM], seed: int) -> np.ndarray:
    """Groups by variational hierarchical EM."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return HMMClusterer(4, n_init=5, random_state=seed).fit(models).labels_


def ppk_gram(models: list[MixtureHMM]) -> np.ndarray:
    """Bhattacharyya kernel of sequences of ten between models of one component (PPK)."""
    plain = [HiddenMarkovModel(m.start, m.transitions, Gaussians(m.means[:, 0], m.covariances[:, 0])) for m in models]
    return HiddenMarkovProductKernel(n_steps=9, rho=0.5).normalized()(plain)


def ppk_labels(gram: np.ndarray, n_clusters: int, seed: int) -> np.ndarray:
    """Groups by spectral clustering of a kernel (PPK-SC)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return SpectralClustering(n_clusters, affinity="precomputed", random_state=seed).fit_predict(gram)


def knowing_rand(sources: list[MixtureHMM], noise: float, length: int = LENGTH, copies: int = 150) -> float:
    """Rand index of the classifier that knows all four sources and the noise, from one sequence at a time."""
    sequences = noisy_sequences(sources, copies, length, noise, seed=12345)
    seen = [MixtureHMM(m.start, m.transitions, m.weights, m.means, m.covariances + noise) for m in sources]
    return rand_of(np.column_stack([each.log_likelihood(sequences) for each in seen]).argmax(axis=1))
