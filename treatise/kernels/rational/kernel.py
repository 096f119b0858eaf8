"""Rational kernels: similarities of strings and lattices given by a weighted transducer (JMLR 5:1035)."""

from collections.abc import Iterable
from numbers import Integral, Real

import numpy as np
from scipy import sparse

from treatise.kernels.base import Kernel, LogNormalizedKernel
from treatise.kernels.rational._loops import Arcs, topological_order, weight_of_writing
from treatise.kernels.rational.semirings import SEMIRINGS, resolve_semiring
from treatise.kernels.rational.transducers import WeightedTransducer, string_acceptor
from treatise.kernels.strings.encoded import refuse_single

_MOST_FEATURES = 1 << 16
"""Distinct outputs of one object up to which they are listed; beyond, machines are composed pair by pair."""

_SMALLEST = 1e-280
"""Products of weights, in units of an object's largest, that keep all their digits."""

_LARGEST_COST = 708.0
"""Costs up to this, of either sign, are logarithms of numbers that keep all their digits."""


class RationalKernel(Kernel):
    """The kernel of a weighted transducer, on strings and on weighted automata such as word lattices.

    With ``symmetrize`` the kernel of ``x`` and ``z`` is the sum over all strings ``s`` of T(x, s) T(z, s): T is a
    feature map, and the kernel is positive definite whatever T is. Without, it is T(x, z) itself, an edit distance for
    example, and :func:`positive_definiteness` tells of a Gram matrix what the definition does not. On lattices all
    strings count with their weights.

    Use it where objects are uncertain strings, or where a similarity of your own is needed; on plain strings the
    kernels of k-letter words (:class:`SpectrumKernel` and others) are far quicker. Where T writes short strings, each
    object costs its own composition and the Gram matrix a sparse product; otherwise each pair costs the product of the
    sizes of both objects.

    Parameters
    ----------
    transducer : WeightedTransducer
        The machine T, in the semiring that weighs the objects.
    symmetrize : bool, default=True
        Whether the kernel is that of T composed with its inverse.
    psi : callable or None, default=None
        Of a weight, the kernel value; None is the weight itself, in the log semiring exp(-weight). An object all of
        whose values leave the range of numbers, as those of a lattice with costs of 400 do, is refused then: take
        ``normalized()``, which divides in logarithms.

    Examples
    --------
    >>> from treatise.kernels import RationalKernel, ngram_transducer
    >>> kernel = RationalKernel(ngram_transducer("abcdr", 3))
    >>> kernel(["abracadabra", "cadabra"])
    array([[13.,  7.],
           [ 7.,  5.]])

    References
    ----------
    .. [1] Paper v05-1035, Definition 3, Equation 2 and Proposition 7.
    """

    structured = True

    def __init__(self, transducer, *, symmetrize=True, psi=None):
        self.transducer = transducer
        self.symmetrize = symmetrize
        self.psi = psi

    @property
    def symmetric(self):
        """Whether the order of two objects never matters; T itself may tell them apart."""
        return bool(self.symmetrize)

    @property
    def positive_definite_by_construction(self):
        """Whether Proposition 7 says that no Gram matrix has a negative eigenvalue."""
        # psi must carry sums to sums and products to products, which the least of several costs does not.
        return bool(self.symmetrize) and self.psi is None and self.transducer.semiring.name in ("probability", "log")

    def prepare(self, X):
        """Read strings, sequences of symbols or acceptors into machines, or into counts of what T writes."""
        if not isinstance(self.transducer, WeightedTransducer):
            raise ValueError(f"transducer is {type(self.transducer).__name__}; a WeightedTransducer is expected")
        refuse_single(X)
        machines = [self._acceptor(number, item) for number, item in enumerate(X)]
        if self.symmetrize:
            machines = [self._written(machine) for machine in machines]
        prepared = np.empty(len(machines), object)
        prepared[:] = machines
        return prepared

    def _acceptor(self, number, item):
        semiring, known = self.transducer.semiring, set(self.transducer.symbols)
        if isinstance(item, WeightedTransducer):
            if item.semiring != semiring:
                raise ValueError(
                    f"object {number} has {item.semiring.name} weights, the transducer {semiring.name} weights"
                )
            unknown = [symbol for symbol in item.symbols if symbol not in known]
            where = ""
        else:
            if not isinstance(item, Iterable):
                raise ValueError(
                    f"object {number} (counted from 0) is {item!r}; it must be a string, a sequence of symbols or an "
                    "acceptor"
                )
            item = list(item)
            unknown = [symbol for symbol in item if symbol not in known]
            where = f" at position {item.index(unknown[0])}" if unknown else ""
        if unknown:
            raise ValueError(
                f"symbol {unknown[0]!r}{where} of object {number} (counted from 0) is not in the transducer's alphabet"
            )
        return item if isinstance(item, WeightedTransducer) else string_acceptor(item, semiring=semiring)

    def _written(self, machine):
        """What T makes of an object: an acceptor, or its strings with their weights where these are few and short."""
        written = (machine @ self.transducer).project("output").trim()
        try:
            written = written.remove_epsilon()
        except ValueError:
            return written  # A cycle of empty symbols stays; composition sums over it.
        counts = _listed(written, self.transducer.symbols)
        return written if counts is None else counts

    def block(self, A, B):
        weights = self._weights(A, B)
        if self._exponentiates:
            self._refuse_lost(A, weights)
            self._refuse_lost(B, weights.T)
        return self._valued(weights)

    def diagonal(self, A):
        weights = self._own_weights(A)
        if self._exponentiates:
            self._refuse_lost(A, weights[:, np.newaxis])
        return self._valued(weights)

    def log_block(self, A, B):
        """Logarithms of the kernel between prepared objects, in the log semiring and without psi."""
        return -self._weights(A, B)

    def log_diagonal(self, A):
        """Logarithms of the kernel of prepared objects with themselves."""
        return -self._own_weights(A)

    def normalized(self):
        """The kernel ``k(x, z) / sqrt(k(x, x) k(z, z))``, in the log semiring divided before it leaves logarithms."""
        return LogNormalizedKernel(self) if self.symmetrize and self._exponentiates else super().normalized()

    @property
    def _exponentiates(self):
        """Whether a value is the exponential of a weight."""
        return self.psi is None and self.transducer.semiring.name == "log"

    def _refuse_lost(self, objects, weights):
        """Refuse an object whose kernel values, of which weights has a row, are too small or too large for numbers."""
        beyond = np.isfinite(weights) & (np.abs(weights) > _LARGEST_COST)
        for i in np.flatnonzero(beyond.any(axis=1)):
            # A value too small beside the object's own is as good as zero. T itself may not lead back to the object.
            own, largest = self._own_weights(objects[i : i + 1])[0], weights[i].min()
            cost = largest if own == np.inf or largest < -_LARGEST_COST else own
            if abs(cost) > _LARGEST_COST:
                raise ValueError(
                    f"a kernel value of an object is exp({-cost:.0f}), which no floating-point number holds; take "
                    "normalized(), which divides in logarithms, or psi, which is given the cost itself"
                )

    def _weights(self, A, B):
        """Sums over paths, in the semiring."""
        if self.symmetrize and all(isinstance(item, WeightedStrings) for item in (*A, *B)):
            products, log_scales = _products(A, B)
            weights = _as_weights(self.transducer.semiring, products, log_scales)
            if self.transducer.semiring.name == "log":
                for i, j in np.argwhere(products < _least_products(A, B)):
                    weights[i, j] = _Writer(A[i].machine, self.transducer.symbols).weight(B[j].machine)
            return weights
        weights = np.empty((len(A), len(B)))
        for i, left in enumerate(A):
            writer = _Writer(_machine(left) if self.symmetrize else left @ self.transducer, self.transducer.symbols)
            # Of objects with themselves one triangle, then its mirror image.
            for j in range(i if self.symmetrize and A is B else 0, len(B)):
                weights[i, j] = writer.weight(_machine(B[j]))
                if self.symmetrize and A is B:
                    weights[j, i] = weights[i, j]
        return weights

    def _own_weights(self, A):
        if self.symmetrize and all(isinstance(item, WeightedStrings) for item in A):
            squares = np.array([item.values @ item.values for item in A])
            return _as_weights(self.transducer.semiring, squares, 2 * _log_scales(A))
        return np.array([self._weights(A[i : i + 1], A[i : i + 1])[0, 0] for i in range(len(A))])

    def _valued(self, weights):
        """Values of psi."""
        if self.psi is None:
            return self.transducer.semiring.probabilities(weights)
        return np.vectorize(self.psi, otypes=[np.float64])(weights) if weights.size else weights


