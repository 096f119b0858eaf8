"""A table as it was read: a frame with named columns, and what the reader did to get there."""

from dataclasses import dataclass, field

import numpy as np
import polars as pl
from scipy import sparse

from treatise._core.errors import TreatiseError
from treatise.io.source import column_name, refuse_patterns


@dataclass(frozen=True, eq=False)
class Table:
    """Rows and named columns, with a record of how they were read.

    Parameters
    ----------
    name : str
        The file's name without its endings, or the name of a bundled table.
    frame : polars.DataFrame
        Every column in the order of the file: numbers, Boolean, text, dates, times and durations.
    header : bool
        Whether the column names came from the file; otherwise they are ``column_0``, ``column_1`` and on.
    notes : tuple of str
        Sentences on what the reader decided, for the person who holds the file.
    matrix : scipy.sparse.csr_matrix or None, default=None
        The features of a LIBSVM file; ``frame`` then holds the single column ``"label"``.
    target : str or None, default=None
        The column to predict, where the table itself says which it is.
    written : dict of str to str, default={}
        How columns of numbers and dates that are no plain ones are written: a picture such as ``$1,234.5``, or
        ``day/month/year``.
    asides : dict of str to str, default={}
        Columns that the table itself says are nothing to predict from, and why.
    levels : dict of str to tuple of str, default={}
        Categories of the columns that the table itself says have an order, the lowest first; empty where it does not
        say which order.

    Examples
    --------
    >>> import polars as pl
    >>> from treatise.io import Table
    >>> table = Table("fruit", pl.DataFrame({"mass": [3.1, 2.9], "kind": ["fig", "plum"]}), True, ())
    >>> table.n_rows, table.column(-1), table.column("0")
    (2, 'kind', 'mass')
    >>> table.arrays("kind")
    (array([[3.1],
           [2.9]]), array(['fig', 'plum'], dtype='<U4'))
    """

    name: str
    frame: pl.DataFrame
    header: bool
    notes: tuple[str, ...]
    matrix: sparse.csr_matrix | None = None
    target: str | None = None
    written: dict[str, str] = field(default_factory=dict)
    asides: dict[str, str] = field(default_factory=dict)
    levels: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        refuse_patterns(self.frame.columns)

    @property
    def n_rows(self) -> int:
        """Number of rows, the header not counted."""
        return self.frame.height

    def column(self, key: str | int) -> str:
        """The name of a column given by name, or by number from the left (0) or from the right (-1).

        Text that is an integer and no column's name counts as a number.
        """
        return column_name(key, self.frame.columns, self.name)

    def arrays(self, target: str | int | None = None) -> tuple[np.ndarray | sparse.csr_matrix, np.ndarray]:
        """Features and target for an estimator.

        Parameters
        ----------
        target : str, int or None, default=None
            The column to predict, by name or number; None takes the one that the table itself says.

        Returns
        -------
        X : ndarray or csr_matrix
            Numbers, missing ones NaN; text where every column is; objects where columns differ; the sparse matrix of
            LIBSVM text.
        y : ndarray
            Numbers or text.
        """
        if target is None:
            target = "label" if self.matrix is not None else self.target
        if target is None:
            raise TreatiseError(f"{self.name} does not say which column is to be predicted; name it")
        name = self.column(target)
        y = self.frame[name].to_numpy()
        y = y.astype(str) if y.dtype.kind == "O" else y
        if self.matrix is not None:
            return self.matrix, y
        features = self.frame.drop(name)
        if all(kind.is_numeric() or kind == pl.Boolean for kind in features.dtypes):
            return features.cast(pl.Float64).to_numpy(), y
        if all(column.dtype == pl.String and not column.null_count() for column in features.iter_columns()):
            return features.to_numpy().astype(str), y
        columns = [
            column.cast(pl.Float64) if column.dtype.is_numeric() else column for column in features.iter_columns()
        ]
        return np.column_stack([column.to_numpy().astype(object) for column in columns]), y
