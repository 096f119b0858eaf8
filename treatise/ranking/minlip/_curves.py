"""Survival curves from a utility: monotone regression at each time (Section 5.5)."""

from dataclasses import dataclass

import numpy as np
from sklearn.isotonic import isotonic_regression

from treatise.statistics import kaplan_meier

_MOST_TIMES = 100
_MOST_KNOTS = 256


@dataclass(frozen=True)
class UtilityCurves:
    """Probability of outliving each time, increasing in the utility.

    Attributes
    ----------
    times : ndarray of shape (n_times,)
        At which the curves step down.
    knots : ndarray of shape (n_knots,)
        Utilities, increasing; between them curves are interpolated.
    survival : ndarray of shape (n_times, n_knots)
        The probabilities.
    """

    times: np.ndarray
    knots: np.ndarray
    survival: np.ndarray

    def at(self, utility, times):
        """Probabilities for utilities (rows) at times (columns)."""
        if len(self.knots) == 1:
            curves = np.repeat(self.survival, len(utility), axis=1).T
        else:
            inside = np.clip(utility, self.knots[0], self.knots[-1])
            left = np.clip(np.searchsorted(self.knots, inside, side="right") - 1, 0, len(self.knots) - 2)
            share = (inside - self.knots[left]) / (self.knots[left + 1] - self.knots[left])
            curves = (self.survival[:, left] * (1 - share) + self.survival[:, left + 1] * share).T
        before = np.column_stack([np.ones(len(utility)), curves])
        return before[:, np.searchsorted(self.times, times, side="right")]


def curves_of_utility(utility, lower, upper, weights):
    """Curves from utilities of samples whose outcomes lie between bounds.

    At each time, whether a sample has ended is regressed on its utility, never falling; then no curve rises with time.
    Samples of which it is not known are left out, as in the paper. Where all censoring is on the right, those that are
    left stand for them, with weights of one over the probability of being seen until then; else, as in the paper, they
    do not, and early censoring makes the curves too low.

    Parameters
    ----------
    utility, lower, upper, weights : ndarray of shape (n_samples,)
        Utilities, bounds and positive weights of the samples.

    Returns
    -------
    curves : UtilityCurves
    """
    ends = np.unique(upper[np.isfinite(upper)])
    if len(ends) > _MOST_TIMES:
        ends = np.unique(np.quantile(ends, np.linspace(0, 1, _MOST_TIMES), method="nearest"))
    levels, place = np.unique(utility, return_inverse=True)
    knots = np.unique(np.linspace(0, len(levels) - 1, min(len(levels), _MOST_KNOTS)).round().astype(np.int64))
    at_end, at_times = _seen(lower, upper, ends, weights)
    survival = np.empty((len(ends), len(knots)))
    for k, time in enumerate(ends):
        ended = upper <= time
        alive = np.where(lower < upper, lower >= time, lower > time)
        known = weights * (ended / at_end + alive / at_times[k])
        total = np.bincount(place, known, len(levels))
        lives = np.bincount(place, known * alive, len(levels))
        seen = total > 0
        fitted = isotonic_regression(lives[seen] / total[seen], sample_weight=total[seen])
        survival[k] = np.interp(levels[knots], levels[seen], fitted)
    return UtilityCurves(ends, levels[knots], np.minimum.accumulate(survival, axis=0))


def _seen(lower, upper, times, weights):
    """Probability of not being censored before a sample's end, and until each time; ones if not all on the right."""
    if np.any((lower < upper) & np.isfinite(upper)):
        return np.ones(len(lower)), np.ones(len(times))
    bounds = np.column_stack([lower, upper])
    at_end = kaplan_meier(bounds, np.nextafter(lower, -np.inf), weights=weights, reverse=True)[1]
    at_times = kaplan_meier(bounds, np.nextafter(times, -np.inf), weights=weights, reverse=True)[1]
    # After the last event-free censoring nobody is left to stand for the others, and nobody is asked.
    return np.where(at_end > 0, at_end, 1.0), np.where(at_times > 0, at_times, 1.0)
