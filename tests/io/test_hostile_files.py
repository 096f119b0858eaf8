"""Files that would fill the memory or take for ever are refused in a sentence, and the limit can be raised."""

import bz2
import gzip
import io
import lzma
import struct
import zipfile

import numpy as np
import polars as pl
import pytest

from treatise._core.errors import TreatiseError
from treatise._core.saved_arrays import load_arrays
from treatise.datasets import load_network
from treatise.io import Stream, conll, read_bif, read_conll, read_r_data, read_table
from treatise.io.source import content, find_format
from treatise.optimize import load_search

COMPRESSIONS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
LIMIT = 1 / 1024  # GiB


@pytest.fixture
def a_mebibyte(monkeypatch):
    """A compressed file may hold this much."""
    monkeypatch.setenv("TREATISE_UNPACKED_GIB", str(LIMIT))


@pytest.mark.parametrize("ending", COMPRESSIONS)
def test_little_that_unfolds_to_much_is_not_unfolded(tmp_path, monkeypatch, a_mebibyte, ending):
    text = b"a,b\n" + b"1,2\n" * (1 << 19)
    path = tmp_path / f"data.csv.{ending}"
    path.write_bytes(COMPRESSIONS[ending](text))
    assert path.stat().st_size < 10_000
    for read in (read_table, read_bif, read_r_data, read_conll):
        with pytest.raises(TreatiseError, match=r"unfolds to more than 0.000976562 GiB .* TREATISE_UNPACKED_GIB"):
            read(path)
    monkeypatch.setenv("TREATISE_UNPACKED_GIB", "0.01")
    assert read_table(path).n_rows == 1 << 19


def test_zstandard_is_measured_by_its_blocks(tmp_path, a_mebibyte):
    magic, descriptor = b"\x28\xb5\x2f\xfd", b"\x00\x58"
    # A block of one byte repeated 100 000 times, eleven times; the last says so.
    blocks = b"".join(struct.pack("<I", 100_000 << 3 | 1 << 1 | (i == 10))[:3] + b"7" for i in range(11))
    data = magic + descriptor + blocks
    assert content.most_of_zstandard(data) == 1_100_000
    assert content.most_of_zstandard(data + data) == 2_200_000
    # Frames to be skipped may stand between.
    assert content.most_of_zstandard(data + b"\x5a\x2a\x4d\x18\x03\x00\x00\x00xyz" + data) == 2_200_000
    (tmp_path / "data.csv.zst").write_bytes(data)
    with pytest.raises(TreatiseError, match="unfolds to more than"):
        read_table(tmp_path / "data.csv.zst")


def test_parquet_that_repeats_a_value_very_often_is_refused(tmp_path, monkeypatch, a_mebibyte):
    path = tmp_path / "data.parquet"
    pl.DataFrame({"a": np.zeros(1 << 19, np.int64)}).write_parquet(path)
    with pytest.raises(TreatiseError, match="unfolds to more than"):
        read_table(path)
    monkeypatch.setenv("TREATISE_UNPACKED_GIB", "0.01")
    assert read_table(path).n_rows == 1 << 19
    # What takes the room that it has on the disk is no bomb.
    monkeypatch.setenv("TREATISE_UNPACKED_GIB", "0.0001")
    pl.DataFrame({"a": np.random.default_rng(0).normal(size=1 << 15)}).write_parquet(path)
    assert read_table(path).n_rows == 1 << 15


def test_workbook_that_would_unfold_is_refused(tmp_path, a_mebibyte):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", bytes(1 << 21))
    (tmp_path / "book.xlsx").write_bytes(sink.getvalue())
    with pytest.raises(TreatiseError, match="unfolds to more than"):
        read_table(tmp_path / "book.xlsx")


@pytest.mark.parametrize("told", ["much", "-1", "0", "nan", "inf"])
def test_a_limit_that_is_no_number_is_told(tmp_path, monkeypatch, told):
    monkeypatch.setenv("TREATISE_UNPACKED_GIB", told)
    path = tmp_path / "data.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    with pytest.raises(TreatiseError, match="no number of GiB"):
        read_table(path)


