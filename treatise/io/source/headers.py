"""Whether the first record names the columns, and their names."""

from collections import Counter
from collections.abc import Iterable

import polars as pl

from treatise._core.errors import TreatiseError
from treatise.io.source.columns import refuse_patterns
from treatise.io.source.delimiters import SAMPLE_RECORDS
from treatise.io.source.records import Records, counted_fields
from treatise.io.source.values import MISSING, is_number, typed_frame

_SAMPLE_COLUMNS = 200


def is_header(records: Records, *, decimal_comma: bool, asked: Iterable[str] = ()) -> bool:
    """Whether the first record names columns rather than holding values.

    Every cell must be a possible name, and something must set the record apart from those beneath it:
    a column of numbers, truth values or dates that its cell is not, or, where all is text, columns of few
    words among which its own never appear. A name among those that are ``asked`` for, in capitals or not, settles it.
    """
    first = records.first()
    nameless = [i for i, cell in enumerate(first) if not cell]
    # A row index leaves the first name out, a delimiter at the end of every line the last.
    if len(nameless) == len(first) or not set(nameless) <= {0, len(first) - 1}:
        return False
    if any(cell in MISSING or is_number(cell) for cell in first if cell):
        return False
    wanted = {name.strip().lower() for name in asked}
    if records.n_records == 1 or any(cell.strip().lower() in wanted for cell in first if cell):
        return True
    sample = records.cells(limit=SAMPLE_RECORDS)
    if sample.width > 2 * _SAMPLE_COLUMNS:
        sample = sample.select(sample.columns[:_SAMPLE_COLUMNS] + sample.columns[-_SAMPLE_COLUMNS:])
        first = first[:_SAMPLE_COLUMNS] + first[-_SAMPLE_COLUMNS:]
    together = typed_frame(sample, decimal_comma=decimal_comma).frame
    beneath = typed_frame(sample.slice(1), decimal_comma=decimal_comma).frame
    typed = [(of_all == pl.String) for of_all, of_rest in zip(together.dtypes, beneath.dtypes) if of_rest != pl.String]
    if typed:
        return any(typed)
    values = [column.drop_nulls().to_list() for column in beneath.iter_columns()]
    apart = len(set(first)) == len(first) and all(cell not in cells for cell, cells in zip(first, values) if cell)
    return apart and any(len(set(cells)) < len(cells) for cells in values)


def column_names(records: Records, declared: tuple[str, ...], header: bool) -> tuple[list[str], tuple[str, ...]]:
    """The names of the columns, declared, from the header or by number, and notes."""
    if declared:
        if len(declared) != records.n_fields:
            raise TreatiseError(
                f"{len(declared)} attributes are declared, but the rows have {counted_fields(records.n_fields)}"
            )
        given: tuple[str | None, ...] = declared
    else:
        given = records.first() if header else (None,) * records.n_fields
    chosen = [name or f"column_{i}" for i, name in enumerate(given)]
    repeated = [name for name, times in Counter(chosen).items() if times > 1]
    if repeated:
        raise TreatiseError(f"the header names {' and '.join(map(repr, repeated[:3]))} more than once; rename one")
    refuse_patterns(chosen)
    blank = [name for name, said in zip(chosen, given) if not said]
    if (header or declared) and blank:
        return chosen, (f"the nameless column{'s' * (len(blank) > 1)} became {' and '.join(blank)}",)
    return chosen, ()
