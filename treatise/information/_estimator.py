"""What every estimator of an information-theoretic quantity can do, and the register of them all."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, dataclass_transform

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_array

QUANTITIES = ("entropy", "mutual_information", "divergence", "association", "cross_entropy", "distribution_kernel")


@dataclass(frozen=True)
class EstimatorInfo:
    """One row of the register of estimators.

    Attributes
    ----------
    quantity : str
        Which function takes it: "entropy", "mutual_information", "divergence", "association", "cross_entropy" or
        "distribution_kernel".
    name : str
        What that function's ``method`` calls it.
    measures : str
        The quantity it estimates, in words.
    columns : str
        What it takes: "any" groups of columns, "single" columns, "one" or "two" of these, or "complex" numbers.
    composed : bool
        Whether it is built from another estimator, which may be exchanged.
    random : bool
        Whether it draws and so takes a ``random_state``.
    cost : str
        Growth of its time with n rows; r is the rank of a kernel.
    unit : str
        "nats" where the value is a logarithm and a ``member`` makes sense, else nothing.
    estimator : type
        The class.
    """

    quantity: str
    name: str
    measures: str
    columns: str
    composed: bool
    random: bool
    cost: str
    unit: str
    estimator: Any


_REGISTER: dict[tuple[str, str], EstimatorInfo] = {}
E = TypeVar("E", bound=type)


@dataclass_transform()
def registered(
    name: str, measures: str, *, cost: str = "n log n", columns: str = "any", unit: str = ""
) -> Callable[[E], E]:
    """Decorator of an estimator: its annotated fields become its parameters, and the register names it."""

    def register(cls: E) -> E:
        made: Any = dataclass(eq=False, repr=False)(cls)
        fields = made.__dataclass_fields__
        _REGISTER[made.quantity, name] = EstimatorInfo(
            made.quantity, name, measures, columns, "member" in fields, "random_state" in fields, cost, unit, made
        )
        return made

    return register


def list_estimators(quantity=None, *, columns=None, composed=None) -> list[EstimatorInfo]:
    """Estimators of information-theoretic quantities, with what each is for.

    Parameters
    ----------
    quantity : str or None, default=None
        Only those of "entropy", "mutual_information", "divergence", "association", "cross_entropy" or
        "distribution_kernel".
    columns : {"any", "single", "one", "two", "complex"} or None, default=None
        Only those that take such samples.
    composed : bool or None, default=None
        Only those that are built from another estimator, or only those that are not.

    Returns
    -------
    rows : list of EstimatorInfo
        Each has a ``name``, which the functions take as their ``method``, and an ``estimator``, its class.

    Examples
    --------
    >>> from treatise.information import list_estimators
    >>> [row.name for row in list_estimators("cross_entropy")]
    ['shannon_knn']
    >>> next(row.measures for row in list_estimators("divergence") if row.name == "mmd")
    'maximum mean discrepancy'
    """
    if quantity is not None and quantity not in QUANTITIES:
        raise ValueError(f"quantity={quantity!r} is unknown; it may be {', '.join(QUANTITIES)}")
    rows = sorted(_REGISTER.values(), key=lambda row: (QUANTITIES.index(row.quantity), row.name))
    rows = [row for row in rows if quantity in (None, row.quantity)]
    return [row for row in rows if columns in (None, row.columns) and composed in (None, row.composed)]


def named(quantity: str, method, parameters: dict):
    """The estimator that a function's ``method`` means: a name with parameters, or an object as it is."""
    if isinstance(method, Estimator):
        if method.quantity != quantity:
            raise ValueError(
                f"{type(method).__name__} estimates {method.quantity}; an estimator of {quantity} is needed"
            )
        if parameters:
            raise ValueError(
                f"{', '.join(parameters)} would be ignored: method is an estimator with its own parameters"
            )
        return method
    row = _REGISTER.get((quantity, method))
    if row is None:
        names = ", ".join(sorted(name for kind, name in _REGISTER if kind == quantity))
        raise ValueError(f"method={method!r} is unknown; for {quantity} it may be {names}, or an estimator")
    known = row.estimator._get_param_names()
    for wrong in set(parameters) - set(known):
        raise ValueError(f"{method!r} has no parameter {wrong!r}; it takes {', '.join(known) or 'none'}")
    return row.estimator(**parameters)


def information_of(estimator) -> EstimatorInfo:
    """The register's row of an estimator."""
    return next(row for row in _REGISTER.values() if row.estimator is type(estimator))


class Estimator(BaseEstimator, ABC):
    """An estimator of one quantity; :meth:`estimate` takes samples and gives a number."""

    quantity = ""
    _parameter_constraints: dict = {}
    _refuses_constants = True
    """Whether a column of one value has no answer."""

    def _prepare(self, X, name="X", *, least=2):
        """A checked table of floats, a column for a sequence."""
        if np.iscomplexobj(X):
            raise ValueError(f"{name} is complex; take the method 'complex', which measures real and imaginary parts")
        X = np.asarray(X) if not hasattr(X, "to_numpy") else X.to_numpy()
        X = X.reshape(-1, 1) if X.ndim == 1 else X
        X = check_array(X, dtype=np.float64, ensure_min_samples=least, input_name=name)
        if self._refuses_constants:
            constant = np.flatnonzero(X.min(axis=0) == X.max(axis=0))
            if len(constant):
                j = int(constant[0])
                raise ValueError(f"column {j} of {name} is constant ({X[0, j]:g}): it has no density; leave it out")
        return X

    def _checked(self):
        self._validate_params()


