"""Probability product kernels of counts, rates and gammas (Jebara, Kondor & Howard, JMLR 5:819, section 3)."""

from numbers import Integral

import numpy as np
from scipy.special import digamma, gammaln, i0e, polygamma
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.extmath import safe_sparse_dot

from treatise.kernels.products.base import (
    Models,
    ProbabilityProductKernel,
    check_not_negative,
    check_same_space,
    is_table,
    observation_means,
    observation_sets,
)


class BernoulliProductKernel(ProbabilityProductKernel):
    """Kernel of independent binary variables: the product over d of ``(g g')**rho + ((1-g) (1-g'))**rho``.

    Use it for sets of binary vectors, or for rows of probabilities. Not for single binary vectors, of which any two
    that differ have kernel zero unless ``smoothing`` is given. Cost n m D for n and m objects of D variables.

    Parameters
    ----------
    rho : float, default=0.5
        Power of the probabilities.
    smoothing : float, default=0.0
        Number of imagined ones and of imagined zeros added to each variable of a set (the mean of a Beta posterior);
        0 is maximum likelihood. Rows of a table are probabilities already and are taken as they are.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernels import BernoulliProductKernel
    >>> BernoulliProductKernel(rho=1.0)(np.array([[0.2, 0.7], [0.5, 0.1]])).round(4)
    array([[0.3944, 0.17  ],
           [0.17  , 0.41  ]])

    References
    ----------
    .. [1] Paper v05-0819, section 3.2.
    """

    def __init__(self, *, rho=0.5, smoothing=0.0):
        self.rho = rho
        self.smoothing = smoothing

    def prepare(self, X):
        self._check_rho()
        check_not_negative(self, "smoothing")
        if not is_table(X):
            sets = observation_sets(X)
            probabilities = np.array(
                [(each.sum(axis=0) + self.smoothing) / (len(each) + 2 * self.smoothing) for each in sets]
            )
        else:
            means = observation_means(X)
            probabilities = means.toarray() if hasattr(means, "toarray") else means
        _refuse(probabilities, (probabilities >= 0) & (probabilities <= 1), "a probability lies between 0 and 1")
        return probabilities

    def log_block(self, A, B):
        check_same_space(A.shape[1], B.shape[1])
        logs = np.zeros((len(A), len(B)))
        ones, zeros = (A**self.rho, B**self.rho), ((1 - A) ** self.rho, (1 - B) ** self.rho)
        with np.errstate(divide="ignore"):
            for d in range(A.shape[1]):
                logs += np.log(np.outer(ones[0][:, d], ones[1][:, d]) + np.outer(zeros[0][:, d], zeros[1][:, d]))
        return logs

    def log_diagonal(self, A):
        return np.log(A ** (2 * self.rho) + (1 - A) ** (2 * self.rho)).sum(axis=1)


class MultinomialProductKernel(ProbabilityProductKernel):
    """Kernel of bags of counts: ``(sum_d (a_d a'_d)**rho)**draws`` between their frequencies a, a' (equation 6).

    With ``rho=0.5`` and one draw it is the scalar product of the square roots of word frequencies, the first kernel to
    try on text; the lengths of the documents do not matter. Sparse tables stay sparse: the cost is one sparse product.

    Parameters
    ----------
    rho : float, default=0.5
        Power of the frequencies.
    draws : int, default=1
        Number of draws of the multinomial, a polynomial degree; above one only for ``rho=0.5``, where the sum over all
        tables of counts has a closed form.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernels import MultinomialProductKernel
    >>> MultinomialProductKernel()(np.array([[3, 1, 0], [1, 1, 2]])).round(4)
    array([[1.   , 0.683],
           [0.683, 1.   ]])

    References
    ----------
    .. [1] Paper v05-0819, section 3.3.
    """

    def __init__(self, *, rho=0.5, draws=1):
        self.rho = rho
        self.draws = draws

    def prepare(self, X):
        self._check_rho()
        if not isinstance(self.draws, Integral) or self.draws < 1:
            raise ValueError(f"draws={self.draws!r} must be a positive integer")
        if self.draws > 1 and self.rho != 0.5:
            raise ValueError(f"draws={self.draws} with rho={self.rho:g} has no closed form; use rho=0.5 or draws=1")
        counts = observation_means(X)
        values = counts.data if hasattr(counts, "toarray") else counts
        if values.size and values.min() < 0:
            raise ValueError(f"a count of {values.min():g} is negative; counts must be zero or more")
        totals = np.asarray(counts.sum(axis=1)).ravel()
        if not totals.all():
            raise ValueError(f"object {np.argmin(totals)} has no counts, hence no frequencies; leave such objects out")
        if hasattr(counts, "toarray"):
            powered = counts.copy()
            powered.data = (powered.data / np.repeat(totals, np.diff(powered.indptr))) ** self.rho
            return powered
        return (counts / totals[:, np.newaxis]) ** self.rho

    def block(self, A, B):
        products = _scalar_products(A, B)
        return products if self.draws == 1 else products**self.draws

    def log_block(self, A, B):
        # Not the logarithm of the block, where many draws of unlike bags vanish.
        with np.errstate(divide="ignore"):
            return self.draws * np.log(_scalar_products(A, B))

    def log_diagonal(self, A):
        squares = A.multiply(A) if hasattr(A, "toarray") else A * A
        return self.draws * np.log(np.asarray(squares.sum(axis=1)).ravel())


