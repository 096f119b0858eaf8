"""When sparse regressions can find a binary graph at all: incoherence of its Fisher information."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from treatise.graphical._two_values import zeros_and_ones


@dataclass(frozen=True)
class IncoherenceReport:
    """What :func:`incoherence_report` found, one value per column.

    Attributes
    ----------
    incoherence : ndarray of shape (p,)
        Largest row sum of ``|Q_rest,N inv(Q_N,N)|``: below 1 the neighbours stand out from the rest, and the smaller
        the fewer rows are needed. 0 where a column has no neighbours.
    smallest_eigenvalue : ndarray of shape (p,)
        Of the information about the neighbours' weights: near 0 the neighbours repeat each other.
    largest_eigenvalue : ndarray of shape (p,)
        Of the second moments of all other columns.
    """

    incoherence: np.ndarray
    smallest_eigenvalue: np.ndarray
    largest_eigenvalue: np.ndarray


def incoherence_report(X, fields, couplings):
    """How well the neighbours of every column can be told from the rest, from rows and a binary field.

    Use it on a model that was found or assumed: where the incoherence of a column is near or above 1, no penalty
    finds its neighbours reliably, however many rows there are.

    Parameters
    ----------
    X : array-like of shape (n_samples, p)
        Zeros and ones.
    fields : array-like of shape (p,)
        Fields of the model.
    couplings : array-like of shape (p, p)
        Symmetric couplings; its non-zeros are the graph.

    Returns
    -------
    report : IncoherenceReport

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import incoherence_report, sample_ising
    >>> fields, couplings = np.zeros(3), np.array([[0, 1.0, 0], [1.0, 0, 0], [0, 0, 0]])
    >>> X = sample_ising(fields, couplings, 5000, random_state=0)
    >>> incoherence_report(X, fields, couplings).incoherence.round(1)
    array([0., 0., 0.])

    References
    ----------
    .. [1] Paper thesis-ravikumar, chapter 9, assumptions of its theorem.
    """
    fields, couplings = np.asarray(fields, dtype=np.float64), np.asarray(couplings, dtype=np.float64)
    X = zeros_and_ones(X, couplings, "couplings")
    n, p = X.shape
    incoherence, smallest, largest = np.zeros(p), np.full(p, np.nan), np.zeros(p)
    centred = X - X.mean(axis=0)
    for s in range(p):
        chance = expit(X @ couplings[s] + fields[s])
        weight = chance * (1 - chance)
        # The intercept is not penalised, so that it takes part through weighted means only.
        rows = X - (weight @ X) / weight.sum()
        Q = (rows * weight[:, None]).T @ rows / n
        near = np.flatnonzero(couplings[s])
        near = near[near != s]
        rest = np.setdiff1d(np.arange(p), np.append(near, s))
        others = np.setdiff1d(np.arange(p), [s])
        if len(others):
            largest[s] = np.linalg.eigvalsh(centred[:, others].T @ centred[:, others] / n)[-1]
        if len(near):
            smallest[s] = np.linalg.eigvalsh(Q[np.ix_(near, near)])[0]
            if len(rest):
                influence = np.linalg.lstsq(Q[np.ix_(near, near)], Q[np.ix_(near, rest)], rcond=None)[0]
                incoherence[s] = np.abs(influence).sum(axis=0).max()
    return IncoherenceReport(incoherence, smallest, largest)