class _Writer:
    """What a machine weighs for each string or acceptor that it may write."""

    def __init__(self, machine, symbols):
        self.machine, self.symbols = machine, symbols
        _, written = machine._renamed(symbols)
        empty = written == 0
        self.order = topological_order(machine._ptr, machine._target, empty)
        self.loops = len(self.order) < machine.n_states
        self.any_empty = bool(empty.any())
        by_output = np.lexsort((written, machine._source))
        self.arcs = Arcs(
            machine._ptr, machine._in, written[by_output], machine._weight[by_output], machine._target[by_output],
            np.empty(0, np.int64),
        )  # fmt: skip

    def weight(self, acceptor):
        """Weight of all that both allow: of a plain string without composing, else of the composition."""
        labels = None if self.loops else _string_of(acceptor, self.symbols)
        if labels is None:
            return (self.machine @ acceptor).total_weight()
        semiring = self.machine.semiring
        return weight_of_writing(
            semiring.code, semiring.zero, self.order, self.any_empty, self.arcs,
            self.machine._initial, self.machine._final, labels,
        )  # fmt: skip


def _string_of(acceptor, symbols):
    """Labels of the one string that an acceptor takes with weight one; None where it is something else."""
    n, one, zero = acceptor.n_states, acceptor.semiring.one, acceptor.semiring.zero
    chain = np.arange(n)
    if acceptor.n_arcs != n - 1 or (acceptor._source != chain[:-1]).any() or (acceptor._target != chain[1:]).any():
        return None
    ends = acceptor._initial[0] == one and acceptor._final[-1] == one
    if not ends or (acceptor._initial[1:] != zero).any() or (acceptor._final[:-1] != zero).any():
        return None
    if (acceptor._weight != one).any() or (acceptor._in == 0).any():
        return None
    return acceptor._renamed(symbols)[0]


