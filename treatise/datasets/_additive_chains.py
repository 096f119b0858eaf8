"""Labelled chains of numbers with curved features (after Ravikumar 2007, sections 11.5.1 and 11.5.2)."""

from collections.abc import Callable

import numpy as np
from sklearn.utils import check_random_state

from treatise.inference import Chains

_STAY = 0.75

ADDITIVE_CURVES: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
    lambda x: 2 * np.sin(2 * x),
    lambda x: x**2 - 4 / 3,
)
"""The curves of :func:`make_additive_chain`; both average to zero between -2 and 2."""


def make_interleaved_emissions(length: int = 500, *, random_state: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """One sequence of a hidden Markov chain of two states that show interleaved values.

    A state is kept with probability 0.75. State 0 shows numbers near -3 and 1, state 1 near -1 and 3, either with
    probability one half and a standard deviation of 0.5. The thesis draws such mixtures but does not print their
    parameters.

    Parameters
    ----------
    length : int
        Positions.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    x : ndarray of shape (length, 1)
        What is shown.
    y : ndarray of shape (length,)
        The states.

    Examples
    --------
    >>> from treatise.datasets import make_interleaved_emissions
    >>> x, y = make_interleaved_emissions(6, random_state=0)
    >>> x.shape, y.shape
    ((6, 1), (6,))
    """
    random = check_random_state(random_state)
    y = (random.randint(2) + np.cumsum(random.uniform(size=length) > _STAY)) % 2
    centres = np.array([[-3.0, 1.0], [-1.0, 3.0]])[y, random.randint(2, size=length)]
    return (centres + 0.5 * random.normal(size=length))[:, np.newaxis], y


def make_additive_chain(length: int = 5000, *, random_state: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """One sequence of labels drawn from an additive conditional random field with known curves.

    Two columns are uniform between -2 and 2; label 1 scores the sum of :data:`ADDITIVE_CURVES` there, and a label that
    stays is three times as likely as one that changes. The thesis shows two such curves without their formulas.

    Parameters
    ----------
    length : int
        Positions.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    x : ndarray of shape (length, 2)
        The columns.
    y : ndarray of shape (length,)
        The labels, 0 or 1.

    Examples
    --------
    >>> from treatise.datasets import make_additive_chain
    >>> x, y = make_additive_chain(6, random_state=0)
    >>> x.shape, y.shape
    ((6, 2), (6,))
    """
    random = check_random_state(random_state)
    x = random.uniform(-2, 2, (length, len(ADDITIVE_CURVES)))
    score = sum(curve(column) for curve, column in zip(ADDITIVE_CURVES, x.T))
    stay = np.log(_STAY / (1 - _STAY)) * np.eye(2)
    chain = Chains(np.column_stack([np.zeros(length), score]), stay)
    return x, chain.sample(random_state=random)[0]