def _scalar_products(A, B):
    check_same_space(A.shape[1], B.shape[1])
    return np.asarray(safe_sparse_dot(A, B.T, dense_output=True))


class PoissonProductKernel(ProbabilityProductKernel):
    """Kernel of independent Poisson counts, given by their rates or by sets of counts.

    For ``rho=0.5`` it is ``exp(-||sqrt(l) - sqrt(l')||^2 / 2)``; for ``rho=1`` the sum over all counts is a Bessel
    function. Unlike :class:`MultinomialProductKernel` it minds the totals. Other powers have no closed
    form. Cost n m D.

    Parameters
    ----------
    rho : {0.5, 1.0}, default=0.5
        Power of the probabilities.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernels import PoissonProductKernel
    >>> PoissonProductKernel()(np.array([[3.0], [5.0]])).round(4)
    array([[1.    , 0.8807],
           [0.8807, 1.    ]])

    References
    ----------
    .. [1] Paper v05-0819, section 3 and Table 1.
    """

    def __init__(self, *, rho=0.5):
        self.rho = rho

    def prepare(self, X):
        self._check_rho()
        if self.rho not in (0.5, 1):
            raise ValueError(f"rho={self.rho:g} has no closed form for Poisson counts; it may be 0.5 or 1")
        rates = observation_means(X)
        rates = rates.toarray() if hasattr(rates, "toarray") else rates
        _refuse(rates, rates >= 0, "a rate must not be negative")
        return np.sqrt(rates)

    def log_block(self, A, B):
        check_same_space(A.shape[1], B.shape[1])
        logs = -self.rho * euclidean_distances(A, B, squared=True)
        if self.rho == 1:
            # sum_x (l l')^x / x!^2 = I_0(2 sqrt(l l')), taken scaled by its exponential.
            for d in range(A.shape[1]):
                logs += np.log(i0e(2 * np.outer(A[:, d], B[:, d])))
        return logs

    def log_diagonal(self, A):
        return np.log(i0e(2 * A * A)).sum(axis=1) if self.rho == 1 else np.zeros(len(A))


class Gammas(Models):
    """Gamma distributions, independent over dimensions.

    Parameters
    ----------
    shapes, scales : array of shape (n_models, n_dimensions)
        Parameters alpha and beta of the density ``x**(alpha-1) exp(-x/beta) / (Gamma(alpha) beta**alpha)``.
    """

    def __init__(self, shapes, scales):
        shapes, scales = (np.asarray(each, np.float64) for each in (shapes, scales))
        if shapes.ndim != 2 or shapes.shape != scales.shape:
            raise ValueError(f"shapes {shapes.shape} and scales {scales.shape} must be tables of the same size")
        _refuse(shapes, shapes > 0, "a gamma shape is positive")
        _refuse(scales, scales > 0, "a gamma scale is positive")
        super().__init__(shapes, scales)