class EntropyEstimator(Estimator):
    """Estimator of the entropy of one sample."""

    quantity = "entropy"

    def estimate(self, X) -> float:
        """The estimate from the rows of X, an array of shape (n_samples, n_features)."""
        self._checked()
        return float(self._estimate(self._prepare(X)))

    @abstractmethod
    def _estimate(self, X): ...


class TwoSampleEstimator(Estimator):
    """Estimator of a quantity of two samples: a divergence, a cross-entropy, a kernel of distributions."""

    def estimate(self, X, Y) -> float:
        """The estimate from the rows of X and of Y, which have as many columns."""
        self._checked()
        X, Y = self._pair(X, Y)
        return float(self._estimate(X, Y))

    def _pair(self, X, Y):
        X, Y = self._prepare(X, "X"), self._prepare(Y, "Y")
        if X.shape[1] != Y.shape[1]:
            raise ValueError(f"X has {X.shape[1]} columns but Y has {Y.shape[1]}; they must have as many")
        return X, Y

    @abstractmethod
    def _estimate(self, X, Y): ...


class DivergenceEstimator(TwoSampleEstimator):
    """Estimator of a divergence of two samples."""

    quantity = "divergence"


class CrossEntropyEstimator(TwoSampleEstimator):
    """Estimator of the cross-entropy of two samples."""

    quantity = "cross_entropy"


class DistributionKernelEstimator(TwoSampleEstimator):
    """Estimator of a kernel between the distributions of two samples."""

    quantity = "distribution_kernel"


class DependenceEstimator(Estimator):
    """Estimator of a mutual information, in the wide sense, of two or more groups of columns."""

    quantity = "mutual_information"
    _most_parts: int | None = None
    _single_columns = False

    def estimate(self, X, Y=None, *, dims=None) -> float:
        """The estimate of how much the groups of columns depend on one another.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            One group, or all where Y is None.
        Y : array-like of shape (n_samples, n_other) or None, default=None
            The other group.
        dims : list of int or None, default=None
            Numbers of columns of the groups of X, one after the other; None makes each column a group.
        """
        self._checked()
        parts = self._parts(X, Y, dims)
        if self._most_parts is not None and len(parts) != self._most_parts:
            raise ValueError(
                f"{type(self).__name__} takes {self._most_parts} groups of columns; there are {len(parts)}"
            )
        if self._single_columns and any(part.shape[1] != 1 for part in parts):
            raise ValueError(f"{type(self).__name__} takes single columns; a group has {_widest(parts)}")
        return float(self._estimate(parts))

    def _parts(self, X, Y, dims):
        X = self._prepare(X)
        if Y is not None:
            Y = self._prepare(Y, "Y")
            if len(X) != len(Y):
                raise ValueError(f"X has {len(X)} rows but Y has {len(Y)}; they must have as many")
            if dims is not None:
                raise ValueError("dims divides the columns of X alone; give either dims or Y")
            return [X, Y]
        return split_columns(X, dims)

    @abstractmethod
    def _estimate(self, parts): ...


class AssociationEstimator(Estimator):
    """Estimator of the association of single columns."""

    quantity = "association"
    _most_columns: int | None = None

    def estimate(self, X, Y=None) -> float:
        """The estimate from the columns of X, or from the columns of X and Y together."""
        self._checked()
        X = self._prepare(X)
        if Y is not None:
            Y = self._prepare(Y, "Y")
            if len(X) != len(Y):
                raise ValueError(f"X has {len(X)} rows but Y has {len(Y)}; they must have as many")
            X = np.hstack([X, Y])
        if X.shape[1] < 2:
            raise ValueError("there is one column alone; an association is between two or more")
        if self._most_columns is not None and X.shape[1] != self._most_columns:
            raise ValueError(f"{type(self).__name__} takes {self._most_columns} columns; there are {X.shape[1]}")
        return float(self._estimate(X))

    @abstractmethod
    def _estimate(self, X): ...


def split_columns(X, dims=None) -> list[np.ndarray]:
    """Groups of columns of the given widths, or each column by itself."""
    dims = [1] * X.shape[1] if dims is None else [int(width) for width in dims]
    if min(dims, default=0) < 1 or sum(dims) != X.shape[1]:
        raise ValueError(f"dims={dims} must be positive numbers of columns that sum to the {X.shape[1]} of X")
    if len(dims) < 2:
        raise ValueError(f"dims={dims} makes one group; dependence is between two or more")
    return np.split(X, np.cumsum(dims)[:-1], axis=1)


def _widest(parts):
    return max(part.shape[1] for part in parts)
