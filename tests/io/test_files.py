"""Files that are absent, compressed, damaged or no table at all."""

import bz2
import gzip
import io
import lzma
import os

import polars as pl
import pytest

from treatise._core.errors import TreatiseError
from treatise.io import read_table

TEXT = "a,b\n" + "".join(f"{i},word{i % 7}\n" for i in range(500))


def zstandard(data):
    return pytest.importorskip("pyarrow").compress(data, codec="zstd", asbytes=True)


COMPRESS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstandard}


@pytest.mark.parametrize("ending", COMPRESS)
def test_compressed_files_read_like_plain_ones(read, ending):
    plain = read(TEXT)
    table = read(COMPRESS[ending](TEXT.encode()), f"data.csv.{ending}")
    assert table.frame.equals(plain.frame)
    assert table.name == plain.name == "data"
    libsvm = read(COMPRESS[ending](b"1 1:2\n\n-1 3:4\n"), f"data.{ending}")
    assert libsvm.matrix.shape == (2, 3)


@pytest.mark.parametrize("ending", COMPRESS)
def test_a_compressed_file_that_is_cut_short_is_refused(read, ending):
    whole = COMPRESS[ending](TEXT.encode())
    for length in (len(whole) - 1, len(whole) // 2, 8):
        with pytest.raises(TreatiseError, match="cut short or damaged"):
            read(whole[:length], f"data.csv.{ending}")


def test_absent_files_are_told_with_their_neighbours(tmp_path):
    (tmp_path / "measurements.csv").write_text(TEXT)
    (tmp_path / "news.csv.gz").write_bytes(gzip.compress(TEXT.encode()))
    for wrong, right in [("mesurements.csv", "measurements.csv"), ("news.csv", "news.csv.gz")]:
        with pytest.raises(TreatiseError, match=f"no such file; did you mean {right}"):
            read_table(tmp_path / wrong)
    with pytest.raises(TreatiseError, match=r"no such file$"):
        read_table(tmp_path / "zzz")
    with pytest.raises(TreatiseError, match="nor a folder"):
        read_table(tmp_path / "absent" / "data.csv")
    with pytest.raises(TreatiseError, match="this is a folder"):
        read_table(tmp_path)
    with pytest.raises(TreatiseError, match="cannot be read"):
        read_table("nul\0byte")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_told(tmp_path):
    path = tmp_path / "secret.csv"
    path.write_text(TEXT)
    path.chmod(0)
    with pytest.raises(TreatiseError, match="Permission denied"):
        read_table(path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image"),
        (b"PK\x03\x04\x14\0\0\0", "a ZIP archive or an Excel workbook"),
        (b"%PDF-1.4\n1 0 obj\n", "a PDF document"),
        (b"\x89HDF\r\n\x1a\n\0", "an HDF5"),
        (b"\x93NUMPY\x01\0", "a NumPy array"),
        (b"a,b\n1,\x00\n", "line 2 holds the control character 0x00"),
        (b"\x80\x81\x82,\x90\n", "neither UTF-8"),
        (b"\xff\xfea", "UTF-16"),
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (gzip.compress(b"", mtime=0), "the file is empty once decompressed"),
    ],
)
def test_what_is_no_table_is_called_by_its_name(read, content, said):
    with pytest.raises(TreatiseError) as error:
        read(content, "thing.csv")
    assert said in str(error.value)


def test_a_header_that_begins_like_a_magic_number_is_still_text(read):
    assert read("MATLAB,RDX\n1,2\n").frame.columns == ["MATLAB", "RDX"]


def test_an_unknown_format_is_refused(read):
    with pytest.raises(TreatiseError, match="'xml' is no known format; the known ones: csv, tsv, libsvm, parquet"):
        read(TEXT, format="xml")


def test_a_format_that_is_told_is_believed(read):
    assert read("1 1:2\n2 1:3\n", "data.txt", format="csv").frame.shape == (2, 2)
    assert read("a,b\tc\n1,2\t3\n1,3\t4\n", "data.txt", format="tsv").frame.columns == ["a,b", "c"]


def parquet(frame):
    sink = io.BytesIO()
    frame.write_parquet(sink)
    return sink.getvalue()


def test_parquet_keeps_its_types_and_plain_text_replaces_categories(read):
    frame = pl.DataFrame(
        {
            "int": pl.Series([1, None], dtype=pl.Int32),
            "float": [0.5, float("nan")],
            "kind": pl.Series(["a", "b"], dtype=pl.Categorical),
            "level": pl.Series(["lo", "hi"], dtype=pl.Enum(["lo", "hi"])),
            "price": pl.Series(["1.25", "2.5"]).cast(pl.Decimal(10, 2)),
            "day": pl.Series(["2020-01-01", None]).str.to_date(),
            "wait": pl.Series([1000, 2000]).cast(pl.Duration("ms")),
            "nothing": pl.Series([None, None], dtype=pl.Null),
        }
    )
    table = read(parquet(frame), "data.parquet")
    assert table.header
    assert table.frame.schema == {
        "int": pl.Int32,
        "float": pl.Float64,
        "kind": pl.String,
        "level": pl.String,
        "price": pl.Float64,
        "day": pl.Date,
        "wait": pl.Duration("ms"),
        "nothing": pl.String,
    }
    assert table.frame["float"].to_list() == [0.5, None]
    assert table.frame["price"].to_list() == [1.25, 2.5]


def test_parquet_that_is_no_table_is_refused(read):
    whole = parquet(pl.DataFrame({"a": range(100)}))
    for length in (len(whole) - 1, len(whole) // 2, 6):
        with pytest.raises(TreatiseError, match="cut short"):
            read(whole[:length], "data.parquet")
    with pytest.raises(TreatiseError, match="damaged"):
        read(b"PAR1" + b"x" * 50 + b"PAR1", "data.parquet")
    with pytest.raises(TreatiseError, match="no rows"):
        read(parquet(pl.DataFrame({"a": []})), "data.parquet")
    with pytest.raises(TreatiseError, match="column 'lists' holds List"):
        read(parquet(pl.DataFrame({"lists": [[1], [2, 3]]})), "data.parquet")
    with pytest.raises(TreatiseError, match="cut short"):
        read("a,b\n1,2\n", "data.csv", format="parquet")
