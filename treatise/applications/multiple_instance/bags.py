"""Bags of instances: sets of rows of which each set, and not each row, has a label."""

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from scipy import sparse


class Bags(Sequence):
    """Bags as one table of instances, a bag being a run of its rows.

    What every method of bags works on; lists of arrays are turned into it. A slice or an array of numbers gives some
    of the bags, a number one of them as an array.

    Parameters
    ----------
    instances : ndarray of shape (n_instances, n_features)
        The rows, those of a bag together.
    starts : ndarray of int of shape (n_bags + 1,)
        Where each bag begins, and the end of the last.

    Examples
    --------
    >>> from treatise.applications import Bags
    >>> bags = Bags.from_list([[[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]]])
    >>> len(bags), bags[1].tolist(), bags.sizes.tolist()
    (2, [[3.0, 4.0], [5.0, 6.0]], [1, 2])
    """

    def __init__(self, instances: np.ndarray, starts: np.ndarray):
        self.instances = instances
        self.starts = starts

    @classmethod
    def from_list(cls, bags: Any) -> "Bags":
        """Bags from a list of tables, one each, or from one array of bags x instances x features.

        Parameters
        ----------
        bags : Bags or sequence of array-like of shape (n_instances, n_features)
            Numbers, without NaN; every bag has at least one row, all have the same columns.

        Returns
        -------
        Bags
        """
        if isinstance(bags, cls):
            return bags
        if isinstance(bags, (str, bytes, dict)) or sparse.issparse(bags) or hasattr(bags, "columns"):
            raise ValueError(
                f"a {type(bags).__name__} is no list of bags; give a list of arrays, or a table and its bag column to "
                "bags_from_table"
            )
        if getattr(bags, "ndim", None) == 2:
            raise ValueError(
                f"one array of the shape {bags.shape} was given; give a list of such arrays, one for each bag"
            )
        listed = [_rows_of(bag, f"bag {i} (counted from 0)") for i, bag in enumerate(bags)]
        if not listed:
            raise ValueError("no bags were given; at least one is needed")
        for i, bag in enumerate(listed):
            if bag.shape[1] != listed[0].shape[1]:
                raise ValueError(
                    f"bag {i} (counted from 0) has {bag.shape[1]} columns and bag 0 has {listed[0].shape[1]}; all need "
                    "the same"
                )
        sizes = [len(bag) for bag in listed]
        return cls(np.concatenate(listed), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))

    @classmethod
    def from_rows(cls, instances: np.ndarray, numbers: np.ndarray) -> "Bags":
        """Bags from a table of numbers and the number of the bag of every row, 0 to the number of bags less one."""
        order = np.argsort(numbers, kind="stable")
        return cls(instances[order], np.concatenate([[0], np.cumsum(np.bincount(numbers))]).astype(np.int64))

    @property
    def sizes(self) -> np.ndarray:
        """Number of instances of each bag."""
        return np.diff(self.starts)

    @property
    def owners(self) -> np.ndarray:
        """Number of the bag of each instance."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self.instances.shape[1]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, key: int) -> np.ndarray: ...

    @overload
    def __getitem__(self, key: Any) -> "Bags": ...

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, (int, np.integer)):
            number = range(len(self))[key]
            return self.instances[self.starts[number] : self.starts[number + 1]]
        return self.take(np.arange(len(self))[key])

    def __iter__(self) -> Iterator[np.ndarray]:
        for number in range(len(self)):
            yield self[number]

    def take(self, numbers: np.ndarray) -> "Bags":
        """Some of the bags, in the order of their numbers."""
        sizes = self.sizes[numbers]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        rows = np.arange(starts[-1]) + np.repeat(self.starts[numbers] - starts[:-1], sizes)
        return Bags(self.instances[rows], starts)

    def showing(self, instances: np.ndarray) -> "Bags":
        """The same bags with other columns."""
        return Bags(instances, self.starts)

    def means(self) -> np.ndarray:
        """Mean instance of each bag."""
        return np.add.reduceat(self.instances, self.starts[:-1], axis=0) / self.sizes[:, np.newaxis]

    def in_fixed_order(self, codes: np.ndarray) -> tuple["Bags", np.ndarray]:
        """The same bags and labels in an order that depends on neither the order of bags nor that of instances.

        Sums taken in it have the same bits however the bags came, and so have searches that rounding would steer.
        """
        rows = np.ascontiguousarray(self.instances + 0.0)  # one zero, not two
        as_bytes = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
        _, ranks = np.unique(as_bytes, return_inverse=True)
        within = np.lexsort([ranks, self.owners])
        ranks = ranks[within]
        keys = [tuple(ranks[first:last]) for first, last in zip(self.starts[:-1], self.starts[1:])]
        order = np.array(sorted(range(len(self)), key=lambda bag: (codes[bag], keys[bag])), np.int64)
        return Bags(rows[within], self.starts).take(order), codes[order]


def _rows_of(bag: Any, where: str) -> np.ndarray:
    if sparse.issparse(bag):
        raise ValueError(f"{where} is a sparse matrix; give an array")
    try:
        rows = np.asarray(bag, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{where} is no table of numbers; it must be instances x features") from None
    if rows.size == 0:
        raise ValueError(f"{where} is empty; a bag needs at least one instance")
    if rows.ndim != 2:
        raise ValueError(f"{where} has the shape {rows.shape}; it must be (instances, features)")
    if not np.isfinite(rows).all():
        raise ValueError(f"{where} holds NaN or infinity; fill such cells first")
    return rows


def bags_from_table(table: Any, bag: Any, target: Any = None) -> tuple[Bags, np.ndarray | None, np.ndarray]:
    """Bags from a table with a row for each instance and a column that names its bag.

    Parameters
    ----------
    table : data frame or array-like of shape (n_instances, n_columns)
        The instances; a frame of pandas or Polars, or an array of numbers.
    bag : str or array-like of shape (n_instances,)
        Name of the column of a frame that says which bag a row belongs to, or such a column.
    target : str, array-like of shape (n_instances,) or None, default=None
        The column of labels likewise; all rows of a bag must have the same.

    Returns
    -------
    bags : Bags
        The bags, in the order in which the table first names them.
    y : ndarray of shape (n_bags,) or None
        Their labels.
    names : ndarray of shape (n_bags,)
        Their names.

    Examples
    --------
    >>> from treatise.applications import bags_from_table
    >>> bags, y, names = bags_from_table([[1.0], [2.0], [7.0]], bag=["a", "b", "a"], target=[1, 0, 1])
    >>> [b.ravel().tolist() for b in bags], y.tolist(), names.tolist()
    ([[1.0, 7.0], [2.0]], [1, 0], ['a', 'b'])
    """
    aside = [name for name in (bag, target) if isinstance(name, str)]
    columns = list(getattr(table, "columns", []))
    for name in aside:
        if name not in columns:
            raise ValueError(f"the table has no column {name!r}; its columns: {', '.join(map(str, columns)) or 'none'}")
    names_of_rows = np.asarray(table[bag] if isinstance(bag, str) else bag)
    labels = None if target is None else np.asarray(table[target] if isinstance(target, str) else target)
    features = table[[name for name in columns if name not in aside]] if columns else table
    rows = _rows_of(features, "the table")
    for what, values in (("bag", names_of_rows), ("target", labels)):
        if values is not None and len(values) != len(rows):
            raise ValueError(f"{what} has {len(values)} entries and the table {len(rows)} rows")
    names, first, numbers = np.unique(names_of_rows, return_index=True, return_inverse=True)
    order = np.argsort(first)
    places = np.argsort(order)[numbers]
    y = None
    if labels is not None:
        y = labels[first[order]]
        differing = np.flatnonzero(labels != y[places])
        if len(differing):
            row = differing[0]
            raise ValueError(
                f"bag {names_of_rows[row]} has the labels {y[places[row]]} and {labels[row]}; every row of a bag must "
                "carry the bag's one label"
            )
    return Bags.from_rows(rows, places), y, names[order]
