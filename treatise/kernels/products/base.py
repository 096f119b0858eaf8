"""Probability product kernels (Jebara, Kondor & Howard, JMLR 5:819): what those of all models share."""

from abc import abstractmethod
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from treatise.kernels.base import Kernel, LogNormalizedKernel


class ProbabilityProductKernel(Kernel):
    """The integral of ``p(x)**rho * q(x)**rho`` over x, between the models p and q of two objects (Definition 1).

    ``rho=0.5`` is the Bhattacharyya kernel, under which every distribution has length one; ``rho=1`` is the expected
    likelihood of one model under the other. An object is whatever a model can be fitted to: a set of observations, a
    sequence, a series; ready models are taken too. Everything is computed in logarithms, and :meth:`normalized` divides
    before it leaves them, so that models of many dimensions or long sequences neither vanish nor overflow.

    To add a family of models, write ``prepare`` (fit a model to each object), :meth:`log_block` and, where cheaper than
    single entries of that, :meth:`log_diagonal`.
    """

    structured = True

    @abstractmethod
    def log_block(self, A, B):
        """Logarithms of the kernel between two prepared collections, an array of shape (len(A), len(B))."""

    def log_diagonal(self, A):
        """Logarithms of the kernel of prepared models with themselves."""
        return np.array([self.log_block(A[i : i + 1], A[i : i + 1])[0, 0] for i in range(len(A))])

    def block(self, A, B):
        return np.exp(self.log_block(A, B))

    def diagonal(self, A):
        return np.exp(self.log_diagonal(A))

    def normalized(self):
        """The kernel ``k(p, q) / sqrt(k(p, p) k(q, q))``, divided in logarithms."""
        return LogNormalizedKernel(self)

    def _check_rho(self):
        if isinstance(self.rho, bool) or not isinstance(self.rho, Real) or not 0 < self.rho < np.inf:
            raise ValueError(f"rho={self.rho!r} is no power of a density; it must be a positive number")


class Models:
    """A collection of models as arrays of their parameters, one row to a model."""

    def __init__(self, *parameters):
        self.parameters = parameters

    def __len__(self):
        return len(self.parameters[0])

    def __getitem__(self, positions):
        chosen = object.__new__(type(self))
        chosen.parameters = tuple(parameter[positions] for parameter in self.parameters)
        return chosen


class GroupedModels:
    """Prepared models that belong together in groups, such as the components of mixtures, one group after another.

    Parameters
    ----------
    models : prepared collection
        All models.
    sizes : ndarray of shape (n_groups,)
        How many belong to each group, at least one.
    """

    def __init__(self, models, sizes):
        self.models = models
        self.sizes = sizes

    @property
    def starts(self):
        """Where each group begins."""
        return np.concatenate(([0], np.cumsum(self.sizes)[:-1])).astype(np.intp)

    def __len__(self):
        return len(self.sizes)

    def __getitem__(self, positions):
        chosen = np.atleast_1d(np.arange(len(self))[positions])
        starts = self.starts
        rows = [np.arange(starts[i], starts[i] + self.sizes[i]) for i in chosen]
        return GroupedModels(self.models[np.concatenate([np.empty(0, np.intp), *rows])], self.sizes[chosen])


def joined_models(collections):
    """Several collections of models of one kind as one."""
    first = collections[0]
    if not isinstance(first, Models):
        return np.concatenate([np.atleast_2d(np.asarray(each, np.float64)) for each in collections])
    whole = object.__new__(type(first))
    whole.parameters = tuple(np.concatenate(parts) for parts in zip(*(each.parameters for each in collections)))
    return whole


def check_whole(kernel, name, least, most=2**31 - 1):
    """Raise unless a parameter is a whole number from ``least`` to ``most``."""
    value = getattr(kernel, name)
    if not isinstance(value, Integral) or not least <= value <= most:
        raise ValueError(f"{name}={value!r} must be an integer of at least {least} and at most {most}")


def check_not_negative(kernel, *names):
    """Refuse parameters of a kernel that are no numbers of at least zero."""
    for name in names:
        value = getattr(kernel, name)
        if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= value < np.inf:
            raise ValueError(f"{name}={value!r} must be a number that is not negative")


def is_table(X):
    """Whether a collection is a table: every row one object, which is one observation."""
    return sparse.issparse(X) or hasattr(X, "iloc") or (isinstance(X, np.ndarray) and X.ndim == 2)


def observation_sets(X):
    """Check a list of sets of observations, and give them as arrays of shapes (n_i, n_dimensions)."""
    if is_table(X):
        raise ValueError(
            "each row of a table is one observation, and a model needs several; give a list of arrays of shape "
            "(n_observations, n_dimensions), one for each object"
        )
    sets = []
    for number, each in enumerate(X):
        if np.ndim(each) != 2:
            raise ValueError(
                f"object {number} has {np.ndim(each)} dimensions where a set of observations has 2: give an array of "
                "shape (n_observations, n_dimensions)"
            )
        sets.append(check_array(each, dtype=np.float64, input_name=f"object {number}"))
        if sets[number].shape[1] != sets[0].shape[1]:
            raise ValueError(
                f"object {number} has {sets[number].shape[1]} dimensions, object 0 has {sets[0].shape[1]}; models are "
                "compared on one space"
            )
    if not sets:
        raise ValueError("the list of objects is empty; give at least one")
    return sets


def observation_means(X):
    """Mean observation of every object: the rows of a table themselves, or the means of a list of sets."""
    if is_table(X):
        return check_array(X, accept_sparse="csr", dtype=np.float64)
    return np.array([each.mean(axis=0) for each in observation_sets(X)])


def check_same_space(A, B):
    """Refuse models over spaces of different size."""
    if A != B:
        raise ValueError(f"models over {A} and over {B} dimensions or symbols have no product; use one space for both")
