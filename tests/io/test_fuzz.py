"""Random tables come back as they were; random damage gives a right table or a clear refusal, nothing else."""

import csv
import datetime
import io
import random
import re
import warnings

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from mutants import FORMATS, broken_out
from sklearn.datasets import load_svmlight_file

from treatise._core.errors import TreatiseError
from treatise.io.source import MISSING, plain_text
from treatise.io.tables.delimited import read_delimited

settings.register_profile(
    "io",
    deadline=None,
    derandomize=True,
    max_examples=100,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
quick = settings.get_profile("io")

# Every character but those that make a file binary: control characters, and halves of surrogate pairs.
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t ,;|\"'?0."), max_size=8)
MOMENT = st.datetimes(datetime.datetime(1000, 1, 1), datetime.datetime(9999, 12, 31))
COLUMNS = {
    pl.String: TEXT,
    pl.Int64: st.integers(-(2**63), 2**63 - 1),
    pl.Float64: st.floats(allow_nan=False),
    pl.Boolean: st.booleans(),
    pl.Date: MOMENT.map(datetime.datetime.date),
    pl.Datetime: MOMENT,
    pl.Time: st.times(),
}


@st.composite
def frames(draw):
    """Frames of every type, with missing values, and words that could be taken for other things."""
    height = draw(st.integers(1, 6))
    kinds = draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=2, max_size=5))
    columns = {}
    for i, kind in enumerate(kinds):
        cells = draw(st.lists(st.none() | COLUMNS[kind], min_size=height, max_size=height))
        if kind == pl.String:
            # One plain word keeps the column text; what makes text a number is tested beside it.
            cells[0] = "word"
        columns[f"c{i}"] = pl.Series(cells, dtype=kind)
    return pl.DataFrame(columns)


def as_read(frame):
    """What a frame becomes in a file: words for a missing value are one, a column of them has no type."""
    for column in frame.iter_columns():
        if column.dtype == pl.String:
            column = pl.Series(column.name, [None if cell in MISSING else cell for cell in column], dtype=pl.String)
        if column.null_count() == len(column):
            column = column.cast(pl.String)
        frame = frame.with_columns(column)
    return frame


@quick
@given(frames())
def test_what_polars_writes_comes_back(read, frame):
    for separator in ",;|\t":
        text = frame.write_csv(separator=separator, quote_style="non_numeric")
        table = read(text, "data.txt", header=True)
        assert table.frame.equals(as_read(frame))
        assert table.frame.schema == as_read(frame).schema


@quick
@given(frames())
def test_what_parquet_holds_comes_back(read, frame):
    sink = io.BytesIO()
    frame.write_parquet(sink)
    assert read(sink.getvalue(), "data.parquet").frame.equals(frame)


@quick
@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=6), st.sampled_from(["\n", "\r\n"]))
def test_what_python_writes_with_few_quotes_comes_back(read, rows, ending):
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator=ending)
    writer.writerows([("first", "second"), ("word", "word"), *rows])
    table = read(sink.getvalue(), header=True)

    def cell(text):
        # The writer leaves blanks around a word without quotes, where they are not part of the field.
        bare = not re.search('[,"\r\n]', text)
        text = text.strip(" \t") if bare else text
        return None if text in MISSING else text

    assert table.frame.rows() == [("word", "word"), *(tuple(map(cell, row)) for row in rows)]


def records_of(text):
    """The grammar of delimited text once more, a record at a time; None where a quote is out of place."""
    field = re.compile(r'[ \t]*(?:"((?:[^"]|"")*)"|(?!")([^,\n]*?))[ \t\r]*(?=[,\n]|\Z)')
    records, fields, at = [], [], 0
    while at < len(text) or fields:
        match = field.match(text, at)
        if not match:
            return None
        quoted, bare = match.groups()
        fields.append(bare if quoted is None else quoted.replace('""', '"'))
        at = match.end()
        if text.startswith(",", at):
            at += 1
            continue
        at += 1
        if len(fields) > 1 or quoted is not None or bare:
            records.append(tuple(fields))
        fields = []
    return records


VALID = 'id,"the name",x\n1,"a, ""b""",0.5\n\n2,two words,-1e3\n3,"two\nlines",?\r\n4, five ,007\n'


@st.composite
def damaged(draw, whole, alphabet):
    """A valid file with bytes put in, taken out or changed, or its end cut off."""
    data = bytearray(whole)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        change = draw(st.sampled_from(["insert", "delete", "replace", "cut"]))
        if change == "insert":
            data[at:at] = draw(alphabet)
        elif change == "delete":
            del data[at : at + draw(st.integers(1, 5))]
        elif change == "replace":
            data[at : at + 1] = draw(alphabet)
        elif at > len(data) // 2:
            del data[at:]
    return bytes(data)


AWKWARD = st.sampled_from(
    [b",", b'"', b'""', b"\n", b"\r\n", b"\r", b" ", b"\t", b";", b"?", b"\xe9", b"\xc3\xa9", b"0"]
)


@settings(quick, max_examples=400)
@given(damaged(VALID.encode(), AWKWARD))
@example(b"a,b\n1,")
@example(b'a,b\n"",\n')
@example(b'a,b\n1," "\n')
@example(b"\r,\r\r\n1,2")
def test_damaged_text_is_the_same_table_to_another_parser_or_refused(data):
    try:
        text, _ = plain_text(data)
        frame = read_delimited(text, delimiters=",", header=False).frame
    except TreatiseError as error:
        assert len(str(error)) > 10
        return
    expected = records_of(text.decode())
    assert expected is not None
    # Numbers and words for nothing are compared as what they mean.
    width = len(expected[0])
    kept = width - (frame.width < width)
    assert frame.shape == (len(expected), kept)
    for column, cells in zip(frame.iter_columns(), zip(*expected)):
        for here, there in zip(column, cells):
            if there in MISSING:
                assert here is None
            elif column.dtype == pl.String:
                assert here == there
            elif column.dtype.is_numeric():
                assert here == (int(there) if column.dtype.is_integer() else float(there))


LIBSVM = b"# head\n+1 1:0.5 3:2 10:-1e-3\n-1 qid:2 2:1\n-1\n+1 1:12345678901234567890 # end\n"


@settings(quick, max_examples=400)
@given(damaged(LIBSVM, st.sampled_from([b" ", b":", b"\n", b"1", b"0", b"-", b".", b"#", b"e", b"qid:1", b",", b"\t"])))
def test_damaged_libsvm_is_what_scikit_learn_reads_or_refused(read, data):
    try:
        table = read(data, "data.svm", format="libsvm")
    except TreatiseError as error:
        assert "line" in str(error) or "empty" in str(error) or "rows" in str(error) or "blanks" in str(error)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X, y = load_svmlight_file(io.BytesIO(data), n_features=table.matrix.shape[1] or None)
    np.testing.assert_array_equal(table.frame["label"].to_numpy(), y)
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(table.matrix, part), getattr(X, part))


MUTANTS = 2000


@pytest.mark.parametrize("name", FORMATS)
def test_mutants_of_every_format_are_read_or_refused_in_a_sentence(tmp_path, name):
    assert list(broken_out(name, MUTANTS, tmp_path)) == []


@pytest.mark.parametrize("magic", [b"\x1f\x8b", b"BZh9", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"PAR1", b"PK\x03\x04"])
def test_random_bytes_after_a_magic_number_are_refused(read, magic):
    rng = random.Random(0)
    for size in range(20):
        with pytest.raises(TreatiseError):
            read(magic + rng.randbytes(size))