class WeightedStrings:
    """What a transducer makes of one object, where that is few and short strings.

    Parameters
    ----------
    codes : ndarray of int64
        The strings, as numbers in the transducer's alphabet.
    values : ndarray
        Their weights, as probabilities, in units of the largest.
    log_scale : float
        Logarithm of that unit.
    machine : WeightedTransducer
        The same as an acceptor.
    """

    def __init__(self, codes, values, log_scale, machine):
        self.codes = codes
        self.values = values
        self.log_scale = log_scale
        self.machine = machine


def _machine(item):
    return item.machine if isinstance(item, WeightedStrings) else item


def _listed(machine, symbols):
    """The strings of an acceptor without empty symbols; None where they are too many, too long, or weighed by costs."""
    if machine.semiring.name not in ("probability", "log"):
        return None
    label, _ = machine._renamed(symbols)
    base = len(symbols) + 1
    semiring = machine.semiring
    state = np.flatnonzero(machine._initial != semiring.zero)
    code, value, size = np.zeros(len(state), np.int64), machine._initial[state], 1
    codes, values = [code[:0]], [value[:0]]
    while len(state):
        ends = machine._final[state] != semiring.zero
        codes.append(code[ends])
        values.append(semiring.times(value[ends], machine._final[state[ends]]))
        size *= base
        if size >= 1 << 62 or len(state) > _MOST_FEATURES:
            return None
        degree = np.diff(machine._ptr)[state]
        origin = np.repeat(np.arange(len(state)), degree)
        arc = np.arange(len(origin)) - np.repeat(np.cumsum(degree) - degree, degree) + machine._ptr[state][origin]
        keys = np.column_stack((code[origin] * base + label[arc], machine._target[arc]))
        (code, state), value = _summed(semiring, keys, semiring.times(value[origin], machine._weight[arc]))
    (code,), value = _summed(semiring, np.concatenate(codes)[:, np.newaxis], np.concatenate(values))
    log_scale = -float(value.min(initial=np.inf)) if semiring.name == "log" else 0.0
    if not np.isfinite(log_scale):
        log_scale = 0.0
    return WeightedStrings(code, semiring.probabilities(value + log_scale if log_scale else value), log_scale, machine)


