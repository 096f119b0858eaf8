"""Local cumulative distributions, the functions of a cumulative distribution network."""

from abc import ABC, abstractmethod
from math import factorial

import numpy as np
from scipy.special import expit, ndtr

from treatise.statistics import bivariate_normal_cdf, trivariate_normal_cdf

_ROOT_OF_TWO_PI = np.sqrt(2.0 * np.pi)


class CDFFactor(ABC):
    """A cumulative distribution of a few variables, with its mixed derivatives.

    A family writes :meth:`mixed_derivative` and :meth:`sample`, and :meth:`parameters` with :meth:`with_parameters`
    where it can be fitted.

    Parameters
    ----------
    variables : sequence
        Names of the variables, one for each argument.
    """

    ordinal = False
    """Whether the variables are the numbers 0, 1, 2, ... of ordered values."""
    n_values: tuple[int, ...] = ()
    """For ordinal variables, how many values each has."""

    def __init__(self, variables):
        self.variables = tuple(variables)
        if len(set(self.variables)) < len(self.variables) or not self.variables:
            raise ValueError(f"the variables of a function must differ; they are {self.variables}")

    @abstractmethod
    def mixed_derivative(self, x, subset):
        """Derivative with respect to the arguments in ``subset``, at the rows of x (n, k), which may hold +inf."""

    @abstractmethod
    def sample(self, n, generator):
        """``n`` draws, of shape (n, k)."""

    def value(self, x):
        """The distribution itself."""
        return self.mixed_derivative(x, ())

    def parameters(self):
        """Parameters as a vector of numbers without bounds; empty where nothing can be fitted."""
        return np.zeros(0)

    def with_parameters(self, parameters):
        """The same function with other parameters."""
        return self


class GaussianCDF(CDFFactor):
    """Distribution of one, two or three normal variables.

    Of three, a value that is not differentiated costs one numerical integral for all rows together, with an absolute
    error of about 1e-13; all else is in closed form or as exact as the bivariate distribution.

    Parameters
    ----------
    variables : sequence
        One to three names.
    mean : array-like of shape (k,)
        Means.
    covariance : array-like of shape (k, k)
        Positive definite.

    Examples
    --------
    >>> from treatise.graphical import CumulativeDistributionNetwork, GaussianCDF
    >>> pair = CumulativeDistributionNetwork([GaussianCDF("xy", [0, 0], [[1.0, 0.5], [0.5, 1.0]])])
    >>> pair.cdf([[0.0, 0.0]]).round(4)
    array([0.3333])

    References
    ----------
    .. [1] Paper v12-0301, Example 1 and section 4.2.
    """

    def __init__(self, variables, mean, covariance):
        super().__init__(variables)
        self.mean = np.asarray(mean, np.float64)
        self.covariance = np.asarray(covariance, np.float64)
        k = len(self.variables)
        if k > 3 or self.mean.shape != (k,) or self.covariance.shape != (k, k):
            raise ValueError(
                f"a Gaussian function has one to three variables, with means and covariances; it has {k} variables and "
                f"shapes {self.mean.shape} and {self.covariance.shape}"
            )
        finite = np.all(np.isfinite(self.mean)) and np.all(np.isfinite(self.covariance))
        if not finite or not np.allclose(self.covariance, self.covariance.T, rtol=1e-9, atol=0.0):
            raise ValueError("the mean and covariance of a Gaussian function must be finite, and the latter symmetric")
        if np.any(np.linalg.eigvalsh(self.covariance) <= 0):
            raise ValueError("the covariance of a Gaussian function must be positive definite")
        self._sd = np.sqrt(np.diagonal(self.covariance))
        self._correlation = self.covariance / np.outer(self._sd, self._sd)

    def mixed_derivative(self, x, subset):
        # One argument after another: its density given those before, then the distribution of the rest given it.
        z = list(((x - self.mean) / self._sd).T)
        scale, correlation = self._sd.tolist(), self._correlation
        value = 1.0
        for a in subset:
            value = value * np.exp(-0.5 * z[a] * z[a]) / (_ROOT_OF_TWO_PI * scale[a])
            # The density at infinity is zero already, whatever the other arguments do.
            seen = np.where(np.isinf(z[a]), 0.0, z[a])
            others = [b for b in range(len(z)) if b != a and correlation[a, b] != 0]
            for b in others:
                root = np.sqrt(1.0 - correlation[a, b] ** 2)
                z[b], scale[b] = (z[b] - correlation[a, b] * seen) / root, scale[b] * root
            correlation = _partial_correlation(correlation, a)
        rest = [b for b in range(len(z)) if b not in subset]
        return value * _standard_cdf([z[b] for b in rest], correlation[np.ix_(rest, rest)])

    def sample(self, n, generator):
        return generator.multivariate_normal(self.mean, self.covariance, size=n)

    def parameters(self):
        # Correlations with the first variable, then of the rest given it: any such numbers make a covariance.
        R = self._correlation
        free = [*R[0, 1:], *([_partial_correlation(R, 0)[1, 2]] if len(R) == 3 else [])]
        return np.concatenate([self.mean, np.log(self._sd), np.arctanh(free)])

    def with_parameters(self, parameters):
        k = len(self.variables)
        sd = np.exp(np.clip(parameters[k : 2 * k], -20, 20))
        free = np.clip(np.tanh(parameters[2 * k :]), -0.999999, 0.999999)
        R = np.eye(k)
        R[0, 1:] = R[1:, 0] = free[: k - 1]
        if k == 3:
            R[1, 2] = R[2, 1] = R[0, 1] * R[0, 2] + free[2] * np.sqrt((1.0 - R[0, 1] ** 2) * (1.0 - R[0, 2] ** 2))
        return GaussianCDF(self.variables, parameters[:k], R * np.outer(sd, sd))


