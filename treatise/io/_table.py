"""A table as it was read: a frame with named columns, and what the reader did to get there."""

import difflib
from dataclasses import dataclass

import polars as pl
from scipy import sparse

from treatise._core.errors import TreatiseError


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

    Examples
    --------
    >>> import polars as pl
    >>> from treatise.io import Table
    >>> table = Table("fruit", pl.DataFrame({"mass": [3.1, 2.9], "kind": ["fig", "plum"]}), True, ())
    >>> table.n_rows, table.column(-1), table.column("0")
    (2, 'kind', 'mass')
    """

    name: str
    frame: pl.DataFrame
    header: bool
    notes: tuple[str, ...]
    matrix: sparse.csr_matrix | None = None
    target: str | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows, the header not counted."""
        return self.frame.height

    def column(self, key: str | int) -> str:
        """The name of a column given by name, or by number from the left (0) or from the right (-1).

        Text that is an integer and no column's name counts as a number.
        """
        names = self.frame.columns
        if isinstance(key, str):
            if key in names:
                return key
            try:
                number = int(key)
            except ValueError:
                raise TreatiseError(f"{self.name} has no column {key!r}; {_suggestion(key, names)}") from None
        else:
            number = key
        if not -len(names) <= number < len(names):
            raise TreatiseError(
                f"{self.name} has no column number {number}: its {len(names)} columns are numbered "
                f"0 to {len(names) - 1} from the left, -1 to -{len(names)} from the right"
            )
        return names[number]


def _suggestion(key: str, names: list[str]) -> str:
    folded = {name.casefold(): name for name in reversed(names)}
    close = [folded[match] for match in difflib.get_close_matches(key.casefold(), folded, n=3)]
    if close:
        return f"did you mean {' or '.join(map(repr, close))}?"
    shown = ", ".join(map(repr, names[:10]))
    return f"its columns: {shown}" + (f" and {len(names) - 10} more" if len(names) > 10 else "")
