"""How stably a selection of features comes out alike: Nogueira, Sechidis and Brown's index."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri


class Stability(NamedTuple):
    """An index of stability with its interval."""

    value: float
    """1 where all selections are equal, about 0 where they are drawn at random."""
    low: float
    high: float


def selection_stability(kept, *, level=0.95):
    r"""How much selections of features from like data agree, beyond what chance would have it.

    With :math:`M` selections among :math:`d` features, :math:`\hat p_f` the share that keeps feature :math:`f` and
    :math:`\bar k` the mean number that is kept,

    .. math:: 1 - \frac{\frac{1}{d} \sum_f \frac{M}{M-1} \hat p_f (1 - \hat p_f)}
              {\frac{\bar k}{d} (1 - \frac{\bar k}{d})}

    (Nogueira, Sechidis & Brown, *On the stability of feature selection algorithms*, JMLR 18(174), 2018). Where all
    selections keep equally many features it is the mean of Kuncheva's index over all pairs.

    Parameters
    ----------
    kept : array-like of bool, shape (n_selections, n_features)
        Which features each selection keeps; at least two selections.
    level : float, default=0.95
        Of the interval, which takes the selections for independent; folds share rows, so that it is narrow for them.

    Returns
    -------
    Stability
        NaN throughout where every selection keeps all features, or none: then there is nothing to agree on.

    Examples
    --------
    >>> from treatise.statistics import selection_stability
    >>> selection_stability([[1, 1, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0]]).value
    0.333...
    """
    kept = np.asarray(kept, dtype=float)
    if kept.ndim != 2 or len(kept) < 2:
        raise ValueError(f"kept has shape {kept.shape}; stability needs a matrix of at least two selections")
    m, d = kept.shape
    share, sizes = kept.mean(axis=0), kept.sum(axis=1)
    mean = sizes.mean()
    chance = mean / d * (1.0 - mean / d)
    if not chance > 0:
        return Stability(np.nan, np.nan, np.nan)
    index = 1.0 - m / (m - 1) * np.mean(share * (1.0 - share)) / chance
    # Theorem 8 of that paper: the index is asymptotically normal, with this variance.
    parts = (
        (kept @ share) / d
        - sizes * mean / d**2
        + index / 2.0 * (2.0 * mean * sizes / d**2 - sizes / d - mean / d + 1.0)
    ) / chance
    deviation = np.sqrt(4.0 / m**2 * np.sum((parts - parts.mean()) ** 2))
    half = ndtri(0.5 + level / 2.0) * deviation
    return Stability(float(index), float(index - half), float(min(1.0, index + half)))