@pytest.mark.parametrize(
    "line",
    [
        b"1" * 100_000 + b"x", b"1 " + b"1" * 100_000 + b"x", b"1," * 50_000 + b"x", b"1." + b"1" * 100_000 + b"x",
        b"1 " + b"1:1 " * 25_000 + b"x", b" " * 100_000 + b"x", b"1" + b" " * 100_000 + b"x", b"1e" + b"1" * 100_000,
        b"1 |a " + b"x:" + b"1" * 100_000 + b"y |b", b"1" * 100_000 + b" |a b",
    ],
)  # fmt: skip
@pytest.mark.timeout(60)  # a pattern that tries all divisions takes minutes on the fastest machine
def test_the_format_of_a_long_line_is_found_in_time_that_grows_with_it(tmp_path, line):
    assert find_format(tmp_path / "data", line) in ("csv", "vw", "libsvm")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"1 1:0.5", "libsvm"), (b"-1. 3:2 10:-1e-3 # end", "libsvm"), (b".5 1:1", "libsvm"),
        (b"1e3 qid:1 2:1", "libsvm"), (b"1,2 1:1\r", "libsvm"), (b"1.2.3 1:1", "csv"),
        (b"1 1:", "csv"), (b"1 1:2 x", "csv"), (b"+-1 1:1", "csv"),
    ],
)  # fmt: skip
def test_lines_of_libsvm_are_known_as_before(tmp_path, line, found):
    assert find_format(tmp_path / "data", line) == found


def test_words_without_an_end_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "words.conll"
    path.write_bytes(b"a b\n" * 5)
    monkeypatch.setattr(conll, "_MOST_WORDS", 4)
    with pytest.raises(TreatiseError, match="sentence from line 1 on has more than 4 words"):
        read_conll(path)
    monkeypatch.setattr(conll, "LONGEST_LINE", 2)
    with pytest.raises(TreatiseError, match="line 1 is longer than"):
        read_conll(path)


@pytest.mark.parametrize("index", [2**64 + 1, 10**19])
def test_an_index_beyond_64_bits_is_not_taken_for_a_small_one(tmp_path, index):
    path = tmp_path / "data.svm"
    path.write_text(f"1 1:2\n1 {index}:2\n")
    with pytest.raises(TreatiseError, match=r"line 2.*digits"):
        list(Stream(path, format="libsvm"))
    with pytest.raises(TreatiseError, match=r"line 2: the index .* is too large"):
        read_table(path, format="libsvm")


def test_a_network_with_more_probabilities_than_memory_is_refused(tmp_path):
    path = tmp_path / "net.bif"
    names = [f"v{i}" for i in range(30)]
    states = "".join(f"variable {name} {{ type discrete [ 2 ] {{ a, b }}; }}\n" for name in names)
    path.write_text(states + f"probability ( v0 | {', '.join(names[1:])} ) {{ table 1; }}\n")
    with pytest.raises(TreatiseError, match="has more than 134217728 probabilities"):
        read_bif(path)


@pytest.mark.parametrize("rows", ["", "\n", "\n \n\n"])
def test_declarations_without_rows_are_refused(tmp_path, rows):
    path = tmp_path / "data.dat"
    path.write_text("@relation t\n@attribute x real\n@data" + rows)
    with pytest.raises(TreatiseError, match="no row beneath @data"):
        read_table(path)
    with pytest.raises(TreatiseError, match="no row beneath @data"):
        list(Stream(path, target="x"))


@pytest.mark.parametrize("name", ["net.gml.gz", "net.graphml.gz"])
def test_networks_that_unfold_to_much_are_not_unfolded(tmp_path, a_mebibyte, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(bytes(1 << 21)))
    with pytest.raises(TreatiseError, match=rf"{name}: the compressed file unfolds to more than"):
        load_network(path)


def test_a_saved_state_that_would_unfold_is_refused(tmp_path):
    path = tmp_path / "search.npz"
    np.savez_compressed(path, about=np.array("{}"), mean=np.zeros(1 << 20))
    assert path.stat().st_size < 10_000
    with pytest.raises(TreatiseError, match="compressed inside"):
        load_search(path)
    with pytest.raises(ValueError, match="compressed inside"):
        load_arrays(path)


@pytest.mark.parametrize(
    ("name", "content", "read"),
    [
        ("net.gml", b"graph [ " + b"<" * 10**6, load_network),
        ("net.bif", b"9" * 10**6, read_bif),
        ("data.csv", b'"' + b"name " * 10**5 + b'",b,"' + b"name " * 10**5 + b'"\n1,2,3\n', read_table),
    ],
)
def test_what_is_quoted_of_a_file_is_no_page(tmp_path, name, content, read):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TreatiseError) as caught:
        read(tmp_path / name)
    said = str(caught.value)
    assert len(said) <= 2000 and said.startswith(str(tmp_path / name)) and " ... " in said
