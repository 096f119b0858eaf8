"""What a stored model promises to compiled code, which follows its indices without looking.

A class whose objects are stored and hand indices, lengths or shapes to compiled code states in ``_invariants`` what
must hold, as pairs of a sentence and whether it holds, so that it can be read beside the code that relies on it. Each
class of an inheritance states its own. They are checked when a model file is loaded, where a wrong index would else
mean foreign memory or a loop without end; each costs at most a look at every number.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

Invariants = Iterator[tuple[str, Any]]
_COEFFICIENTS = {"coef_", "dual_coef_", "intercept_"}
"""Names that mean the same in every estimator, as scikit-learn has them."""
_COMPILED = frozenset("bBhHiIlLqQfdFD")
"""NumPy's letters of the numbers that compiled loops take; those of half and extended precision are not among them."""


def broken_invariant(part: Any) -> str | None:
    """The first sentence about an object that does not hold, or None.

    An estimator that holds parameters alone is not fitted, and promises nothing but sensible parameters.
    """
    kind, held = type(part), vars(part)
    hidden = [name for name in held if callable(getattr(kind, name, None))]
    if hidden:
        return f"{hidden[0]} is a method and no stored value"
    try:
        if hasattr(kind, "_parameter_constraints"):
            part._validate_params()
        parameters = part.get_params(deep=False) if hasattr(kind, "get_params") else {}
        for name, value in parameters.items():
            if isinstance(value, int) and not -(2**63) <= value < 2**63:
                return f"{name} is a number that compiled code can hold"
        if hasattr(kind, "get_params") and set(held) <= set(parameters) and not _may_be_fitted(part):
            return None
        odd = _foreign_array(held)
        if odd is not None:
            return f"its arrays are of numbers that compiled code can hold, not {odd}"
        for sentence, holds in _stated(part):
            # An array of one number compares as the number does, and is none where a number is needed.
            if isinstance(holds, np.ndarray) or not holds:
                return sentence
    # What is missing or of another type fails in its own way, in the condition that relies on it.
    except Exception as error:
        return f"its values belong together ({' '.join(str(error).split()) or type(error).__name__})"
    return None


def _foreign_array(held: Any) -> str | None:
    """What compiled code would not take though it is an array of numbers: bytes in the order of other machines, half
    and extended precision; None where there is no such thing among values and in what they list."""
    waiting = [held]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, (list, tuple)):
            waiting.extend(value)
        elif isinstance(value, np.ndarray) and value.dtype == object:
            waiting.extend(value.ravel().tolist())
        elif isinstance(value, np.ndarray) and value.dtype.kind in "iufc":
            if value.dtype.newbyteorder("=").char not in _COMPILED:
                return value.dtype.name
            if not value.dtype.isnative:
                return f"{value.dtype.name} in another machine's order of bytes"
    return None


def _may_be_fitted(part: Any) -> bool:
    """Whether an estimator may be fitted though it holds parameters alone, as one of fitted models may."""
    return hasattr(part, "__sklearn_is_fitted__")


def _stated(part: Any) -> Invariants:
    if "n_features_in_" in vars(part):
        yield "n_features_in_ is a number of columns", is_count(part.n_features_in_)
        if hasattr(part, "_get_support_mask"):
            mask = part._get_support_mask()
            yield "a selection says of every column whether it is kept", is_array(mask, np.bool_, part.n_features_in_)
        if hasattr(type(part), "_n_features_out") or "_n_features_out" in vars(part):
            yield "columns that come out are counted", is_count(part._n_features_out)
    for name in _COEFFICIENTS & set(vars(part)):
        yield f"{name} holds numbers", is_numeric(vars(part)[name])
    for kind in type(part).__mro__:
        if "_invariants" in vars(kind):
            yield from vars(kind)["_invariants"](part)


def is_count(value: Any, least: int = 0) -> bool:
    """Whether a value is a whole number, ``least`` or more, that compiled code can hold."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(least <= value < 2**62)


def is_number(value: Any) -> bool:
    """Whether a value is one finite number."""
    return isinstance(value, (int, float, np.integer, np.floating)) and bool(np.isfinite(value))


def is_numeric(values: Any) -> bool:
    """Whether a value, an array, a sparse matrix or a list of any of them is of real numbers."""
    if isinstance(values, list | tuple):  # each by itself: arrays of a list may differ in length
        return all(is_numeric(value) for value in values)
    kind = values.dtype.kind if hasattr(values, "dtype") else np.asarray(values).dtype.kind
    return kind in "fiub"


def is_array(values: Any, kind: type, *shape: int | None) -> bool:
    """Whether values are a plain array of a kind of numbers (as ``np.float64``) and shape; None is any length."""
    return (
        type(values) is np.ndarray  # compiled code takes no masked ones
        and np.issubdtype(values.dtype, kind)
        and values.ndim == len(shape)
        and all(wanted is None or length == wanted for length, wanted in zip(values.shape, shape))
    )


def linear(model: Any, machines: int | None = None) -> Invariants:
    """What holds of a linear model: every column has its coefficient and every machine its constant.

    ``machines`` is the number of rows of ``coef_``; None where it is one row of numbers by itself.
    """
    shape = (model.n_features_in_,) if machines is None else (machines, model.n_features_in_)
    yield "every column has its coefficient", is_array(model.coef_, np.floating, *shape)
    constants = np.shape(model.intercept_)
    yield "there are constants", constants in ((), (1,)) if machines is None else constants == (machines,)


def selecting(model: Any) -> Invariants:
    """What holds of a selection that keeps a model of its columns: they are as many as the model was fitted to."""
    yield "as many columns are kept as are counted", model.n_features_ == np.count_nonzero(model.support_)
    fitted = getattr(model.estimator_, "n_features_in_", model.n_features_)
    yield "the model is of the kept columns", fitted == model.n_features_


def within(values: Any, low: float, high: float) -> bool:
    """Whether all values are at least ``low`` and below ``high``; NaN is not."""
    values = np.asarray(values)
    return values.size == 0 or bool(values.min() >= low and values.max() < high)


def finite(values: Any) -> bool:
    """Whether no value is NaN or infinite."""
    return bool(np.isfinite(values).all())


def are_starts(values: Any, pieces: int, end: int) -> bool:
    """Whether values say where each of several pieces of an array begins: whole, from 0 to ``end``, never falling."""
    return (
        is_array(values, np.int64, pieces + 1)
        and values[0] == 0
        and values[-1] == end
        and bool((values[1:] >= values[:-1]).all())
    )


def are_distinct(values: np.ndarray, size: int) -> bool:
    """Whether whole numbers name different places among ``size``."""
    return is_array(values, np.int64, None) and within(values, 0, size) and len(np.unique(values)) == len(values)


def is_acyclic(edges: np.ndarray, size: int) -> bool:
    """Whether undirected edges among ``size`` places close no circle: then each leaves one part fewer."""
    joined = coo_array((np.ones(len(edges)), tuple(edges.T)), shape=(size, size))
    parts, _ = connected_components(joined, directed=False)
    return parts == size - len(edges)


def all_alike(parts: Sequence[Any], *kinds: type) -> bool:
    """Whether every part is an object of one of the kinds."""
    return all(isinstance(part, kinds) for part in parts)
