"""Numbers and dates as people write them: one decision for a column, told, and none where two are possible."""

import datetime

import polars as pl
import pytest

from treatise.io import read_table
from treatise.io.source import read_as, read_compact, read_dates, read_written
from treatise.io.source.written_numbers import Picture


def read(cells, **options):
    found = read_written(pl.DataFrame({"x": cells}), **options)
    return found.frame["x"].to_list(), found.written.get("x"), found.notes


@pytest.mark.parametrize(
    ("cells", "picture", "numbers"),
    [
        (["$1,234.50", "$3", "-$2.5", "($300)", "$-4", None], "$1,234.5", [1234.5, 3, -2.5, -300, -4, None]),
        (["1 234,50 €", "3 €"], "1 234,5 €", [1234.5, 3]),
        (["12.5 %", "3 %", "0.5%"], "1234.5 %", [12.5, 3, 0.5]),
        (["(300)", "200"], "1234.5", [-300, 200]),
        (["1'000", "2’500.5"], "1'234.5", [1000, 2500.5]),
        (["1,500", "12"], "1,234.5", [1500, 12]),
        (["1,5", "2", "-,25"], "1234,5", [1.5, 2, -0.25]),
        (["0,500", "0,250"], "1234,5", [0.5, 0.25]),
        (["1.234.567", "2.500"], "1.234,5", [1234567, 2500]),
        (["10kg", "12.5kg"], "1234.5kg", [10, 12.5]),
        (["12,34,567", "1,000"], "1,234.5", [1234567, 1000]),
        (["1\u202f234", "5"], "1 234.5", [1234, 5]),
        (["USD 5", "USD 7"], "USD 1234.5", [5, 7]),
        (["−5 °C", "3 °C"], "1234.5 °C", [-5, 3]),
    ],
)
def test_numbers_of_one_writing_are_numbers(cells, picture, numbers):
    found, written, notes = read(cells)
    assert (found, written) == (numbers, picture)
    assert notes == (f"column 'x' read as numbers written like {picture!r}",)
    assert str(Picture.read(picture)) == picture


@pytest.mark.parametrize(
    "cells",
    [
        ["10kg", "12g"], ["$5", "€5"], ["$5", "7"], ["1,234.5", "1.234,5"], ["044 123 456"], ["1.2.3"], ["A12", "A13"],
        ["192.168.100.200", "10.0.0.1"], ["10-20", "20-30"], ["(5", "6"], ["1 000,5", "2 000.5"], ["3rd", "4th"],
        ["10:30", "11:30"], ["007 €"], ["1 2", "3 4"], ["12", "n/k"],
        ["1", "2.5"],
    ],
)  # fmt: skip
def test_cells_that_disagree_stay_text(cells):
    assert read(cells) == (cells, None, ())


def test_the_decimal_sign_of_the_file_goes_before_thousands():
    assert read(["1,500 €", "2,500 €"])[0] == [1500, 2500]
    assert read(["1,500 €", "2,500 €"], decimal_comma=True)[0] == [1.5, 2.5]
    assert read(["1,500,000 €", "2,500 €"], decimal_comma=True)[0] == [1_500_000, 2500]


D, M = datetime.date, datetime.datetime


@pytest.mark.parametrize(
    ("cells", "order", "dates"),
    [
        (["31.1.2024", "1.2.2024"], "day/month/year", [D(2024, 1, 31), D(2024, 2, 1)]),
        (["01/31/24", "02/03/99", None], "month/day/year", [D(2024, 1, 31), D(1999, 2, 3), None]),
        (["2024/1/5", "2024/12/31"], "year/month/day", [D(2024, 1, 5), D(2024, 12, 31)]),
        (["31-Jan-2024 10:30", "1-feb-2024 9:05"], "day/month/year", [M(2024, 1, 31, 10, 30), M(2024, 2, 1, 9, 5)]),
        (["January 31, 2024", "May 5, 2023"], "month/day/year", [D(2024, 1, 31), D(2023, 5, 5)]),
        (["1/2/2024 5:03 PM", "1/13/2024 12:10 am"], "month/day/year", [M(2024, 1, 2, 17, 3), M(2024, 1, 13, 0, 10)]),
        (["01/02/2024", "01/03/2024"], "day/month/year", [D(2024, 2, 1), D(2024, 3, 1)]),  # first days of months
        (["1.2.2024", "3.4.2024"], "day/month/year", [D(2024, 2, 1), D(2024, 4, 3)]),  # points: the day comes first
    ],
)  # fmt: skip
def test_dates_of_one_order_are_dates(cells, order, dates):
    assert read(cells) == (dates, order, (f"column 'x' read as dates, {order}",))


