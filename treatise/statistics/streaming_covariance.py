"""Means and covariances of signals that come block by block."""

import numpy as np


class StreamingCovariance:
    """Mean and covariance of signals, or of signals with others, from one pass in blocks.

    Each block is centred by its own mean, and blocks are put together by Chan, Golub and LeVeque's rule, so that a
    large common offset costs no digits and the size of the blocks none either. Costs one product of matrices for each
    block; memory is one matrix.

    Attributes
    ----------
    n_times : int
        Times seen.
    mean, mean_of_others : ndarray
        Means of the signals; the second is the first where there are no others.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.statistics import StreamingCovariance
    >>> signals = np.random.default_rng(0).normal(size=(3, 100))
    >>> moments = StreamingCovariance()
    >>> for block in (signals[:, :30], signals[:, 30:]):
    ...     moments.update(block)
    >>> bool(np.allclose(moments.covariance, np.cov(signals, bias=True)))
    True
    """

    def __init__(self):
        self.n_times = 0
        self.mean = self.mean_of_others = self._sums = None

    def update(self, signals, others=None):
        """Take in a block.

        Parameters
        ----------
        signals : ndarray of shape (n_signals, n_times)
        others : ndarray of shape (n_others, n_times) or None, default=None
            Signals at the same times; None takes the signals with themselves.
        """
        count = signals.shape[1]
        if count == 0:
            return
        mean = signals.mean(axis=1)
        centred = signals - mean[:, np.newaxis]
        if others is None:
            sums, other_mean = centred @ centred.T, mean
        else:
            other_mean = others.mean(axis=1)
            sums = centred @ (others - other_mean[:, np.newaxis]).T
        if self.n_times == 0:
            self.n_times, self.mean, self.mean_of_others, self._sums = count, mean, other_mean, sums
            return
        total = self.n_times + count
        moved, other_moved = mean - self.mean, other_mean - self.mean_of_others
        self._sums += sums
        self._sums += np.multiply.outer((self.n_times * count / total) * moved, other_moved)
        self.mean = self.mean + (count / total) * moved
        self.mean_of_others = self.mean if others is None else self.mean_of_others + (count / total) * other_moved
        self.n_times = total

    @property
    def covariance(self):
        """Covariance so far, with 1 / n."""
        if self.n_times == 0:
            raise ValueError("no block was seen; call update first")
        return self._sums / self.n_times
