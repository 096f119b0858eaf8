"""Delimited text: what divides fields, what is a header, what is refused."""

import time

import numpy as np
import polars as pl
import pytest

from treatise._core.errors import TreatiseError
from treatise.io import read_table


def values(table):
    return table.frame.to_dict(as_series=False)


@pytest.mark.parametrize(
    "text",
    [
        "a,b,c\n1,2.5,x\n3,4,y\n",
        "a;b;c\n1;2.5;x\n3;4;y\n",
        "a\tb\tc\n1\t2.5\tx\n3\t4\ty\n",
        "a|b|c\n1|2.5|x\n3|4|y\n",
        "a b c\n1 2.5 x\n3 4 y\n",
        "  a   b c \n 1  2.5\tx\n3 4      y",
        "a, b, c\n1, 2.5, x\n3, 4, y\n",
        '"a","b","c"\n"1","2.5","x"\n"3","4","y"\n',
        "a,b,c\r\n1,2.5,x\r\n3,4,y\r\n",
        "a,b,c\r1,2.5,x\r3,4,y\r",
        "\na,b,c\n\n1,2.5,x\n   \n3,4,y\n\n\n",
        "a,b,c\n1,2.5,x\n3,4,y",
        "\ufeffa,b,c\n1,2.5,x\n3,4,y\n",
    ],
)
def test_the_same_table_however_it_is_divided(read, text):
    table = read(text, "data.txt")
    assert values(table) == {"a": [1, 3], "b": [2.5, 4.0], "c": ["x", "y"]}
    assert table.header
    assert table.notes == ("the first line was taken as a header",)


def test_quoted_fields_hold_delimiters_line_feeds_and_quotes(read):
    table = read('name,n\n"Smith, ""Bob""",1\n"two\nlines",2\n" kept ",3\n  bare  ,4\n5" pipe,5\n')
    assert values(table)["name"] == ['Smith, "Bob"', "two\nlines", " kept ", "bare", '5" pipe']


def test_semicolons_with_decimal_commas(read):
    table = read("x;y\n1,5;2\n-,25;3\n1e3;4\n")
    assert values(table) == {"x": [1.5, -0.25, 1000.0], "y": [2, 3, 4]}
    assert "column 'x' read with a comma as the decimal sign" in table.notes
    assert values(read("1,5;2,5\n3,5;4,5\n")) == {"column_0": [1.5, 3.5], "column_1": [2.5, 4.5]}


def test_a_comma_before_three_digits_divides_thousands_elsewhere(read):
    table = read("x\ty\n1,500\t2\n2,500\t3\n", "data.tsv")
    assert values(table)["x"] == [1500, 2500]
    assert "column 'x' read as numbers written like '1,234.5'" in table.notes
    assert values(read("x;y\n1,500;2\n2,500;3\n"))["x"] == [1.5, 2.5]


def test_a_blank_divides_no_names_in_a_csv_file(read):
    assert values(read("city\nNew York\nLos Angeles\nNew York\n")) == {"city": ["New York", "Los Angeles", "New York"]}


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("0,1,2\n1,26.1,58.8\n1,57.0,22.1\n", False),  # a numeric first line is no header unless told
        ("height,class\n1.5,a\n1.7,b\n", True),
        ("1.5,a\n1.7,b\n", False),
        ("setosa,yes\nvirginica,no\nsetosa,no\n", False),  # words that come again are values
        ("kind,sold\nsetosa,yes\nvirginica,no\nsetosa,no\n", True),
        ("x,x,n,won\nx,s,n,won\nb,s,y,nowin\n", False),
        ("Bob,Rome\nAnn,Oslo\n", False),
        (",height\n0,1.5\n1,1.7\n", True),
        ("when,what\n2020-01-01,a\n2020-01-02,b\n", True),
        ("flag,what\ntrue,a\nFalse,b\n", True),
        ("?,a,2\n1,b,3\n", False),
        ("mass;kind\n3,1;fig\n2,5;plum\n", True),
        ("2020-01-01,a,true\n2020-01-02,b,false\n", False),
        ("country,2020-01-01\nFrance,5\nSpain,6\n", True),
    ],
)
def test_the_header_is_told_by_what_lies_beneath(read, text, header):
    table = read(text)
    assert table.header is header
    assert table.n_rows == text.count("\n") - header
    if not header:
        assert table.frame.columns == [f"column_{i}" for i in range(table.frame.width)]


