"""The covariance of cross-validation errors: three moments, three eigenvalues, and what values they may take.

Throughout, n errors lie in K test blocks of m = n/K; ``sigma2`` is the variance of one error, ``omega`` the
covariance of two in the same block, ``gamma`` the covariance of two in different blocks (Corollary 2).
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class CVEigenvalues:
    """The three distinct eigenvalues of the covariance of cross-validation errors (Lemma 7).

    ``within`` belongs to contrasts inside a block and ``between`` to contrasts of block means; one run
    estimates both without bias. ``total`` belongs to the mean itself, n times whose variance it is; one run
    says nothing of it. With one example a block ``within`` does not occur and is NaN.
    """

    within: float
    between: float
    total: float
    multiplicities: tuple[int, int, int]


def cv_variance(n: int, n_folds: int, sigma2: float, omega: float, gamma: float) -> float:
    r"""Variance of the cross-validation mean from its three moments (Corollary 3, equation 7).

    :math:`\theta = \sigma^2/n + \omega (m-1)/n + \gamma (n-m)/n`. Use it to see what a correlation that the
    naive error bars ignore would do to them. It costs O(1).

    Parameters
    ----------
    n : int
        Number of examples, a multiple of ``n_folds``.
    n_folds : int
        Number of folds K, at least 2.
    sigma2, omega, gamma : float
        Variance of one error; covariance within a block (ignored for leave-one-out); between blocks.

    Examples
    --------
    >>> from treatise.theory import cv_variance
    >>> round(cv_variance(100, 10, sigma2=1.0, omega=0.0, gamma=0.01), 4)
    0.019
    """
    return sum(cv_contributions(n, n_folds, sigma2, omega, gamma))


def cv_contributions(n: int, n_folds: int, sigma2: float, omega: float, gamma: float) -> tuple[float, float, float]:
    """The three terms of equation 7: what each moment adds to the variance of the cross-validation mean."""
    m = _block_size(n, n_folds)
    return sigma2 / n, _weighted(m - 1, omega) / n, (n - m) * gamma / n


def cv_covariance_matrix(n: int, n_folds: int, sigma2: float, omega: float, gamma: float) -> np.ndarray:
    """The n by n covariance matrix of cross-validation errors, blocks one after the other (Figure 2).

    For study and for checks; every quantity of interest follows from the three moments without it.
    Unequal folds are refused: their errors are not identically distributed, so the structure does not hold.
    It costs O(n^2).

    Parameters
    ----------
    n, n_folds, sigma2, omega, gamma
        As in :func:`cv_variance`.

    Examples
    --------
    >>> from treatise.theory import cv_covariance_matrix
    >>> cv_covariance_matrix(4, 2, 1.0, 0.5, 0.25)
    array([[1.  , 0.5 , 0.25, 0.25],
           [0.5 , 1.  , 0.25, 0.25],
           [0.25, 0.25, 1.  , 0.5 ],
           [0.25, 0.25, 0.5 , 1.  ]])
    """
    m = _block_size(n, n_folds)
    block = np.repeat(np.arange(n_folds), m)
    covariance = np.where(block[:, None] == block, omega if m > 1 else sigma2, gamma)
    np.fill_diagonal(covariance, sigma2)
    return covariance


def cv_eigenvalues(n: int, n_folds: int, sigma2: float, omega: float, gamma: float) -> CVEigenvalues:
    """Eigenvalues of the covariance of cross-validation errors, with their multiplicities (Lemma 7).

    They tell why the variance of the mean cannot be estimated: the errors give n - K contrasts for the
    first eigenvalue, K - 1 for the second and a single number for the third. It costs O(1).

    Parameters
    ----------
    n, n_folds, sigma2, omega, gamma
        As in :func:`cv_variance`.

    Examples
    --------
    >>> from treatise.theory import cv_eigenvalues
    >>> cv_eigenvalues(4, 2, 1.0, 0.5, 0.25)
    CVEigenvalues(within=0.5, between=1.0, total=2.0, multiplicities=(2, 1, 1))
    """
    m = _block_size(n, n_folds)
    block = sigma2 + _weighted(m - 1, omega)
    return CVEigenvalues(
        within=sigma2 - omega if m > 1 else np.nan,
        between=block - m * gamma,
        total=block + (n - m) * gamma,
        multiplicities=(n - n_folds, n_folds - 1, 1),
    )


def feasible_gamma(n: int, n_folds: int, sigma2: float, omega: float) -> tuple[float, float]:
    """Least and greatest covariance between blocks that the other two moments allow (Lemma 8).

    The paper's message is how wide this is: for two folds the variance of the mean may be anything from
    zero to twice what independent blocks would give. It costs O(1).

    Parameters
    ----------
    n, n_folds : int
        As in :func:`cv_variance`.
    sigma2 : float
        Variance of one error, not negative.
    omega : float
        Covariance within a block, between 0 and ``sigma2`` (ignored for leave-one-out).

    Examples
    --------
    >>> from treatise.theory import feasible_gamma
    >>> feasible_gamma(200, 2, sigma2=1.0, omega=1.0)
    (-1.0, 1.0)
    """
    m = _block_size(n, n_folds)
    if sigma2 < 0:
        raise ValueError(f"sigma2={sigma2} is a variance; it must not be negative")
    if m > 1 and not 0 <= omega <= sigma2:
        raise ValueError(f"omega={omega} is not feasible; it must lie between 0 and sigma2={sigma2}")
    block = sigma2 + _weighted(m - 1, omega)
    return -block / (n - m), block / m


def _block_size(n: int, n_folds: int) -> int:
    if n_folds < 2:
        raise ValueError(f"n_folds={n_folds} is too few; cross-validation needs at least 2 folds")
    if n < n_folds or n % n_folds:
        raise ValueError(f"n={n} does not split into n_folds={n_folds} folds of equal size; choose a multiple")
    return n // n_folds


def _weighted(weight: int, omega: float) -> float:
    """``weight * omega``, which is nothing for leave-one-out, where omega is not defined."""
    return weight * omega if weight else 0.0