class GammaProductKernel(ProbabilityProductKernel):
    """Kernel of gamma distributions fitted to sets of positive numbers, each dimension by itself.

    Use it for durations and sizes whose spread matters as well as their mean. An object needs observations that
    differ; for ``rho > 0.5`` also a shape above ``1 - 1 / (2 rho)``, else the kernel is infinite. Cost n m D.

    Parameters
    ----------
    rho : float, default=0.5
        Power of the densities.

    Examples
    --------
    >>> from treatise.kernels import GammaProductKernel, Gammas
    >>> GammaProductKernel(rho=1.0)(Gammas([[2.0], [3.0]], [[1.0], [2.0]])).round(4)
    array([[0.25  , 0.0741],
           [0.0741, 0.0938]])

    References
    ----------
    .. [1] Paper v05-0819, section 3.4; the exponent of the joint scale there is the joint shape.
    """

    def __init__(self, *, rho=0.5):
        self.rho = rho

    def prepare(self, X):
        self._check_rho()
        models = X if isinstance(X, Gammas) else Gammas(*_fitted_gammas(observation_sets(X)))
        shapes = models.parameters[0]
        if not (2 * self.rho * (shapes - 1) + 1 > 0).all():
            raise ValueError(
                f"a gamma of shape {shapes.min():g} to the power {2 * self.rho:g} has an infinite integral; "
                f"use rho below {1 / (2 * (1 - shapes.min())):g}"
            )
        return models

    def log_block(self, A, B):
        check_same_space(A.parameters[0].shape[1], B.parameters[0].shape[1])
        logs = np.zeros((len(A), len(B)))
        for (a, b), (c, e) in zip(_columns(A), _columns(B)):
            shape = self.rho * np.add.outer(a - 1, c - 1) + 1
            rate = self.rho * np.add.outer(1 / b, 1 / e)
            logs += gammaln(shape) - shape * np.log(rate)
            logs -= self.rho * np.add.outer(gammaln(a) + a * np.log(b), gammaln(c) + c * np.log(e))
        return logs


class ExponentialProductKernel(ProbabilityProductKernel):
    """Kernel of exponential distributions, given by their means or by sets of positive numbers: waiting times.

    Per dimension ``1 / ((b b')**rho rho (1/b + 1/b'))``. Use :class:`GammaProductKernel` where the spread is not that
    of a memoryless wait. Cost n m D.

    Parameters
    ----------
    rho : float, default=0.5
        Power of the densities.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernels import ExponentialProductKernel
    >>> ExponentialProductKernel()(np.array([[1.0], [2.0]])).round(4)
    array([[1.    , 0.9428],
           [0.9428, 1.    ]])

    References
    ----------
    .. [1] Paper v05-0819, section 3.4, which prints the reciprocal.
    """

    def __init__(self, *, rho=0.5):
        self.rho = rho

    def prepare(self, X):
        self._check_rho()
        scales = observation_means(X)
        scales = scales.toarray() if hasattr(scales, "toarray") else scales
        _refuse(scales, scales > 0, "the mean of an exponential distribution is positive")
        return scales

    def log_block(self, A, B):
        check_same_space(A.shape[1], B.shape[1])
        logs = -self.rho * np.add.outer(np.log(A).sum(axis=1), np.log(B).sum(axis=1))
        for d in range(A.shape[1]):
            logs -= np.log(self.rho * np.add.outer(1 / A[:, d], 1 / B[:, d]))
        return logs


def _columns(models):
    shapes, scales = models.parameters
    return zip(shapes.T, scales.T)


def _fitted_gammas(sets):
    """Maximum likelihood by Newton steps on the shape, from the usual closed-form start."""
    for number, each in enumerate(sets):
        if each.min() <= 0:
            raise ValueError(f"object {number} holds {each.min():g}; a gamma distribution is of positive numbers")
    means = np.array([each.mean(axis=0) for each in sets])
    spread = np.log(means) - np.array([np.log(each).mean(axis=0) for each in sets])
    _refuse(
        spread, spread > 1e-12, "a gamma distribution needs observations that differ; their spread on the log scale"
    )
    shapes = (3 - spread + np.sqrt((spread - 3) ** 2 + 24 * spread)) / (12 * spread)
    for _ in range(8):
        # In the logarithm of the shape the iterate stays positive.
        slope = 1 / shapes - polygamma(1, shapes)
        shapes = shapes * np.exp(-(np.log(shapes) - digamma(shapes) - spread) / (slope * shapes))
    return shapes, means / shapes


def _refuse(values, good, rule):
    if not good.all():
        raise ValueError(f"{rule}, got {values[~good][0]:g} for object {np.argwhere(~good)[0][0]}")
