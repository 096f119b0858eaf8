"""Finding a column by what the user says."""

import polars as pl
import pytest

from treatise._core.errors import TreatiseError
from treatise.io import Table


@pytest.fixture
def table():
    return Table("survey", pl.DataFrame({"Age": [1, 2], "income": [3, 4], "2": [5, 6], "1": [7, 8]}), True, ())


def test_columns_are_found_by_name_and_by_number_from_both_ends(table):
    assert table.n_rows == 2
    assert [table.column(key) for key in ("Age", 0, 1, -1, "-2", "0")] == ["Age", "Age", "income", "1", "2", "Age"]


def test_a_name_goes_before_a_number(table):
    assert table.column("1") == "1"
    assert table.column(1) == "income"


def test_a_wrong_name_is_answered_with_close_ones(table):
    with pytest.raises(TreatiseError, match=r"survey has no column 'age'; did you mean 'Age'\?"):
        table.column("age")
    with pytest.raises(TreatiseError, match="its columns: 'Age', 'income', '2', '1'"):
        table.column("zzz")
    with pytest.raises(TreatiseError, match="no column number 4: its 4 columns are numbered 0 to 3"):
        table.column("4")
    with pytest.raises(TreatiseError, match="no column number -5"):
        table.column(-5)