def _summed(semiring, keys, values):
    """Distinct keys, and the sums of their values in the semiring."""
    if not len(keys):
        return keys.T, values
    order = np.lexsort(keys.T)
    keys, values = keys[order], values[order]
    begins = np.flatnonzero(np.append(True, (keys[1:] != keys[:-1]).any(axis=1)))
    sums = -np.logaddexp.reduceat(-values, begins) if semiring.name == "log" else np.add.reduceat(values, begins)
    return keys[begins].T, sums


def _products(A, B):
    """Scalar products of weighted strings, and the logarithms of their units."""
    sides = [(np.concatenate([item.codes for item in side]) if len(side) else np.empty(0, np.int64)) for side in (A, B)]
    vocabulary, place = np.unique(np.concatenate(sides), return_inverse=True)
    tables = []
    for side, columns in ((A, place[: len(sides[0])]), (B, place[len(sides[0]) :])):
        indptr = np.concatenate(([0], np.cumsum([len(item.codes) for item in side], dtype=np.int64)))
        values = np.concatenate([item.values for item in side]) if len(side) else np.empty(0)
        tables.append(sparse.csr_array((values, columns, indptr), shape=(len(side), len(vocabulary))))
    return (tables[0] @ tables[1].T).toarray(), np.add.outer(_log_scales(A), _log_scales(B))


def _least_products(A, B):
    """Scalar products below this may have lost digits, or all of them, to the smallness of their terms.

    That is none of those of objects whose own strings have weights of like size.
    """
    left, right = (np.array([item.values.min(initial=1.0) for item in side]) for side in (A, B))
    return np.where(np.multiply.outer(left, right) < _SMALLEST, _SMALLEST, 0.0)


def _log_scales(items):
    return np.array([item.log_scale for item in items], np.float64)


def _as_weights(semiring, values, log_scales):
    """Weights in the semiring of numbers in units whose logarithms are given."""
    if semiring.name != "log":
        return values
    with np.errstate(divide="ignore"):
        return -np.log(values) - log_scales


def ngram_transducer(alphabet, n, *, decay=None, semiring="probability"):
    """Writes every run of ``n`` symbols of what it reads; with ``decay``, runs with gaps too.

    Its :class:`RationalKernel` is the n-gram kernel: on strings the scalar product of counts, on lattices of expected
    counts.

    Parameters
    ----------
    alphabet : str or sequence of hashable
        The symbols.
    n : int
        Length of the runs.
    decay : float in (0, 1] or None, default=None
        Weight of each symbol skipped inside a run (gappy n-grams); None skips none.
    semiring : "probability" or "log", default="probability"
        The semiring.

    Returns
    -------
    transducer : WeightedTransducer

    Examples
    --------
    >>> from treatise.kernels import ngram_transducer
    >>> ngram_transducer("ab", 2, decay=0.5).weight_of("aab", "ab")
    1.5

    References
    ----------
    .. [1] Paper v05-1035, Section 7.1 (Figure 7) and Figure 1.
    """
    one, weight = _weights(semiring)
    _check_length("n", n)
    if decay is not None and not (isinstance(decay, Real) and 0 < decay <= 1):
        raise ValueError(f"decay={decay!r} must be a number above 0 and at most 1")
    alphabet = _distinct(alphabet)
    arcs = [(i, a, a, one, i + 1) for i in range(n) for a in alphabet]
    arcs += [(i, a, None, one, i) for i in (0, n) for a in alphabet]
    if decay is not None:
        arcs += [(i, a, None, weight(decay), i) for i in range(1, n) for a in alphabet]
    return WeightedTransducer(arcs, [0], [n], semiring=semiring)


