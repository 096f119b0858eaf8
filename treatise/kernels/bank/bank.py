"""Many kernels of the same objects: their Gram matrices, weighted sums and quadratic forms within a limit of memory."""

import numpy as np

from treatise._core.threads import over_ranges
from treatise.kernels.bank._families import KernelFamilies
from treatise.kernels.bank._loops import (
    add_block,
    add_rows,
    add_weighted_block,
    add_weighted_rows,
    mirror,
    quadratic_form,
    symmetric_to,
)
from treatise.kernels.base import Kernel
from treatise.kernels.columns import OnColumns
from treatise.kernels.input import check_gram
from treatise.kernels.vectors import Gaussian

NORMALIZATIONS = ("multiplicative", "spherical", "trace")
"""Names of the ways to make kernels comparable."""
_SCALE_ROWS = 500
"""Rows from which the scale of kernels is estimated where their matrices do not fit into memory."""
_CHUNK_BYTES = 32 << 20


class KernelBank:
    """Gram matrices of many kernels over one collection of objects.

    What methods that learn a mixture of kernels ask for again and again: the weighted sum of all matrices, and the
    numbers ``b' K_m b`` for all of them. Matrices that fit into ``memory_bytes`` are computed once, in double
    precision if that fits and in single precision if not. Beyond, the bank keeps as many rows as fit (the same
    objects for all kernels, those not used for longest make room) and computes the others when they are needed, so
    that memory is ``memory_bytes`` plus O(M n) for M kernels. Gaussian kernels of all widths share their distances.

    Parameters
    ----------
    kernels : list of Kernel
        The kernels.
    X : collection of objects
        What all the kernels read.
    normalize : {"multiplicative", "spherical", "trace"} or None, default="multiplicative"
        "multiplicative" scales every kernel so that the objects have variance one in its feature space, "spherical"
        every object to length one, "trace" the diagonal to sum one. A kernel that is constant over all objects has no
        variance and becomes zero under "multiplicative".
    weights : array of shape (n,) or None, default=None
        Weights of the objects in that variance or trace; a weight of two is a second copy.
    memory_bytes : int, default=2 << 30
        Memory that Gram matrices may take.

    Attributes
    ----------
    n_kernels : int
        Number of kernels.
    scales : ndarray of shape (n_kernels,)
        Factors that normalise the kernels; from 500 rows only where not all are kept.
    holds_all : bool
        Whether all matrices are kept.
    families : KernelFamilies or None
        The kernels; None of precomputed matrices.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernels import Gaussian, KernelBank, Linear
    >>> bank = KernelBank([Linear(), Gaussian(0.5)], [[0.0], [1.0], [3.0]], normalize=None)
    >>> bank.mixture(np.array([1.0, 2.0])).round(3)
    array([[ 2.   ,  1.213,  0.022],
           [ 1.213,  3.   ,  3.271],
           [ 0.022,  3.271, 11.   ]])
    >>> bank.quadratic_forms(np.array([1.0, -1.0, 0.0])).round(3)
    array([1.   , 0.787])
    """

    def __init__(self, kernels, X, *, normalize="multiplicative", weights=None, memory_bytes=2 << 30):
        if not kernels or not all(isinstance(kernel, Kernel) for kernel in kernels):
            raise ValueError(f"kernels must be a list of one or more Kernel objects; it is {kernels!r}")
        self.normalize = _checked_normalization(normalize)
        if self.normalize == "spherical":
            kernels = [_on_the_sphere(kernel) for kernel in kernels]
        self.families = KernelFamilies(kernels)
        self.objects = self.families.prepare(X)
        self.n_kernels, n = len(kernels), self.families.count(self.objects)
        whole = self.n_kernels * n * n
        self._dtype = np.float64 if 8 * whole <= memory_bytes else np.float32
        self.holds_all = self._dtype(0).itemsize * whole <= memory_bytes
        slots = n if self.holds_all else max(2, min(n, int(memory_bytes // (4 * self.n_kernels * n))))
        self._store = [np.empty((slots, n), self._dtype) for _ in range(self.n_kernels)]
        self._slot_of, self._object_in = np.full(n, -1), np.full(slots, -1)
        self._used, self._clock = np.zeros(slots, np.int64), 0
        if self.holds_all:
            for some in _chunks(np.arange(n), self._chunk_width(n)):
                self._fill(some, some)
        self.scales = self._scales(np.ones(n) if weights is None else np.asarray(weights, np.float64))

    @classmethod
    def precomputed(cls, grams, *, normalize="multiplicative", weights=None):
        """A bank of Gram matrices that are there already; those in rows of doubles are not copied."""
        if len(grams) == 0:
            raise ValueError("there is no Gram matrix in the list; give at least one")
        bank = cls.__new__(cls)
        bank.normalize = _checked_normalization(normalize)
        if bank.normalize == "spherical":
            raise ValueError(
                "normalize='spherical' needs the kernel of each new object with itself, which precomputed matrices do "
                "not hold; normalise the matrices beforehand and give normalize=None"
            )
        bank.families = bank.objects = None
        bank.n_kernels = len(grams)
        bank._store = [np.ascontiguousarray(gram, np.float64) for gram in grams]
        n = len(bank._store[0])
        for number, gram in enumerate(bank._store):
            # A factorisation of each would cost more than learning their weights, which meets what is indefinite.
            if (
                gram.ndim != 2
                or gram.shape[0] != gram.shape[1]
                or not symmetric_to(gram, 1e-8)
                or np.diagonal(gram).min() < 0
            ):
                try:
                    check_gram(gram)
                except ValueError as fault:
                    raise ValueError(f"Gram matrix {number} of the list: {fault}") from None
            if len(gram) != n:
                raise ValueError(f"Gram matrix {number} is of {len(gram)} objects, the first one of {n}")
        bank._dtype, bank.holds_all = np.float64, True
        bank._slot_of = np.arange(n)
        bank.scales = bank._scales(np.ones(n) if weights is None else np.asarray(weights, np.float64))
        return bank

    def __len__(self):
        return len(self._slot_of)

    def mixture(self, weights):
        """The Gram matrix ``sum_m weights[m] K_m`` in double precision; kernels of weight zero cost nothing."""
        factors = self.scales * weights
        if self.holds_all:
            return self._held_mixture(factors)
        n = len(self)
        total = np.zeros((n, n))
        for some in _chunks(np.arange(n), self._chunk_width(n)):
            for m, block in self._blocks(some, slice(None)):
                if factors[m]:
                    total[some] += factors[m] * block
        # Distances by scalar products are symmetric to rounding only.
        return (total + total.T) / 2.0

    def _held_mixture(self, factors):
        """``sum_m factors[m] K_m`` from what lies below the diagonals, half of what is stored."""
        n, used = len(self), np.flatnonzero(factors)
        total = np.zeros((n, n))
        # Rows that stay in the cache of the processor while every kernel adds its part.
        width = max(1, (128 << 10) // (8 * n))
        starts = range(0, n, width)

        def add(first, last):
            # Short rows near the top and long ones near the bottom make equal work.
            for place in range(first, last):
                for start in {starts[place], starts[-1 - place]}:
                    for m in used:
                        add_rows(total[start : start + width], self._store[m], start, factors[m])

        over_ranges(add, -(-len(starts) // 2), cost=0.25 * n * n * len(used))
        mirror(total)
        return total

    def quadratic_forms(self, coef):
        """``coef' K_m coef`` for all kernels, of shape (n_kernels,); objects without a coefficient cost nothing."""
        positions = np.flatnonzero(coef)
        coef, forms = np.ascontiguousarray(coef[positions], np.float64), np.zeros(self.n_kernels)
        if self.holds_all:

            def compute(first, last):
                for m in range(first, last):
                    forms[m] = quadratic_form(self._store[m], positions, positions, coef)

            over_ranges(compute, self.n_kernels, cost=0.5 * len(positions) ** 2 * self.n_kernels)
        else:
            for some in _chunks(np.arange(len(positions)), self._chunk_width(len(positions))):
                for m, block in self._blocks(positions[some], positions):
                    forms[m] += coef[some] @ block @ coef
        return self.scales * forms

    def products(self, positions, coef):
        """``sum_i coef[i] K_m[positions[i], :]`` for all kernels, of shape (n_kernels, n).

        Rows are kept for the next time as far as memory goes.
        """
        positions, total = np.asarray(positions), np.zeros((self.n_kernels, len(self)))
        for some in _chunks(np.arange(len(positions)), self.n_rows_held):
            slots, part = self._fetch(positions[some]), np.ascontiguousarray(coef[some], np.float64)

            def compute(first, last, slots=slots, part=part):
                for m in range(first, last):
                    add_weighted_rows(total[m], self._store[m], slots, part)

            over_ranges(compute, self.n_kernels, cost=0.5 * len(slots) * total.size)
        return total * self.scales[:, None]

    def block_mixture(self, positions, weights):
        """``sum_m weights[m] K_m`` among some objects, at most ``n_rows_held`` of them."""
        total, factors = np.zeros((len(positions), len(positions))), self.scales * weights
        slots = self._fetch(positions)
        for m in np.flatnonzero(factors):
            add_block(total, self._store[m], slots, positions, factors[m])
        return (total + total.T) / 2.0

    def block_products(self, positions, coef):
        """``sum_i coef[i] K_m[positions[i], positions]`` for all kernels, of shape (n_kernels, len(positions))."""
        used = np.flatnonzero(coef)
        slots, coef = self._fetch(positions)[used], np.ascontiguousarray(coef[used], np.float64)
        total = np.zeros((self.n_kernels, len(positions)))

        def compute(first, last):
            for m in range(first, last):
                add_weighted_block(total[m], self._store[m], slots, positions, coef)

        over_ranges(compute, self.n_kernels, cost=0.5 * len(slots) * total.size)
        return total * self.scales[:, None]

    @property
    def n_rows_held(self):
        """Number of objects whose rows can be kept at the same time."""
        return len(self._store[0])

    def _scales(self, weights):
        n, total = len(self), weights.sum()
        if self.normalize in (None, "spherical"):
            return np.ones(self.n_kernels)
        if self.families is None:
            diagonals = np.array([np.diagonal(gram) for gram in self._store])
        else:
            diagonals = self.families.diagonals(self.objects)
        spread = diagonals @ weights
        if self.normalize == "multiplicative":
            spread = spread / total - self._means(weights, n, total)
            # What rounding leaves of a constant kernel is no variance.
            spread[spread <= 1e-12 * np.abs(diagonals).max(axis=1)] = 0.0
        return np.divide(1.0, spread, out=np.zeros(self.n_kernels), where=spread > 0)

    def _means(self, weights, n, total):
        """Mean of every Gram matrix: exact, or over an even selection of rows where not all are kept."""
        if self.holds_all:
            return np.array([weights @ (gram @ weights) for gram in self._store]) / total**2
        chosen = np.unique(np.linspace(0, n - 1, _SCALE_ROWS).astype(int))
        means = np.zeros(self.n_kernels)
        for some in _chunks(chosen, self._chunk_width(n)):
            for m, block in self._blocks(some, slice(None)):
                means[m] += weights[some] @ (block @ weights)
        return means / (weights[chosen].sum() * total)

    def _blocks(self, rows, columns):
        return self.families.blocks(
            self.families.take(self.objects, rows), self.families.take(self.objects, columns), self._dtype
        )

    def _fill(self, positions, slots):
        for m, block in self._blocks(positions, slice(None)):
            self._store[m][slots] = block
        self._slot_of[positions], self._object_in[slots] = slots, positions

    def _fetch(self, positions):
        """Slots of the rows of some objects, which are computed if they are absent."""
        if self.holds_all:
            return np.asarray(positions)
        if len(positions) > self.n_rows_held:
            raise ValueError(f"{len(positions)} rows were asked for at once; the bank holds {self.n_rows_held}")
        self._clock += 1
        slots = self._slot_of[positions]
        self._used[slots[slots >= 0]] = self._clock
        absent = np.unique(positions[slots < 0])
        free = np.argsort(self._used, kind="stable")[: len(absent)]
        evicted = self._object_in[free]
        self._slot_of[evicted[evicted >= 0]] = -1
        self._used[free] = self._clock
        width = self._chunk_width(len(self))
        for some in _chunks(np.arange(len(absent)), width):
            self._fill(absent[some], free[some])
        return self._slot_of[positions]

    @staticmethod
    def _chunk_width(n):
        return int(np.clip(_CHUNK_BYTES // (8 * max(n, 1)), 1, 1024))


def _checked_normalization(normalize):
    if normalize is not None and normalize not in NORMALIZATIONS:
        raise ValueError(f"normalize={normalize!r} is unknown; it may be {', '.join(NORMALIZATIONS)} or None")
    return normalize


def _on_the_sphere(kernel):
    if isinstance(kernel, Gaussian):
        return kernel
    if isinstance(kernel, OnColumns):
        return OnColumns(_on_the_sphere(kernel.kernel), kernel.columns)
    return kernel.normalized()


def _chunks(positions, width):
    return (positions[start : start + width] for start in range(0, len(positions), width))
