"""Between recordings and their spectra, in which a shift is a change of phase."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import fft


@dataclass(frozen=True)
class Frame:
    """The grid on which sources move; a signal is an image of one line.

    Parameters
    ----------
    height, width : int
        Lines and columns, with the zeros that keep shifts from coming round.
    """

    height: int
    width: int

    @cached_property
    def scale(self):
        """Factor of each frequency that makes real parts of products of spectra those of products of samples."""
        counts = np.full(self.width // 2 + 1, 2.0)  # frequencies above the middle mirror those below
        counts[0] = 1.0
        if self.width % 2 == 0:
            counts[-1] = 1.0
        return np.sqrt(counts / (self.height * self.width))

    def spectra(self, images):
        """Scaled spectra of images of shape (rows, lines, columns), filled up with zeros to the grid."""
        return fft.rfft2(images, s=(self.height, self.width)) * self.scale

    def images(self, spectra):
        """Images of shape (rows, height, width) of scaled spectra."""
        return fft.irfft2(spectra / self.scale, s=(self.height, self.width))

    def correlations(self, cross):
        """Correlations at all whole lags from scaled cross-spectra, a lag below zero at the end as usual."""
        return fft.irfft2(cross / self.scale**2, s=(self.height, self.width))

    def lags_within(self, max_delay):
        """Which whole lags are allowed; None where all are."""
        if max_delay is None:
            return None
        down, right = (np.minimum(np.arange(size), size - np.arange(size)) for size in (self.height, self.width))
        return (down[:, np.newaxis] <= max_delay) & (right <= max_delay)

    def wrapped(self, delays):
        """Delays moved by whole turns to at most half of the grid either way."""
        size = np.array([self.height, self.width], dtype=np.float64)
        return delays - size * np.round(delays / size)