@pytest.mark.parametrize("cells", [["30/02/2024", "1/1/2024"], ["13/13/2024"], ["1/25:00/2024"], ["31-Foo-2024"]])
def test_days_that_do_not_exist_stay_text(cells):
    assert read(cells) == (cells, None, ())


def test_an_order_that_cannot_be_told_is_told_as_such():
    found, written, (note,) = read(["01/02/2024", "03/04/2024"])
    assert found == ["01/02/2024", "03/04/2024"] and written is None
    assert note == (
        "column 'x' holds dates that may be day/month/year or month/day/year and stays text; write them as 2024-01-31"
    )


def test_whole_numbers_are_days_where_all_of_them_are():
    days = pl.DataFrame({"x": [20240131, 20240201, None, 20231224], "y": [0.5] * 4})
    found = read_compact(days)
    assert found.frame["x"].to_list() == [D(2024, 1, 31), D(2024, 2, 1), None, D(2023, 12, 24)]
    assert found.written == {"x": "yearmonthday"} and found.notes == ("column 'x' read as dates, yearmonthday",)
    for other in ([20240131, 20240201, 20241301], [1, 2, 3], [20240131, 20240131, 20240131], [2.0240131e7] * 3):
        assert read_compact(pl.DataFrame({"x": other})).frame["x"].to_list() == other


def test_a_known_writing_settles_what_a_short_file_leaves_open(tmp_path):
    path = tmp_path / "new.csv"
    path.write_text('day,paid,n\n03/04/2021,"2.500",7\n')
    assert read_table(path).frame.row(0) == ("03/04/2021", 2.5, 7)
    known = read_table(path, written={"day": "month/day/year", "paid": "1.234,5", "n": "1.234,5", "gone": "$1,234.5"})
    assert known.frame.row(0) == (D(2021, 3, 4), 2500, 7)
    # Where the cells do not bear it out, they are read as if nothing were known.
    other = read_table(path, written={"day": "year/month/day", "paid": "$1,234.5", "n": "day/month/year"})
    assert other.frame.row(0) == ("03/04/2021", 2.5, 7)


def test_cells_are_read_one_by_one_by_a_writing_and_others_are_missing():
    assert read_as(pl.Series("x", ["$1,000", "2", "junk", None]), "$1,234.5").to_list() == [1000, 2, None, None]
    assert read_as(pl.Series("x", ["1,5e3", "2,5"]), "1234,5").to_list() == [1500, 2.5]
    assert read_as(pl.Series("x", ["3/4/2021", "soon"]), "day/month/year").to_list() == [D(2021, 4, 3), None]
    cells = ["2020-01-02", "2020-01-02 03:04", "2020-01-02T03:04:05+01:00", "later", "2020-01-02 03:04 UTC"]
    mixed = pl.Series("x", cells)
    expected = [M(2020, 1, 2), M(2020, 1, 2, 3, 4), M(2020, 1, 2, 2, 4, 5), None, M(2020, 1, 2, 3, 4)]
    assert read_dates(mixed).to_list() == expected


def test_files_tell_what_they_read(tmp_path):
    path = tmp_path / "sales.csv"
    path.write_text('when,paid,share,note\n31/12/2021,"$1,200.00",5 %,a\n01/01/2022,$80.50,7.5 %,b\n')
    table = read_table(path)
    assert table.frame.rows() == [(D(2021, 12, 31), 1200.0, 5.0, "a"), (D(2022, 1, 1), 80.5, 7.5, "b")]
    assert table.written == {"when": "day/month/year", "paid": "$1,234.5", "share": "1234.5 %"}


def test_blanks_around_labels_are_not_left_out_in_silence(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "1,yes\n2, yes\n3,no\n4,yes \n" * 5)
    assert "blanks around 10 of 20 values of 'y' were left out; those in quotes would stay" in read_table(path).notes
    path.write_text("x,y\n" + '1,yes\n2," yes"\n3,no\n' * 5)
    table = read_table(path)
    assert set(table.frame["y"]) == {"yes", " yes", "no"} and not any("blanks" in note for note in table.notes)
    path.write_text("x, y\n" + "1, yes\n2, no\n" * 5)
    assert not any("blanks" in note for note in read_table(path).notes)


def test_a_few_control_characters_in_much_text_become_blanks(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"x,y\n" + b"a\x05b,1\n" + b"one more line,2\n" * 2000)
    table = read_table(path)
    assert table.frame["x"][0] == "a b" and "1 control character became blanks" in table.notes
