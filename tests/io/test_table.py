"""Finding a column by what the user says."""

import re

import polars as pl
import pytest

from treatise._core.errors import TreatiseError
from treatise.compare.inputs.encoding.frames import as_frame
from treatise.io import Table, read_table


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


@pytest.mark.parametrize("name", ["*", "^a.*$", "^$"])
def test_names_that_are_patterns_are_refused_wherever_a_table_comes_from(name, tmp_path):
    frame = pl.DataFrame({"a": [1, 2, 3], name: ["x", "y", "x"]})
    words = re.escape(f"a column is called {name!r}")
    with pytest.raises(TreatiseError, match=words):
        Table("survey", frame, True, ())
    with pytest.raises(TreatiseError, match=words):
        as_frame(frame.to_pandas())
    frame.write_csv(tmp_path / "data.csv")
    frame.write_parquet(tmp_path / "data.parquet")
    for file in ("data.csv", "data.parquet"):
        with pytest.raises(TreatiseError, match=words):
            read_table(tmp_path / file)


def test_a_name_with_a_star_or_a_dollar_in_it_is_a_name(tmp_path):
    (tmp_path / "data.csv").write_text("a*,$b,^c\n1,2,3\n4,5,6\n")
    assert read_table(tmp_path / "data.csv").frame["$b"].to_list() == [2, 5]
