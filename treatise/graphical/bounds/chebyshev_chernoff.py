"""Chebyshev-Chernoff bounds: what given moments say about an event in a known family of models (section 7.2)."""

from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from treatise.graphical.bounds.events import as_event, event_mask, joint_labelings

# Ordered tuples of outcomes that are compared, alone and times the products of functions; the degree is lowered to
# stay below both.
_MOST_TUPLES = 2**18
_MOST_NUMBERS = 2**25
# Caps that hold in exact arithmetic are widened by rounding, lest the linear program find them in conflict.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class ChebyshevChernoffBound:
    """The range of an event's probability over the models of a family with given moments.

    Attributes
    ----------
    lower, upper : float
        No model of the family with these moments gives the event less, or more.
    exponents : ndarray of shape (n_functions,)
        The rho of the best product: in every model of the family, whatever its parameters, the event's probability is
        at most ``exp(log_constant) * prod(E f ** exponents)``.
    log_constant : float
        Its constant. Both are zero where no product is below one.
    """

    lower: float
    upper: float
    exponents: np.ndarray
    log_constant: float


def chebyshev_chernoff_bound(graph, functions, moments, event, *, degree=3):
    """Bounds on the probability of an event from some expectations, in a model whose graph is known.

    The parameters are unknown; but that the model has no other factors than the given ones says more than
    :func:`chebyshev_bound` knows, and the bounds are never wider than its. Where the moments are those of all factors
    of a tree, they are exact. For small models: all joint states are enumerated.

    Parameters
    ----------
    graph : FactorGraph
        Its factors tell which variables may be coupled; their scores are not used.
    functions : array-like of shape (n_functions, ...)
        Value of each function at each joint state, as tables of the shape ``graph.n_states`` or flat ones.
    moments : array-like of shape (n_functions,)
        Expectation of each.
    event : array-like of bool, dict of int to int, SumAtLeast, LabelingEvent or callable
        The event: whether each joint state belongs to it, or as in :func:`event_bounds`.
    degree : int, default=3
        How many moments are multiplied. The number of factors of a tree less those of single variables suffices for
        exactness; lowered where all tuples of so many joint states would be too many. Costs the number of joint states
        to this power, times that of products of functions.

    Returns
    -------
    bound : ChebyshevChernoffBound

    Raises
    ------
    ValueError
        If no model of the family has these moments.

    Notes
    -----
    The dual of the largest probability over the family (equation 7.19, in which the last sum should be subtracted) asks
    for exponents rho and for the supremum over all parameters of ``p(C) * prod((s_i / E f_i) ** rho_i)``. Climbing to
    the supremum, as the thesis suggests, may end too low and then bounds nothing. Here the exponents are whole numbers:
    both sides of ``p(C) * prod E f <= constant * prod E f`` are then polynomials in the exponentials of the parameters,
    with positive coefficients, and the largest ratio of coefficients of the same monomial is a constant that holds for
    all of them. The least ratio bounds from below in the same way. Such products limit every outcome, and the linear
    program of :func:`chebyshev_bound` is solved within the limits.

    Examples
    --------
    The chain of three variables: without the graph the bound is the least moment, with it the value is exact.

    >>> import numpy as np
    >>> from treatise.inference import FactorGraph
    >>> from treatise.graphical import chebyshev_bound, chebyshev_chernoff_bound
    >>> chain = FactorGraph([2, 2, 2], [((0, 1), np.zeros((2, 2))), ((1, 2), np.zeros((2, 2)))])
    >>> x1, x2, x3 = np.indices((2, 2, 2))
    >>> functions, moments = np.array([x1 * x2, x2 * x3, x2]), [0.3, 0.4, 0.6]
    >>> everywhere = (x1 * x2 * x3).astype(bool)
    >>> round(chebyshev_bound(functions.reshape(3, -1), moments, everywhere.ravel()).upper, 6)
    0.3
    >>> bound = chebyshev_chernoff_bound(chain, functions, moments, everywhere)
    >>> round(bound.lower, 6), round(bound.upper, 6), bound.exponents
    (0.2, 0.2, array([ 1,  1, -1]))

    References
    ----------
    .. [1] Thesis thesis-ravikumar, equations 7.14-7.21 and Proposition 6.
    """
    labelings = joint_labelings(graph.n_states)
    functions, moments, mask = _checked(graph, functions, moments, event, degree, len(labelings))
    products = _Products(_statistics(graph, labelings), functions, moments, degree)
    outcomes = [products.bounds(outcome) for outcome in np.eye(len(labelings))]
    limits = np.exp([(each.log_lower, each.log_upper) for each in outcomes])
    equalities = np.vstack([functions, np.ones(len(labelings))]), np.append(moments, 1.0)
    whole, rest = products.bounds(mask.astype(float)), products.bounds((~mask).astype(float))
    upper = min(_largest(mask, *equalities, limits), np.exp(whole.log_upper), 1 - np.exp(rest.log_lower))
    above = min(_largest(~mask, *equalities, limits), np.exp(rest.log_upper), 1 - np.exp(whole.log_lower))
    return ChebyshevChernoffBound(
        float(np.clip(1 - above, 0, 1)), float(np.clip(upper, 0, 1)), whole.exponents, whole.log_constant
    )


