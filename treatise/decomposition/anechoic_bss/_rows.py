"""Weights and delays of known sources in recordings: the nonlinear Gauss-Seidel estimator of Appendix A."""

from dataclasses import dataclass

import numpy as np

from treatise.decomposition.anechoic_bss._loops import refine_delays, shifted_spectra
from treatise.decomposition.anechoic_bss._spectra import Frame
from treatise.optimize import nonnegative_least_squares

# Numbers in the spectra of all shifted sources of the recordings that are treated at once.
BLOCK = 2_000_000


@dataclass
class Placement:
    """How the sources appear in each recording."""

    weights: np.ndarray
    """Of shape (rows, sources)."""
    delays: np.ndarray
    """Down and to the right, of shape (rows, sources, 2)."""
    errors: np.ndarray
    """Sum of squares that is left of each recording."""

    def __getitem__(self, rows):
        return Placement(self.weights[rows].copy(), self.delays[rows].copy(), self.errors[rows].copy())

    def keep_better(self, other, rows=slice(None)):
        """Take over what the other has better, for the rows that it is about."""
        better = np.zeros(len(self.errors), bool)
        better[rows] = other.errors < self.errors[rows]
        chosen = better[rows]
        self.weights[better], self.delays[better] = other.weights[chosen], other.delays[chosen]
        self.errors[better] = other.errors[chosen]


