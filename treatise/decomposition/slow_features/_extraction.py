"""Sources one by one: the slowest function that no function of the sources before it explains (section 4.1)."""

from typing import NamedTuple

import numpy as np

from treatise.decomposition.slow_features._moments import (
    SlowMoments,
    slow_directions,
    slow_terms,
    unit_scales,
    whitening_of,
    with_sign,
)
from treatise.statistics.time_windows import time_blocks


class Source(NamedTuple):
    """How a source follows from the terms of the data and those of the sources before it."""

    weights: np.ndarray
    """Of the terms of the data, then of those of earlier sources."""
    offset: float
    centre: float
    width: float
    """The source is scaled by these for its own polynomials."""
    delta: float
    runner_up: float
    """Delta value of the second slowest signal at this stage."""
    n_dropped: int


class Extraction:
    """The loop of section 4.1 in terms of moments.

    All signals that are left at any stage are linear in the terms of the data and the terms of the sources so far. Of
    both the covariances are kept, so that a stage needs one pass for the moments of the terms that its source adds and
    one to evaluate it, and nothing of the length of the data but the sources is held.

    Parameters
    ----------
    X : ndarray of shape (n_times, n_columns)
    lengths : ndarray of int
        Frames of each sequence.
    expansion : Expansion
        Terms of the data.
    removal : PolynomialTerms
        Terms of the sources that are projected out.
    eps, dt : float
        As in :class:`XSFA`.
    size : int
        Frames of a block.
    """

    def __init__(self, X, lengths, expansion, removal, eps, dt, size):
        self._X, self._lengths, self._size = X, lengths, size
        self._expansion, self._removal = expansion, removal
        self._eps, self._dt = eps, dt
        self._n_data = expansion.n_terms
        n_all = self._n_data + (removal.n_terms if removal is not None else 0)
        self._covariance, self._slowness = np.zeros((n_all, n_all)), np.zeros((n_all, n_all))
        self._mean = np.zeros(n_all)
        self._n_known = self._n_data
        self._sources: list[Source] = []
        self._values = np.zeros((0, len(X)))

    def run(self, n_sources):
        """Extract sources until there are so many or no signal is left.

        Returns
        -------
        sources : list of Source
        values : ndarray of shape (n_sources_found, n_times)
        """
        self._values = np.empty((n_sources, len(self._X)))
        self._add_moments(0)
        first = slow_terms(self._moments_of_data, self._eps)
        left, deltas, n_dropped = first
        while len(left):
            self._keep(left, deltas, n_dropped)
            number = len(self._sources)
            if number == n_sources:
                break
            self._add_moments(number)
            left, deltas, n_dropped = self._without_sources(left[1:], number)
        return self._sources, self._values[: len(self._sources)]

    def _keep(self, left, deltas, n_dropped):
        """Evaluate the slowest signal, and bring it to exactly zero mean and unit variance."""
        number, weights = len(self._sources), left[0]
        values = self._values[number]
        for start, stop, _ in time_blocks(self._lengths, self._size):
            terms = self._terms(start, stop, number)
            values[start:stop] = weights @ (terms - self._mean[: len(weights), np.newaxis])
        mean, deviation = values.mean(), values.std()
        values -= mean
        values /= deviation
        # Differences across the ends of sequences do not count.
        changes = np.delete(np.diff(values), np.cumsum(self._lengths)[:-1] - 1)
        delta = np.square(changes).mean() / self._dt**2
        weights = weights / deviation
        offset = -weights @ self._mean[: len(weights)] - mean / deviation
        centre, width = self._scale_of(values)
        runner_up = float(deltas[1]) if len(deltas) > 1 else np.inf
        self._sources.append(Source(weights, float(offset), centre, width, float(delta), runner_up, n_dropped))

    def _scale_of(self, values):
        if self._removal is not None and self._removal.basis == "legendre":
            low, high = float(values.min()), float(values.max())
            return (low + high) / 2, (high - low) / 2
        return 0.0, 1.0

    def _terms(self, start, stop, n_sources):
        """Terms of the data and of the first sources at some frames."""
        terms = np.empty((self._count(n_sources), stop - start))
        terms[: self._n_data] = self._expansion.signals(self._X[start:stop])
        of_sources = terms[self._n_data :]
        for number in range(n_sources):
            source = self._sources[number]
            scaled = (self._values[number, start:stop] - source.centre) / source.width
            self._removal.add_signal(number, scaled, of_sources)
        return terms

    def _count(self, n_sources):
        return self._n_data + (self._removal.n_terms_of(n_sources) if n_sources else 0)

    def _add_moments(self, n_sources):
        """Moments of the terms that the last source adds with all terms so far."""
        first, last = (self._n_known if n_sources else 0), self._count(n_sources)
        moments = SlowMoments(self._dt)
        for start, stop, reach in time_blocks(self._lengths, self._size):
            moments.update(self._terms(start, reach, n_sources), stop - start, first)
        self._mean[:last] = moments.mean
        for whole, new in ((self._covariance, moments.covariance), (self._slowness, moments.slowness)):
            whole[first:last, :last] = new
            whole[:last, first:last] = new.T
        self._n_known = last
        if not n_sources:
            self._moments_of_data = moments

    def _without_sources(self, left, n_sources):
        """Steps 5, 6 and 3: take out what the terms of the sources explain, and find the slowest of the rest."""
        n_known, data = self._n_known, self._n_data
        covariance, slowness = (whole[:n_known, :n_known] for whole in (self._covariance, self._slowness))
        of_sources = covariance[data:, data:]
        scales = unit_scales(of_sources, self._mean[data:n_known])
        whitening = whitening_of(scales[:, np.newaxis] * of_sources * scales, self._eps) * scales
        left = np.pad(left, ((0, 0), (0, n_known - left.shape[1])))
        explained = left @ covariance[:, data:] @ whitening.T
        left[:, data:] -= explained @ whitening
        found = slow_directions(left @ covariance @ left.T, left @ slowness @ left.T, self._eps)
        units = np.sqrt(np.diag(covariance))
        return with_sign(found.weights @ left * units) / np.where(units > 0, units, 1.0), found.deltas, found.n_dropped