def _checked(graph, functions, moments, event, degree, size):
    moments = np.atleast_1d(np.asarray(moments, np.float64))
    functions = np.asarray(functions, np.float64)
    shapes = (len(moments), *(int(k) for k in graph.n_states)), (len(moments), size)
    if functions.shape not in shapes:
        raise ValueError(f"functions must have the shape {shapes[0]} or {shapes[1]}, moments by joint states; "
                         f"it has {functions.shape}")  # fmt: skip
    if not (np.all(np.isfinite(functions)) and np.all(np.isfinite(moments))):
        raise ValueError("functions and moments must be finite")
    if isinstance(degree, bool) or degree != int(degree) or degree < 1:
        raise ValueError(f"degree={degree!r} must be a whole number of at least 1")
    if isinstance(event, (np.ndarray, list, tuple)):
        mask = np.asarray(event)
        if mask.dtype != bool or mask.size != size:
            raise ValueError(f"the event must be a mask of {size} booleans; it is {mask.dtype} of shape {mask.shape}")
        mask = mask.ravel()
    else:
        mask = event_mask(graph, as_event(event))
    return functions.reshape(len(moments), size), moments, mask


def _statistics(graph, labelings):
    """Indicators of the states of each factor, of shape (outcomes, indicators)."""
    scopes = {frozenset(f.variables) for f in graph.factors}
    # A factor within another's variables adds nothing to the family.
    widest = sorted(sorted(scope) for scope in scopes if not any(scope < other for other in scopes))
    found = []
    for scope in widest:
        shape = tuple(int(graph.n_states[v]) for v in scope)
        states = np.ravel_multi_index(tuple(labelings[:, scope].T), shape) if scope else np.zeros(len(labelings), int)
        found.append(np.eye(int(np.prod(shape)), dtype=np.int8)[states])
    return np.hstack(found) if found else np.zeros((len(labelings), 0), np.int8)


@dataclass(frozen=True)
class _ProductBounds:
    log_lower: float
    log_upper: float
    exponents: np.ndarray
    log_constant: float


