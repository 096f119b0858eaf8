"""Chebyshev bounds: what given moments say about an event (chapter 7 of the thesis)."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog


@dataclass(frozen=True)
class ChebyshevBound:
    """The range of an event's probability over all distributions with given moments.

    Attributes
    ----------
    lower, upper : float
        Smallest and largest probability.
    multipliers : ndarray of shape (n_functions,)
        The lambda of the upper bound: ``lambda'f(x) + offset`` is at least the event's indicator for every x.
    offset : float
        The u of the upper bound; ``upper = lambda'moments + offset``.
    """

    lower: float
    upper: float
    multipliers: np.ndarray
    offset: float


def chebyshev_bound(functions, moments, event):
    """Sharp bounds on the probability of an event from the expectations of some functions.

    Nothing is assumed about the distribution but the moments: a linear program over the outcomes (HiGHS), whose answer
    cannot be improved without knowing more. The bounds of Markov, Chebyshev and Cantelli are special cases on a grid.
    Costs a linear program with a variable for each outcome; up to about a million of them.

    Parameters
    ----------
    functions : array-like of shape (n_functions, n_outcomes)
        Value of each function at each outcome.
    moments : array-like of shape (n_functions,)
        Expectation of each.
    event : array-like of bool of shape (n_outcomes,)
        Outcomes that belong to the event.

    Returns
    -------
    bound : ChebyshevBound

    Raises
    ------
    ValueError
        If no distribution has these moments.

    Examples
    --------
    A number from 0 to 10 with mean 2 is at least 8 with probability at most a quarter (Markov):

    >>> import numpy as np
    >>> from treatise.graphical import chebyshev_bound
    >>> x = np.arange(11)
    >>> bound = chebyshev_bound([x], [2.0], x >= 8)
    >>> round(bound.lower, 6), round(bound.upper, 6)
    (0.0, 0.25)

    References
    ----------
    .. [1] Thesis thesis-ravikumar, equations 7.4-7.10.
    """
    functions = np.atleast_2d(np.asarray(functions, np.float64))
    moments = np.atleast_1d(np.asarray(moments, np.float64))
    event = np.asarray(event)
    if event.dtype != bool or event.ndim != 1 or len(event) == 0:
        raise ValueError(f"event must be a mask of booleans, one for each outcome; it is {event.dtype} {event.shape}")
    if functions.shape != (len(moments), len(event)):
        raise ValueError(f"functions must have the shape {(len(moments), len(event))}, moments by outcomes; "
                         f"it has {functions.shape}")  # fmt: skip
    if not (np.all(np.isfinite(functions)) and np.all(np.isfinite(moments))):
        raise ValueError("functions and moments must be finite")
    upper, multipliers, offset = _largest(functions, moments, event)
    above, _, _ = _largest(functions, moments, ~event)
    return ChebyshevBound(max(0.0, 1.0 - above), min(max(upper, 0.0), 1.0), multipliers, offset)


def _largest(functions, moments, event):
    """Largest probability of the event, by equations 7.7-7.10, and the multipliers that prove it."""
    equalities = np.vstack([functions, np.ones(len(event))])
    found = linprog(-event.astype(float), A_eq=equalities, b_eq=np.append(moments, 1.0), bounds=(0, None))
    if not found.success:
        raise ValueError(f"no distribution on these outcomes has the moments {moments.tolist()} ({found.message})")
    multipliers = -np.asarray(found.eqlin.marginals)[:-1]
    # Equation 7.6: whatever the multipliers, this offset makes the bound hold.
    offset = float(np.max(event - multipliers @ functions))
    return float(multipliers @ moments + offset), multipliers, offset
