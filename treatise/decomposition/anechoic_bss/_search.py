"""Alternate between delays with weights and the sources themselves until neither explains more."""

from dataclasses import dataclass

import numpy as np

from treatise.decomposition.anechoic_bss._loops import deconvolve
from treatise.decomposition.anechoic_bss._rows import Placement
from treatise.decomposition.anechoic_bss._starts import spectra_start, subspace_start

# How firmly a source holds to where it was at frequencies that hardly depend on it.
DAMPING = 1e-3
# Rounds after which the better third of the starts goes on, and of these again.
TRIAL_ROUNDS = (15, 45)
# Share of the squares that is left by rounding errors alone.
EXACT = 1e-12
# Rounds after each source that is added to others.
GROWTH_ROUNDS = 5


@dataclass
class Attempt:
    """Sources, where they are placed, and the share of the recordings' squares that is left after each round."""

    sources: np.ndarray
    placement: Placement
    history: list[float]
    converged: bool = False


def search_sources(placing, recordings, n_sources, *, n_starts, max_iter, tol, random_state):
    """The best attempt of several starts: after some rounds the better third goes on."""
    total = float(np.sum(np.abs(recordings) ** 2))
    attempts = []
    for attempt in _starts(placing, recordings, n_sources, n_starts, random_state):
        attempt.history.append(float(attempt.placement.errors.sum() / total))
        attempts.append(attempt)
    for n_rounds in (*TRIAL_ROUNDS, max_iter):
        for attempt in attempts:
            run_rounds(placing, recordings, attempt, min(n_rounds, max_iter) - len(attempt.history) + 1, tol)
            if attempt.history[-1] < EXACT:
                return attempt
        attempts = sorted(attempts, key=lambda attempt: attempt.history[-1])[: -(-len(attempts) // 3)]
    return attempts[0]


def _starts(placing, recordings, n_sources, n_starts, random_state):
    for number in range(n_starts):
        yield _from_spectra(placing, recordings, n_sources, random_state if number else None)
    yield _from_subspace(placing, recordings, n_sources)
    if n_sources > 1:
        yield _one_by_one(placing, recordings, n_sources)


def _from_spectra(placing, recordings, n_sources, random_state):
    sources = _normalised(spectra_start(recordings, n_sources, random_state))
    return Attempt(sources, placing.cold(recordings, sources, max_sweeps=3), [])


def _from_subspace(placing, recordings, n_sources):
    """Without delays, so that what is found explains no less than the best subspace."""
    sources, weights = subspace_start(recordings, n_sources)
    placement = placing.nothing(recordings, n_sources)
    placement.weights[:, : weights.shape[1]] = weights
    placing.improve(recordings, sources, placement)
    return Attempt(sources, placement, [])


def _one_by_one(placing, recordings, n_sources):
    """Each source from what those before it leave."""
    left, sources = recordings, np.empty((0, *recordings.shape[1:]), np.complex128)
    for _ in range(n_sources):
        sources = np.concatenate([sources, _normalised(spectra_start(left, 1, None))])
        attempt = Attempt(sources, placing.cold(recordings, sources, max_sweeps=3), [np.inf])
        run_rounds(placing, recordings, attempt, GROWTH_ROUNDS, 0.0)
        sources, placement = attempt.sources, attempt.placement
        left = recordings - placing.rebuilt(sources, placement)
    return Attempt(sources, placement, [])


def run_rounds(placing, recordings, attempt, n_rounds, tol):
    """Rounds of deconvolution and placing, until one lowers the error by at most ``tol`` of it."""
    total = float(np.sum(np.abs(recordings) ** 2))
    for _ in range(0 if attempt.converged else n_rounds):
        before, placement = attempt.history[-1], attempt.placement
        deconvolve(recordings, placement.weights, placement.delays, placing.frame.width, DAMPING, attempt.sources)
        attempt.sources = _normalised(attempt.sources)
        placing.improve(recordings, attempt.sources, placement)
        now = float(placement.errors.sum() / total)
        attempt.history.append(now)
        if before - now <= tol * before or now < EXACT:
            attempt.converged = True
            break


def _normalised(sources):
    """Sources of length one; those that are nothing stay so."""
    lengths = np.sqrt(np.sum(np.abs(sources) ** 2, axis=(1, 2), keepdims=True))
    return sources / np.where(lengths > 0.0, lengths, 1.0)