def test_a_header_that_is_told_is_believed(read):
    assert read("0,1\n5,6\n7,8\n", header=True).frame.columns == ["0", "1"]
    table = read("a,b\n5,6\n7,8\n", header=False)
    assert values(table) == {"column_0": ["a", "5", "7"], "column_1": ["b", "6", "8"]}
    assert table.notes == ()


def test_nameless_and_empty_columns_are_told(read):
    table = read(",a,b,\n0,1,2,\n1,3,4,\n")
    assert values(table) == {"column_0": [0, 1], "a": [1, 3], "b": [2, 4]}
    assert "the nameless columns became column_0 and column_3" in table.notes
    assert "an empty last column was dropped: every line ends with a delimiter" in table.notes


def test_a_late_float_and_a_late_word_change_the_column(read):
    rows = "".join(f"{i},{i}\n" for i in range(5000))
    table = read("a,b\n" + rows + "0.5,x\n")
    assert table.frame.schema == {"a": pl.Float64, "b": pl.String}


def test_values_of_every_kind_find_their_type(read):
    table = read(
        "int;big;huge;float;short;text;zip;flag;day;moment;zoned;clock\n"
        "+1;18446744073709551615;1;1e3;.5;ab;00501;true;2020-02-29;2020-01-01 10:30;2020-01-01T10:30Z;10:30:00\n"
        "-2;1;99999999999999999999;inf;5.;1x;10001;FALSE;1999-12-31;2020-01-02T00:00:00.25;"
        "2020-01-01T10:30:00+0130;23:59:59.5\n"
    )
    assert table.frame.schema == {
        "int": pl.Int64,
        "big": pl.UInt64,
        "huge": pl.Float64,
        "float": pl.Float64,
        "short": pl.Float64,
        "text": pl.String,
        "zip": pl.String,
        "flag": pl.Boolean,
        "day": pl.Date,
        "moment": pl.Datetime("us"),
        "zoned": pl.Datetime("us", "UTC"),
        "clock": pl.Time,
    }
    second = table.frame.row(1)
    assert str(second[9]) == "2020-01-02 00:00:00.250000"
    assert str(second[10]) == "2020-01-01 09:00:00+00:00"
    assert "column 'zip' kept as text because of leading zeros" in table.notes
    assert "column 'huge' rounded to floating point: integers beyond 64 bits" in table.notes


@pytest.mark.parametrize("impossible", ["2020-02-30", "2020-01-01 25:00:00", "10:61:00"])
def test_moments_that_do_not_exist_stay_text(read, impossible):
    assert values(read(f"a,b\n{impossible},1\n{impossible},2\n"))["a"] == [impossible] * 2


def test_missing_values_are_nulls_and_the_question_mark_is_told(read):
    table = read('a,b,c\n1,x,\n?,NA,null\nNaN,"",N/A\n2,y,\n')
    assert values(table) == {"a": [1, None, None, 2], "b": ["x", None, None, "y"], "c": [None] * 4}
    assert "missing values written as '?' and 'N/A' and 'NA' and 'NaN' and 'null' were understood" in table.notes
    assert values(read("a,b\n1,x\n,y\n"))["a"] == [1, None]
    quoted = read('a,b\n"?",x\n"2",y\n')
    assert values(quoted)["a"] == [None, 2]
    assert "missing values written as '?' were understood" in quoted.notes


def test_text_that_begins_like_a_compressed_stream_is_text(read):
    assert values(read("x^,b\r\n1,2\r\n")) == {"x^": [1], "b": [2]}
    assert values(read("x^\r\nx^\r\n")) == {"column_0": ["x^", "x^"]}


def test_a_sample_of_blank_lines_tells_nothing(read):
    assert values(read("\n" * 300_000 + "a;b\n1;2\n")) == {"a": [1], "b": [2]}


def test_wide_tables_are_read_with_and_without_names(read):
    cells = np.round(np.random.default_rng(0).normal(size=(20, 3000)), 3)
    rows = "\n".join(",".join(map(str, row)) for row in cells)
    np.testing.assert_array_equal(read(rows).frame.to_numpy(), cells)
    named = read(",".join(f"gene{i}" for i in range(3000)) + "\n" + rows)
    np.testing.assert_array_equal(named.frame.to_numpy(), cells)
    assert named.frame.columns[-1] == "gene2999"


