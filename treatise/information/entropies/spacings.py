"""Entropies of one column from the gaps of its sorted values."""

from collections.abc import Callable
from math import isqrt

import numpy as np
from scipy.special import digamma

from treatise.information._estimator import EntropyEstimator, registered
from treatise.information._parameters import COUNT_OR_NONE, POSITIVE, order_of
from treatise.information._radii import log_mean_exp, untied

_STEP = {"m": COUNT_OR_NONE}


class _SpacingEntropy(EntropyEstimator):
    """An entropy of one column; ``m`` places lie between the ends of a gap, ``floor(sqrt(n))`` by default."""

    m: int | None = None

    def _estimate(self, X):
        if X.shape[1] != 1:
            raise ValueError(f"X has {X.shape[1]} columns; spacings are those of one column")
        x, n = np.sort(X[:, 0]), len(X)
        m = isqrt(n) if self.m is None else self.m
        if 2 * m >= n:
            raise ValueError(f"m={m} is too far for {n} rows; choose m below {n / 2:g}")
        return self._of_sorted(x, n, m)

    def _of_sorted(self, x, n, m):
        raise NotImplementedError


def _around(x, m):
    """Gaps from m places before to m places after, the ends repeated."""
    padded = np.concatenate([np.full(m, x[0]), x, np.full(m, x[-1])])
    gaps = padded[2 * m :] - padded[: -2 * m]
    return gaps, untied(gaps, 2 * m, "X")


def _ahead(x, m):
    gaps = x[m:] - x[:-m]
    return gaps[untied(gaps, m, "X")]


@registered("shannon_spacing", "Shannon entropy", columns="one", unit="nats")
class SpacingShannonEntropy(_SpacingEntropy):
    """Vasicek's estimate from m-spacings: ``mean(log(n / 2m (x_(i+m) - x_(i-m))))``.

    ``correction="ends"`` counts how many places the cut gaps at the ends span (Ebrahimi), ``"bias"`` subtracts the
    mean of a uniform sample's (one-sided gaps), ``"linear"`` fits a line to the places of each window (Correa); None is
    Vasicek's own.
    """

    m: int | None = None
    correction: str | None = None
    _parameter_constraints = {**_STEP, "correction": [str, None]}

    def _of_sorted(self, x, n, m):
        if self.correction not in _CORRECTIONS:
            raise ValueError(f"correction={self.correction!r} is unknown; it may be 'ends', 'bias', 'linear' or None")
        return _CORRECTIONS[self.correction](x, n, m)


def _vasicek(x, n, m):
    gaps, kept = _around(x, m)
    return np.mean(np.log(n / (2.0 * m) * gaps[kept]))


def _ebrahimi(x, n, m):
    gaps, kept = _around(x, m)
    place = np.arange(n)
    spanned = np.minimum(np.minimum(1.0 + place / m, 1.0 + (n - 1 - place) / m), 2.0)
    return np.mean(np.log(n * gaps[kept] / (spanned[kept] * m)))


def _bias_corrected(x, n, m):
    return np.mean(np.log((n + 1.0) / m * _ahead(x, m))) - digamma(m) + np.log(m)


def _correa(x, n, m):
    padded = np.concatenate([np.full(m, x[0]), x, np.full(m, x[-1])])
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * m + 1)
    centred = windows - windows.mean(axis=1, keepdims=True)
    spread = np.einsum("ij,ij->i", centred, centred)
    kept = untied(spread, 2 * m, "X")
    slopes = centred[kept] @ np.arange(-m, m + 1.0) / (n * spread[kept])
    return -np.mean(np.log(slopes))


_CORRECTIONS: dict = {None: _vasicek, "ends": _ebrahimi, "bias": _bias_corrected, "linear": _correa}


@registered("renyi_spacing", "Renyi entropy", columns="one", unit="nats")
class SpacingRenyiEntropy(_SpacingEntropy):
    """Renyi's entropy of one column from m-spacings."""

    alpha: float = 0.99
    m: int | None = None
    _parameter_constraints = {**_STEP, "alpha": POSITIVE}

    def _of_sorted(self, x, n, m):
        alpha = order_of(self.alpha)
        gaps, kept = _around(x, m)
        return log_mean_exp((1.0 - alpha) * np.log(n / (2.0 * m) * gaps[kept])) / (1.0 - alpha)


@registered("phi_spacing", "Phi-entropy", columns="one")
class SpacingPhiEntropy(_SpacingEntropy):
    """The mean of ``phi(p(x)) w(x)`` over the law p of one column, from m-spacings; both functions take arrays.

    By default ``phi`` is the square and the weight one.
    """

    phi: Callable | None = None
    weight: Callable | None = None
    m: int | None = None
    _parameter_constraints = {**_STEP, "phi": [callable, None], "weight": [callable, None]}

    def _of_sorted(self, x, n, m):
        gaps = x[m:] - x[:-m]
        kept = untied(gaps, m, "X")
        density = (m / (n + 1.0)) / gaps[kept]
        values = density**2 if self.phi is None else self.phi(density)
        if self.weight is None:
            weights = 1.0
        else:
            weights = 0.5 * (self.weight(x[m:]) + self.weight(x[:-m]))[kept]
        return np.mean(values * weights)