@dataclass(frozen=True)
class Placing:
    """What delays and weights may be.

    Parameters
    ----------
    frame : Frame
        The grid.
    max_delay : float or None
        Largest delay either way.
    positive : bool
        Whether weights may not be negative.
    fractional : bool
        Whether delays may lie between the samples.
    """

    frame: Frame
    max_delay: float | None = None
    positive: bool = False
    fractional: bool = True

    def nothing(self, recordings, n_sources):
        """No source in any recording."""
        errors = np.sum(np.abs(recordings) ** 2, axis=(1, 2))
        return Placement(np.zeros((len(recordings), n_sources)), np.zeros((len(recordings), n_sources, 2)), errors)

    def cold(self, recordings, sources, *, max_sweeps=50):
        """Place the sources in recordings of which nothing is known: each source is once the first to be placed."""
        best = self.nothing(recordings, len(sources))
        for first in range(len(sources)):
            order = [first, *(j for j in range(len(sources)) if j != first)]
            for rows in _blocks(recordings, len(sources)):
                tried = self.nothing(recordings[rows], len(sources))
                self._settle(recordings[rows], sources, tried, order, max_sweeps)
                best.keep_better(tried, rows)
        return best

    def simple(self, recordings, sources):
        """Place each source at the peak of its own correlation, as if there were no others (Equation 37)."""
        placement = self.nothing(recordings, len(sources))
        for rows in _blocks(recordings, len(sources)):
            part = placement[rows]
            peaks = np.stack([self._peaks(recordings[rows] * np.conj(source), 1e-9) for source in sources], axis=1)
            self._reweigh(recordings[rows], part, self.shifted(sources, peaks), range(len(sources)), peaks)
            placement.keep_better(part, rows)
        return placement

    def _settle(self, recordings, sources, placement, order, max_sweeps):
        """Sweep until a recording gets better by no more than rounding errors, each for as long as it needs."""
        sizes, moving = placement.errors.copy(), np.arange(len(recordings))
        for sweep in range(max_sweeps):
            part = placement[moving]
            before = part.errors.copy()
            self._sweep(recordings[moving], sources, part, order, grow=sweep == 0, thorough=True)
            placement.keep_better(part, moving)
            moving = moving[before - part.errors > 1e-12 * sizes[moving]]
            if not len(moving):
                break

    def improve(self, recordings, sources, placement):
        """Weigh changed sources anew where they are placed, then one sweep over them; no error rises."""
        for rows in _blocks(recordings, len(sources)):
            part = placement[rows]
            part.errors[:] = np.inf
            self._reweigh(recordings[rows], part, self.shifted(sources, part.delays), range(len(sources)), part.delays)
            self._sweep(recordings[rows], sources, part, range(len(sources)))
            placement.weights[rows], placement.delays[rows], placement.errors[rows] = (
                part.weights, part.delays, part.errors,
            )  # fmt: skip

    def _sweep(self, recordings, sources, placement, order, *, grow=False, thorough=False):
        """Move each source in turn to where it fits best what the others leave, and weigh all anew.

        With ``grow`` the weights are fitted for the sources placed so far alone. With ``thorough`` each source is moved
        before to the whole lag that is best when the others' weights follow.
        """
        shifted, placed = self.shifted(sources, placement.delays), []
        for j in order:
            placed = sorted([*placed, j]) if grow else list(range(len(sources)))
            others = [k for k in placed if k != j]
            if thorough and others:
                lags = self._joint_lags(recordings, sources[j], shifted[:, others])
                self._move(recordings, sources, placement, shifted, placed, j, lags)
            weights = placement.weights.copy()
            weights[:, j] = 0.0
            left = recordings - np.einsum("bn,bnhf->bhf", weights, shifted)
            lags = self._peaks(left * np.conj(sources[j]), 1e-9 if thorough else 1e-3)
            self._move(recordings, sources, placement, shifted, placed, j, lags)

    def _move(self, recordings, sources, placement, shifted, placed, j, lags):
        """Try a source at other lags; what is better is kept in the placement and among the shifted spectra."""
        tried, moved = placement.delays.copy(), shifted.copy()
        tried[:, j] = lags
        moved[:, [j]] = self.shifted(sources[[j]], tried[:, [j]])
        better = self._reweigh(recordings, placement, moved, placed, tried)
        shifted[better] = moved[better]

    def _joint_lags(self, recordings, source, others):
        """Whole lags at which a source explains most together with others that stay where they are.

        Weighing the others anew takes their span out of the recording and out of the shifted source: what is explained
        on top is the squared correlation over the square of what is left of the source.
        """
        parts = _real(others)
        gram = parts @ parts.transpose(0, 2, 1)
        size = np.einsum("bii->b", gram)[:, np.newaxis, np.newaxis] / gram.shape[1]
        roots = np.linalg.cholesky(gram + (1e-9 * size + 1e-300) * np.eye(gram.shape[1]))
        basis = np.linalg.solve(roots, parts)
        wanted = _real(recordings)
        left = wanted - np.einsum("bnk,bn->bk", basis, np.einsum("bnk,bk->bn", basis, wanted))
        left = left.view(np.complex128).reshape(recordings.shape)
        spanned = basis.view(np.complex128).reshape(others.shape)
        gains = self.frame.correlations(left * np.conj(source))
        own = np.sum(np.abs(source) ** 2)
        rest = own - np.sum(self.frame.correlations(spanned * np.conj(source)) ** 2, axis=1)
        sign = np.sign(gains) if self.positive else 1.0
        heights = sign * gains**2 / np.maximum(rest, 1e-4 * own + 1e-300)
        return self.frame.wrapped(self._highest(heights)[1])

    def _reweigh(self, recordings, placement, shifted, placed, delays):
        """Fit the weights of the sources that are placed; keep them, with their delays, where the error falls."""
        wanted = _real(recordings)
        parts = _real(shifted if len(placed) == shifted.shape[1] else shifted[:, placed])
        placed = slice(None) if len(placed) == shifted.shape[1] else placed
        gram, cross = parts @ parts.transpose(0, 2, 1), np.einsum("bnk,bk->bn", parts, wanted)
        fitted = self._weights(gram, cross)
        explained = np.sum(fitted * (2.0 * cross - np.einsum("bij,bj->bi", gram, fitted)), axis=1)
        errors = np.maximum(np.einsum("bk,bk->b", wanted, wanted) - explained, 0.0)
        better = errors < placement.errors
        new = np.zeros_like(placement.weights)
        new[:, placed] = fitted
        placement.weights[better], placement.delays[better] = new[better], delays[better]
        placement.errors[better] = errors[better]
        return better

    def rebuilt(self, sources, placement):
        """Spectra of the recordings as far as the sources explain them."""
        spectra = np.empty((len(placement.weights), *sources.shape[1:]), np.complex128)
        for rows in _blocks(spectra, len(sources)):
            shifted = self.shifted(sources, placement.delays[rows])
            spectra[rows] = np.einsum("bn,bnhf->bhf", placement.weights[rows], shifted)
        return spectra

    def shifted(self, sources, delays):
        """Spectra of every source as it is shifted in every recording."""
        out = np.empty((*delays.shape[:2], *sources.shape[1:]), np.complex128)
        shifted_spectra(sources, delays, self.frame.width, out)
        return out

    def _peaks(self, cross, tol):
        """Delays at which correlations peak, found among whole lags and followed between them to a step of ``tol``."""
        correlations = self.frame.correlations(cross)
        highest, delays = self._highest(correlations if self.positive else np.abs(correlations))
        if self.fractional and self.max_delay != 0:
            signs = np.sign(correlations.reshape(len(cross), -1)[np.arange(len(cross)), highest])
            reach = np.array([1.0 if self.frame.height > 1 else 0.0, 1.0])
            refine_delays(np.ascontiguousarray(cross), self.frame.width, delays, signs, reach, tol)
        delays = self.frame.wrapped(delays)
        return delays if self.max_delay is None else np.clip(delays, -self.max_delay, self.max_delay)

    def _highest(self, heights):
        """Where the largest of the allowed heights is, as a place among all and as lags."""
        allowed = self.frame.lags_within(self.max_delay)
        if allowed is not None:
            heights = np.where(allowed, heights, -np.inf)
        highest = np.argmax(heights.reshape(len(heights), -1), axis=1)
        return highest, np.stack(np.unravel_index(highest, heights.shape[1:]), axis=1).astype(np.float64)

    def _weights(self, gram, cross):
        """Weights of least squares, one small problem for each recording."""
        if self.positive:
            solved = (nonnegative_least_squares(g, c[:, np.newaxis])[:, 0] for g, c in zip(gram, cross))
            return np.array(list(solved)).reshape(cross.shape)
        size = np.einsum("bii->b", gram) / gram.shape[1]
        # Sources that coincide where they are placed leave their shares open: the ridge divides them evenly.
        ridge = np.where(size > 0.0, 1e-12 * size, 1.0)
        gram = gram + ridge[:, np.newaxis, np.newaxis] * np.eye(gram.shape[1])
        return np.linalg.solve(gram, cross[..., np.newaxis])[..., 0]


def _blocks(recordings, n_sources):
    """Ranges of recordings whose shifted sources fit into a block."""
    size = max(1, BLOCK // (n_sources * recordings[0].size))
    return [slice(first, first + size) for first in range(0, len(recordings), size)]


def _real(spectra):
    """Spectra as rows of real numbers, without a copy."""
    flat = np.ascontiguousarray(spectra).reshape(*spectra.shape[:-2], -1)
    return flat.view(np.float64)