def test_latin_1_is_read_and_told(read):
    table = read("name,n\nJosé,1\nMüller – 5 €,2\n".encode("cp1252"))
    assert values(table)["name"] == ["José", "Müller – 5 €"]
    assert "the text is not UTF-8 and was read as Latin-1" in table.notes
    assert values(read("name,n\nJosé,1\n", "utf8.csv"))["name"] == ["José"]


def test_utf_16_as_spreadsheets_write_it(read):
    table = read("name\tn\r\nJosé\t1\r\n".encode("utf-16"), "data.txt")
    assert values(table) == {"name": ["José"], "n": [1]}


def test_keel_declarations_name_the_columns(read):
    text = (
        "@relation tae\n@attribute native {1, 2}\n@attribute size real [3.0, 66.0]\n"
        "@attribute 'the class' {low, high}\n"
        "@inputs native, size\n@outputs class\n@data\n1, 19.0, low\n2, <null>, high\n"
    )
    table = read(text, "tae.dat")
    assert values(table) == {"native": [1, 2], "size": [19.0, None], "the class": ["low", "high"]}
    assert table.header
    for broken, said in [("@data", "no line says @data"), ("@attribute", "no @attribute")]:
        with pytest.raises(TreatiseError, match=said):
            read(text.replace(broken, "@other"), "tae.dat")
    with pytest.raises(TreatiseError, match="3 attributes are declared, but the rows have 2 fields"):
        read(text.replace(", low", "").replace(", high", ""), "tae.dat")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n3\n4,5\n", "line 3 has 1 field where the first has 2 (divided by commas)"),
        ('a,b\n"1\n1",2\n\n3,4,5\n', "line 5 has 3 fields where the first has 2"),
        ("a,b\n1, 2\n1,2,3\n", "line 3 has 3 fields where the first has 2"),
        ("a;b;c\n1;2;3\n1;2\n4;5;6\n", "line 3 has 2 fields where the first has 3 (divided by semicolons)"),
        ('a,b\n1,2\n3,"4\n5,6\n', "line 3 opens a quote that is never closed"),
        ('a,b\n"x"y,2\n', "line 2 has text right after a closing quote"),
        ("a,b,a\n1,2,3\n", "the header names 'a' more than once"),
        ("a,b\n", "there is a header but no row beneath it"),
        ("a\n" + "x" * (1 << 24) + "x", "line 2 is longer than 16 MiB"),
        ("a,b\n1,2\n" + " " * (1 << 24) + "3,4\n", "line 3 is longer than 16 MiB"),
        ("," * (1 << 18) + "\n", "the first line has 262145 fields"),
        ("", "the file is empty"),
        (" \n\t\n", "nothing but blanks"),
    ],
)
def test_broken_text_is_refused_with_its_line(read, text, said):
    with pytest.raises(TreatiseError) as error:
        read(text)
    assert said in str(error.value)
    assert "data.csv: " in str(error.value)


@pytest.mark.parametrize(
    ("name", "shape", "header", "last"),
    [
        ("keel/letter.dat", (20_000, 17), False, pl.String),
        ("keel/splice.dat", (3190, 61), False, pl.String),
        ("keel/wdbc.dat", (569, 31), False, pl.String),
        ("sequences/splice.txt", (3190, 3), False, pl.String),
        ("features/dorothea_valid.labels", (350, 1), False, pl.Int64),
        ("ranking/atp_matches_2016.csv.gz", (2941, 49), True, pl.Int64),
    ],
)
def test_real_files_are_read_as_they_are_meant(real_data, name, shape, header, last):
    table = read_table(real_data(name))
    assert table.header is header
    assert table.frame.shape == shape
    assert table.frame.to_series(-1).dtype == last


def test_a_large_table_takes_seconds(read):
    rng = np.random.default_rng(0)
    columns = {f"c{i}": rng.normal(size=100_000) if i % 2 else rng.integers(0, 1000, 100_000) for i in range(20)}
    frame = pl.DataFrame(columns)
    read("a,b\n1,2\n3,4\n")  # compiles
    begun = time.process_time()
    table = read(frame.write_csv())
    # A tenth of a million rows by twenty: about 0.4 s of one core here; ten times that is a fault.
    assert time.process_time() - begun < 4
    assert table.frame.equals(frame)