def mismatch_transducer(alphabet, k, m, *, semiring="probability"):
    """Writes every string of ``k`` symbols that differs in at most ``m`` places from a run of what it reads.

    Its :class:`RationalKernel` is the mismatch kernel, for lattices too; on strings :class:`MismatchKernel` is quicker.

    Parameters
    ----------
    alphabet : str or sequence of hashable
        The symbols.
    k : int
        Length of the runs.
    m : int
        Most mismatches.
    semiring : "probability" or "log", default="probability"
        The semiring.

    Returns
    -------
    transducer : WeightedTransducer

    References
    ----------
    .. [1] Paper v05-1035, Proposition 16 and Figure 6.
    """
    one, _ = _weights(semiring)
    _check_length("k", k)
    if not isinstance(m, Integral) or not 0 <= m <= k:
        raise ValueError(f"m={m!r} must be an integer between 0 and {k}")
    alphabet = _distinct(alphabet)
    place = {(i, j): i * (m + 1) + j for i in range(k + 1) for j in range(m + 1)}
    arcs = []
    for (i, j), state in place.items():
        for a in alphabet:
            if i in (0, k):
                arcs.append((state, a, None, one, state))
            if i < k:
                arcs.append((state, a, a, one, place[i + 1, j]))
            if i < k and j < m:
                arcs += [(state, a, b, one, place[i + 1, j + 1]) for b in alphabet if b != a]
    return WeightedTransducer(arcs, [0], [place[k, j] for j in range(m + 1)], semiring=semiring)


def edit_distance_transducer(alphabet):
    """Least number of insertions, deletions and substitutions that turn one string into another.

    Use it with ``RationalKernel(..., symmetrize=False)``, of strings or of lattices. The distance is no kernel, nor is
    ``exp(-t distance)`` for every t: see :func:`negative_definiteness`.

    Parameters
    ----------
    alphabet : str or sequence of hashable
        The symbols.

    Returns
    -------
    transducer : WeightedTransducer
        Of one state, in the tropical semiring.

    Examples
    --------
    >>> from treatise.kernels import edit_distance_transducer
    >>> edit_distance_transducer("abcdekinstg").weight_of("kitten", "sitting")
    3.0

    References
    ----------
    .. [1] Paper v05-1035, Section 6.1 and Figure 3(a).
    """
    symbols = [*_distinct(alphabet), None]
    arcs = [(0, a, b, float(a != b), 0) for a in symbols for b in symbols if a is not None or b is not None]
    return WeightedTransducer(arcs, [0], [0], semiring="tropical")


def convolution_transducer(substitution, insertion, gamma):
    """Haussler's convolution: an insertion, then any number of substitutions, each followed by an insertion.

    The machine is ``(1 - gamma) I (gamma S I)*``. Where S and I are positive definite, so is it; use it with
    ``RationalKernel(..., symmetrize=False)``.

    Parameters
    ----------
    substitution, insertion : WeightedTransducer
        S and I, in the probability semiring.
    gamma : float in [0, 1)
        Weight of going on.

    Returns
    -------
    transducer : WeightedTransducer

    References
    ----------
    .. [1] Paper v05-1035, Proposition 15.
    """
    if not (isinstance(gamma, Real) and 0 <= gamma < 1):
        raise ValueError(f"gamma={gamma!r} must be at least 0 and below 1")
    for machine in (substitution, insertion):
        if machine.semiring.name != "probability":
            raise ValueError(f"a convolution is made of probabilities, not of {machine.semiring.name} weights")
    return (insertion * (substitution * insertion).scaled(gamma).closure()).scaled(1 - gamma)


def _weights(semiring):
    """The semiring's one, and its weight for a probability."""
    name = resolve_semiring(semiring).name
    if name not in ("probability", "log"):
        raise ValueError(f"semiring={name!r} does not count; give 'probability' or 'log'")
    return SEMIRINGS[name].one, (lambda p: float(-np.log(p))) if name == "log" else float


def _distinct(alphabet):
    """The symbols as a list; one named twice would count twice."""
    symbols = list(alphabet)
    if not symbols or None in symbols or len(set(symbols)) < len(symbols):
        raise ValueError(f"alphabet={alphabet!r} must name at least one symbol, each once, and not None")
    return symbols


def _check_length(name, value):
    if not isinstance(value, Integral) or value < 1:
        raise ValueError(f"{name}={value!r} must be an integer of at least 1")