def _partial_correlation(correlation, a):
    """Correlations of the other variables given variable ``a``, which then goes with none."""
    own = correlation[a].copy()
    own[a] = 0.0
    root = np.sqrt(1.0 - own**2)
    rest = (correlation - np.outer(own, own)) / np.outer(root, root)
    rest[a] = rest[:, a] = 0.0
    rest[a, a] = 1.0
    return rest


def _standard_cdf(ends, correlation):
    """Probability that so many standard normal variables, none to three, lie below their ends."""
    if len(ends) == 0:
        return 1.0
    if len(ends) == 1:
        return ndtr(ends[0])
    if len(ends) == 2:
        return bivariate_normal_cdf(*ends, correlation[0, 1])
    return trivariate_normal_cdf(*ends, correlation)


class SigmoidCDF(CDFFactor):
    """``1 / (1 + sum_i exp(-w_i x_i))``, a logistic distribution of any number of variables.

    Parameters
    ----------
    variables : sequence
        Names.
    weights : array-like of shape (k,)
        Slopes, positive.

    Examples
    --------
    >>> from treatise.graphical import CumulativeDistributionNetwork, SigmoidCDF
    >>> CumulativeDistributionNetwork([SigmoidCDF("xy", [1.0, 2.0])]).cdf([[0.0, 0.0]]).round(4)
    array([0.3333])

    References
    ----------
    .. [1] Paper v12-0301, Example 3.
    """

    def __init__(self, variables, weights):
        super().__init__(variables)
        self.weights = np.asarray(weights, np.float64)
        positive = np.all((self.weights > 0) & np.isfinite(self.weights))
        if self.weights.shape != (len(self.variables),) or not positive:
            raise ValueError(f"a sigmoid function needs a positive weight for each variable; it has {self.weights}")

    def mixed_derivative(self, x, subset):
        # |B|! prod_B w_i e_i / (1 + sum e)^(|B| + 1) with e_i = exp(-w_i x_i), all in units of the largest of 1 and e.
        logs = -self.weights * x
        largest = np.maximum(logs.max(axis=1), 0.0)
        below_all = np.isposinf(largest)
        largest[below_all] = 0.0
        logs -= largest[:, None]
        logs[below_all] = 0.0
        terms = np.exp(logs, out=logs)
        unit = np.exp(-largest)
        total = terms.sum(axis=1) + unit
        value = factorial(len(subset)) * unit / total
        for a in subset:
            value *= self.weights[a] * terms[:, a] / total
        value[below_all] = 0.0
        return value

    def sample(self, n, generator):
        # Given an exponential variable E, exp(-w_i X_i) are E_i / E with independent exponentials: the survival
        # function of that ratio is this distribution.
        shared = generator.exponential(size=(n, 1))
        own = generator.exponential(size=(n, len(self.weights)))
        return -np.log(own / shared) / self.weights

    def parameters(self):
        return np.log(self.weights)

    def with_parameters(self, parameters):
        return SigmoidCDF(self.variables, np.exp(np.clip(parameters, -20, 20)))


