"""Rows of a Gram matrix, computed when asked for and kept up to a limit of memory."""

import numpy as np

from treatise.kernels.base import count

_EAGER_BYTES = 32 << 20
"""A matrix up to this size is computed at once: its product of matrices costs less than row by row."""


class GramRows:
    """The Gram matrix of one collection, of which a solver sees whole rows.

    Compiled loops read ``store[slot_of[i]]``; where ``slot_of[i]`` is negative the row is not held and they come back
    to ask for it by :meth:`fetch`. Rows that were not used for longest make room; a loop notes a use by writing a
    growing ``clock`` into ``used[slot]``.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    objects : prepared objects
        As ``kernel.prepare`` gave them.
    cache_bytes : int, default=200 << 20
        Memory that rows may take; at least two rows are held. A collection whose whole matrix fits is never computed
        twice.

    Attributes
    ----------
    store : ndarray of shape (n_slots, n)
        Rows held.
    slot_of : ndarray of shape (n,)
        Where the row of each object lies, or -1.
    used : ndarray of shape (n_slots,)
        When each slot was last used.
    diagonal : ndarray of shape (n,)
        Kernel values of the objects with themselves.

    Examples
    --------
    >>> import numpy as np
    >>> from treatise.kernels import GramRows, Linear
    >>> rows = GramRows(Linear(), Linear().prepare([[1.0], [2.0], [3.0]]))
    >>> rows.row(1)
    array([2., 4., 6.])
    """

    def __init__(self, kernel, objects, *, cache_bytes=200 << 20):
        self._kernel = kernel
        self._objects = objects
        n = count(objects)
        slots = int(min(n, max(2, cache_bytes // (8 * max(n, 1)))))
        self.diagonal = np.ascontiguousarray(kernel.diagonal(objects), np.float64)
        self.slot_of = np.full(n, -1, np.int64)
        self._object_in = np.full(slots, -1, np.int64)
        self.used = np.zeros(slots, np.int64)
        self.clock = 0
        self._n_filled = 0
        self._oldest = []
        if slots == n and 8 * n * n <= _EAGER_BYTES:
            self.store = np.ascontiguousarray(kernel.block(objects, objects), np.float64)
            self.slot_of[:] = np.arange(n)
            self._object_in[:] = np.arange(n)
            self._n_filled = n
        else:
            self.store = np.empty((slots, n))

    @classmethod
    def precomputed(cls, gram):
        """All rows of a matrix that is there already; it is not copied."""
        rows = cls.__new__(cls)
        n = len(gram)
        rows._kernel = rows._objects = None
        rows.store = gram
        rows.diagonal = np.ascontiguousarray(np.diagonal(gram))
        rows.slot_of = np.arange(n)
        rows._object_in = np.arange(n)
        rows.used = np.zeros(n, np.int64)
        rows.clock = 0
        rows._n_filled = n
        rows._oldest = []
        return rows

    def __len__(self):
        return len(self.slot_of)

    @property
    def holds_all(self):
        """Whether every row has its place at the same time."""
        return len(self.store) == len(self.slot_of)

    def fetch(self, positions):
        """Make sure that the rows of these objects are held, and stay so until the next call."""
        self.clock += 1
        absent = []
        for position in positions:
            slot = self.slot_of[position]
            if slot >= 0:
                self.used[slot] = self.clock
            elif position not in absent:
                absent.append(position)
        if not absent:
            return
        if len(absent) > len(self.store):
            raise ValueError(f"{len(absent)} rows were asked for at once; the cache holds {len(self.store)}")
        slots = self._free_slots(len(absent))
        block = self._kernel.block(self._objects[np.asarray(absent)], self._objects)
        for position, slot, row in zip(absent, slots, block):
            if self._object_in[slot] >= 0:
                self.slot_of[self._object_in[slot]] = -1
            self.store[slot] = row
            self._object_in[slot] = position
            self.slot_of[position] = slot
            self.used[slot] = self.clock

    def row(self, position):
        """One row of the matrix; valid until the next call."""
        self.fetch([position])
        return self.store[self.slot_of[position]]

    def _free_slots(self, count):
        """Slots that may be overwritten: fresh ones first, then those not used for longest.

        The oldest rows are looked up an eighth of the cache at a time; one that was used since then is passed over.
        """
        free = []
        while len(free) < count:
            if self._n_filled < len(self.store):
                free.append(self._n_filled)
                self._n_filled += 1
                continue
            if not self._oldest:
                some = max(count, len(self.store) // 8)
                slots = np.argsort(self.used)[:some]
                self._oldest = list(zip(slots[::-1], self.used[slots[::-1]]))
            slot, time = self._oldest.pop()
            if self.used[slot] == time and slot not in free:
                free.append(slot)
        return free

    def product(self, positions, weights):
        """``sum_i weights[i] K[positions[i], :]``: the sum of some rows, without evicting the rows held."""
        total = np.zeros(len(self))
        positions = np.asarray(positions, np.int64)
        held = self.slot_of[positions] >= 0
        for some in _chunks(np.flatnonzero(held), 256):
            total += weights[some] @ self.store[self.slot_of[positions[some]]]
        width = int(np.clip((32 << 20) // (8 * max(len(self), 1)), 1, 1024))
        for some in _chunks(np.flatnonzero(~held), width):
            total += weights[some] @ self._kernel.block(self._objects[positions[some]], self._objects)
        return total


def _chunks(positions, width):
    return (positions[start : start + width] for start in range(0, len(positions), width))
