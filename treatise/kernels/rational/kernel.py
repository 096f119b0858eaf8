"""Rational kernels: similarities of strings and lattices given by a weighted transducer (JMLR 5:1035)."""

from collections.abc import Iterable
from numbers import Integral, Real

import numpy as np
from scipy import sparse

from treatise.kernels.base import Kernel
from treatise.kernels.rational.semirings import SEMIRINGS, resolve_semiring
from treatise.kernels.rational.transducers import WeightedTransducer, string_acceptor
from treatise.kernels.strings.encoded import refuse_single

_MOST_FEATURES = 1 << 16
"""Distinct outputs of one object up to which they are listed; beyond, machines are composed pair by pair."""


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
        Of a weight, the kernel value; None is the weight itself, in the log semiring exp(-weight).

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
        if self.symmetrize and all(isinstance(item, WeightedStrings) for item in (*A, *B)):
            return self._valued(_products(A, B))
        weights = np.empty((len(A), len(B)))
        for i, left in enumerate(A):
            left = left if self.symmetrize else left @ self.transducer
            for j, right in enumerate(B):
                weights[i, j] = (_machine(left) @ _machine(right)).total_weight()
        semiring = self.transducer.semiring
        if self.symmetrize and semiring.name == "log":
            return self._valued(semiring.probabilities(weights))
        return self._valued(weights)

    def _valued(self, weights):
        """Values of psi; products of counts come as probabilities."""
        log = self.transducer.semiring.name == "log"
        if self.psi is None:
            return SEMIRINGS["log"].probabilities(weights) if log and not self.symmetrize else weights
        if log and self.symmetrize:
            with np.errstate(divide="ignore"):
                weights = -np.log(weights)
        return np.vectorize(self.psi, otypes=[np.float64])(weights) if weights.size else weights

    def diagonal(self, A):
        if self.symmetrize and all(isinstance(item, WeightedStrings) for item in A):
            return self._valued(np.array([item.values @ item.values for item in A]))
        return np.array([self.block(A[i : i + 1], A[i : i + 1])[0, 0] for i in range(len(A))])


class WeightedStrings:
    """What a transducer makes of one object, where that is few and short strings.

    Parameters
    ----------
    codes : ndarray of int64
        The strings, as numbers in the transducer's alphabet.
    values : ndarray
        Their weights, as probabilities.
    machine : WeightedTransducer
        The same as an acceptor.
    """

    def __init__(self, codes, values, machine):
        self.codes = codes
        self.values = values
        self.machine = machine


def _machine(item):
    return item.machine if isinstance(item, WeightedStrings) else item


def _listed(machine, symbols):
    """The strings of an acceptor without empty symbols; None where they are too many, too long, or weighed by costs."""
    if machine.semiring.name not in ("probability", "log"):
        return None
    label, _ = machine._renamed(symbols)
    base = len(symbols) + 1
    weight = machine.semiring.probabilities(machine._weight)
    final = machine.semiring.probabilities(machine._final)
    start = machine.semiring.probabilities(machine._initial)
    state = np.flatnonzero(start)
    code, value, size = np.zeros(len(state), np.int64), start[state], 1
    codes, values = [code[:0]], [value[:0]]
    while len(state):
        ends = final[state] > 0
        codes.append(code[ends])
        values.append(value[ends] * final[state[ends]])
        size *= base
        if size >= 1 << 62 or len(state) > _MOST_FEATURES:
            return None
        degree = np.diff(machine._ptr)[state]
        origin = np.repeat(np.arange(len(state)), degree)
        arc = np.arange(len(origin)) - np.repeat(np.cumsum(degree) - degree, degree) + machine._ptr[state][origin]
        keys = np.column_stack((code[origin] * base + label[arc], machine._target[arc]))
        (code, state), value = _summed(keys, value[origin] * weight[arc])
    (code,), value = _summed(np.concatenate(codes)[:, np.newaxis], np.concatenate(values))
    return WeightedStrings(code, value, machine)


def _summed(keys, values):
    """Distinct keys, and the sums of their values."""
    if not len(keys):
        return keys.T, values
    order = np.lexsort(keys.T)
    keys = keys[order]
    begins = np.flatnonzero(np.append(True, (keys[1:] != keys[:-1]).any(axis=1)))
    return keys[begins].T, np.add.reduceat(values[order], begins)


def _products(A, B):
    """Scalar products of weighted strings."""
    sides = [(np.concatenate([item.codes for item in side]) if len(side) else np.empty(0, np.int64)) for side in (A, B)]
    vocabulary, place = np.unique(np.concatenate(sides), return_inverse=True)
    tables = []
    for side, columns in ((A, place[: len(sides[0])]), (B, place[len(sides[0]) :])):
        indptr = np.concatenate(([0], np.cumsum([len(item.codes) for item in side], dtype=np.int64)))
        values = np.concatenate([item.values for item in side]) if len(side) else np.empty(0)
        tables.append(sparse.csr_array((values, columns, indptr), shape=(len(side), len(vocabulary))))
    return (tables[0] @ tables[1].T).toarray()


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