class GumbelCopulaCDF(CDFFactor):
    """Two variables with given distributions, joined by Gumbel's copula.

    ``exp(-[(-log H1)^(1/theta) + (-log H2)^(1/theta)]^theta)``: independent at ``theta=1``, more alike towards 0.

    Parameters
    ----------
    variables : sequence of two names
        Names.
    marginals : sequence of two frozen SciPy distributions
        H1 and H2.
    theta : float
        Between 0 and 1, the first excluded: one over the parameter that most packages use.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> from treatise.graphical import CumulativeDistributionNetwork, GumbelCopulaCDF
    >>> pair = CumulativeDistributionNetwork([GumbelCopulaCDF("xy", [norm(), norm()], 0.5)])
    >>> pair.cdf([[0.0, 0.0]]).round(4)
    array([0.3752])

    References
    ----------
    .. [1] Paper v12-0301, Example 2.
    """

    def __init__(self, variables, marginals, theta):
        super().__init__(variables)
        self.marginals = tuple(marginals)
        self.theta = float(theta)
        if len(self.variables) != 2 or len(self.marginals) != 2 or not 0 < self.theta <= 1:
            raise ValueError(f"Gumbel's copula joins two variables with 0 < theta <= 1; it has theta={theta}")

    def mixed_derivative(self, x, subset):
        u = np.column_stack([marginal.cdf(x[:, a]) for a, marginal in enumerate(self.marginals)])
        t = -np.log(np.clip(u, 1e-300, 1.0 - 1e-16))
        p, q = 1.0 / self.theta, self.theta
        total = (t**p).sum(axis=1)
        value = np.exp(-(total**q))
        value = np.where(u.min(axis=1) <= 0, 0.0, value)
        if not subset:
            return np.where(u.min(axis=1) >= 1, 1.0, value)
        density = np.column_stack([marginal.pdf(x[:, a]) for a, marginal in enumerate(self.marginals)])
        # Derivative of t_a^(1/theta) in x_a.
        inner = -p * t ** (p - 1.0) * density / np.maximum(u, 1e-300)
        if len(subset) == 1:
            return -value * q * total ** (q - 1.0) * inner[:, subset[0]]
        second = (q * total ** (q - 1.0)) ** 2 - q * (q - 1.0) * total ** (q - 2.0)
        return value * second * inner[:, 0] * inner[:, 1]

    def sample(self, n, generator):
        # Frailty: a positive stable variable of index theta (Chambers, Mallows and Stuck's formula).
        angle = generator.uniform(0.0, np.pi, n)
        waiting = generator.exponential(size=n)
        q = self.theta
        if q < 1:
            stable = (np.sin(q * angle) / np.sin(angle) ** (1 / q)) * (np.sin((1 - q) * angle) / waiting) ** (
                (1 - q) / q
            )
        else:
            stable = np.ones(n)
        uniform = np.exp(-((generator.exponential(size=(n, 2)) / stable[:, None]) ** q))
        return np.column_stack([marginal.ppf(uniform[:, a]) for a, marginal in enumerate(self.marginals)])

    def parameters(self):
        return np.array([np.log(self.theta / (1.0 - self.theta + 1e-12))])

    def with_parameters(self, parameters):
        return GumbelCopulaCDF(self.variables, self.marginals, float(np.clip(expit(parameters[0]), 1e-3, 1.0)))


class TabularCDF(CDFFactor):
    """Distribution of ordinal variables, given by its table.

    Parameters
    ----------
    variables : sequence
        Names.
    table : array-like of shape (K_1, ..., K_k)
        ``P(X_1 <= i_1, ..., X_k <= i_k)``; the last entry is 1.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.graphical import CumulativeDistributionNetwork, TabularCDF
    >>> grades = CumulativeDistributionNetwork([TabularCDF("ab", [[0.3, 0.4], [0.5, 1.0]])])
    >>> np.exp(grades.logpdf([[1, 1]])).round(4)
    array([0.4])

    References
    ----------
    .. [1] Paper v12-0301, Table 1.
    """

    ordinal = True

    def __init__(self, variables, table):
        super().__init__(variables)
        self.table = np.asarray(table, np.float64)
        if self.table.ndim != len(self.variables):
            raise ValueError(f"a table of {self.table.ndim} axes cannot hold {len(self.variables)} variables")
        masses = self.table
        for axis in range(self.table.ndim):
            masses = np.diff(masses, axis=axis, prepend=0.0)
        if self.table.size == 0 or not (masses.min() >= -1e-12 and abs(self.table.flat[-1] - 1.0) <= 1e-9):
            raise ValueError(
                "the table is no cumulative distribution: it must end in 1 and all differences must be at least 0"
            )
        self._masses = np.maximum(masses, 0.0)
        self.n_values = self.table.shape

    def mixed_derivative(self, x, subset):
        if subset:
            raise ValueError("ordinal functions have differences, no derivatives")
        last = np.array(self.table.shape) - 1
        inside = (x >= 0).all(axis=1)
        values = self.table[tuple(np.floor(np.clip(x, 0, last)).astype(np.int64).T)]
        return np.where(inside, values, 0.0)

    def sample(self, n, generator):
        flat = generator.choice(self._masses.size, size=n, p=self._masses.ravel() / self._masses.sum())
        return np.column_stack(np.unravel_index(flat, self.table.shape)).astype(np.float64)