class _Products:
    """Products of ``degree`` expectations, as polynomials in the exponentials of the parameters.

    The expectation of g is the polynomial of the weights ``sum_x g(x) w(x)`` over that of one; ``w(x)`` is a monomial
    whose exponents are the statistics of x, so that a product's monomials are sums of statistics over tuples of
    outcomes.
    """

    def __init__(self, statistics, functions, moments, degree):
        n = len(statistics)
        # Logarithms need functions that are nowhere negative and moments that are positive; one is such a function.
        usable = np.flatnonzero((functions.min(axis=1) >= 0) & (functions.max(axis=1) > 0) & (moments > 0))
        while degree > 1 and (
            n**degree > _MOST_TUPLES or n**degree * comb(len(usable) + degree, degree) > _MOST_NUMBERS
        ):
            degree -= 1
        self.n_functions, self.usable = len(moments), usable
        self.values = np.vstack([np.ones(n), functions[usable]])
        self.log_moments = np.append(0.0, np.log(moments[usable]))
        sums = statistics.astype(np.int16)
        for _ in range(degree - 1):
            sums = (sums[:, np.newaxis] + statistics).reshape(-1, statistics.shape[1])
        monomials, self.monomial = np.unique(sums, axis=0, return_inverse=True)
        self.monomial = self.monomial.reshape(n, -1)
        self.n_monomials = len(monomials)
        self.others = list(combinations_with_replacement(range(len(self.values)), degree - 1))
        self.other_weights = np.array([_tuples(self.values[list(chosen)]) for chosen in self.others])
        self.bounding = list(combinations_with_replacement(range(len(self.values)), degree))
        self.coefficients = np.array([
            self._polynomial(np.multiply.outer(self.values[first], _tuples(self.values[rest])))
            for first, *rest in self.bounding
        ])  # fmt: skip
        self.bounding_moments, self.other_moments = (
            np.array([self.log_moments[list(each)].sum() for each in chosen]) for chosen in (self.bounding, self.others)
        )

    def _polynomial(self, weights):
        return np.bincount(self.monomial.ravel(), weights.ravel(), minlength=self.n_monomials)

    def bounds(self, indicator):
        """The least product above the expectation of an indicator and the greatest below it, by their logarithms."""
        inside = np.flatnonzero(indicator)
        nothing = np.zeros(self.n_functions, int)
        if len(inside) == 0:
            return _ProductBounds(-np.inf, -np.inf, nothing, -np.inf)
        reached, place = np.unique(self.monomial[inside].ravel(), return_inverse=True)
        tuples = np.tile(np.arange(self.monomial.shape[1]), len(inside))
        merge = sparse.csr_array((np.ones(len(tuples)), (place, tuples)), shape=(len(reached), self.monomial.shape[1]))
        own, theirs = np.ascontiguousarray((merge @ self.other_weights.T).T), self.coefficients[:, reached]
        scale = self.bounding_moments - self.other_moments[:, np.newaxis]
        # The ratio of all coefficients together lies between the least and the greatest ratio of single ones.
        promised = np.log(own.sum(axis=1))[:, np.newaxis] - np.log(self.coefficients.sum(axis=1)) + scale
        upper, exponents, constant = 0.0, nothing, 0.0
        # A monomial of the event's side that the bounding side lacks would make the constant infinite.
        for m, d in _in_order(promised, (promised < 0) & (_both(own > 0, theirs == 0) == 0)):
            if promised[m, d] >= upper:
                break
            there = own[m] > 0
            found = float(np.log(np.max(own[m, there] / theirs[d, there])))
            if found + scale[m, d] < upper:
                upper, constant = float(found + scale[m, d]), found
                exponents = self._exponents(self.bounding[d], self.others[m])
        lower = -np.inf
        # And one of the bounding side that the event's side lacks, zero.
        within = ~np.delete(self.coefficients, reached, axis=1).any(axis=1)
        admitted = np.zeros(promised.shape, bool)
        admitted[:, within] = _both(own == 0, theirs[within] > 0) == 0
        for m, d in _in_order(-promised, admitted):
            if promised[m, d] <= lower:
                break
            there = theirs[d] > 0
            lower = max(lower, float(np.log(np.min(own[m, there] / theirs[d, there])) + scale[m, d]))
        return _ProductBounds(min(lower, upper), upper, exponents, constant)

    def _exponents(self, above, below):
        counted = np.zeros(len(self.values), int)
        np.add.at(counted, list(above), 1)
        np.add.at(counted, list(below), -1)
        exponents = np.zeros(self.n_functions, int)
        exponents[self.usable] = counted[1:]
        return exponents


def _both(ours, theirs):
    """For every pair of rows, in how many places both are true."""
    return ours.astype(np.float32) @ theirs.T.astype(np.float32)


def _in_order(values, admitted):
    """Places of the admitted values, the least first."""
    rows, columns = np.nonzero(admitted)
    order = np.argsort(values[rows, columns], kind="stable")
    return zip(rows[order].tolist(), columns[order].tolist())


def _tuples(values):
    """Products of several functions, one for each axis of a table over tuples of outcomes, flat."""
    product = np.ones(1)
    for each in values:
        product = np.multiply.outer(product, each).ravel()
    return product


def _largest(event, equalities, right, limits):
    """Largest probability of the event among distributions with the moments and within the limits."""
    widened = limits * [1 - _ROUNDING, 1 + _ROUNDING] + [-_ROUNDING, _ROUNDING]
    found = linprog(-event.astype(float), A_eq=equalities, b_eq=right, bounds=np.clip(widened, 0.0, None))
    if not found.success:
        raise ValueError(f"no model of this family has the moments {right[:-1].tolist()} ({found.message})")
    return float(-found.fun)
