"""Data files of R: written here byte by byte, and real ones."""

import bz2
import gzip
import lzma
import struct

import numpy as np
import pytest

from treatise._core.errors import TreatiseError
from treatise.io import read_r_data

NULL = struct.pack(">i", 254)


def text(value, flags=0x40009):
    raw = value.encode()
    return struct.pack(">ii", flags, len(raw)) + raw


def symbol(name):
    return struct.pack(">i", 1) + text(name)


def vector(kind, body, attributes=None):
    flags = kind | (0x200 if attributes else 0)
    return struct.pack(">i", flags) + body + (pairs(attributes) if attributes else b"")


def doubles(values, attributes=None):
    return vector(14, struct.pack(f">i{len(values)}d", len(values), *values), attributes)


def integers(values, attributes=None, kind=13):
    return vector(kind, struct.pack(f">i{len(values)}i", len(values), *values), attributes)


def strings(values, attributes=None):
    missing = struct.pack(">ii", 9, -1)
    return vector(
        16, struct.pack(">i", len(values)) + b"".join(missing if v is None else text(v) for v in values), attributes
    )


def items(values, attributes=None):
    return vector(19, struct.pack(">i", len(values)) + b"".join(values), attributes)


def pairs(mapping):
    body = b"".join(struct.pack(">i", 0x402) + symbol(name) + value for name, value in mapping.items())
    return body + NULL


def file_of(objects, version=2):
    head = f"RDX{version}\nX\n".encode() + struct.pack(">iii", version, 0x40101, 0x20300)
    native = struct.pack(">i", 5) + b"UTF-8" if version == 3 else b""
    return head + native + pairs(objects)


def read(tmp_path, raw):
    path = tmp_path / "objects.rda"
    path.write_bytes(raw)
    return read_r_data(path)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_vectors_matrices_and_lists_are_read_whatever_the_compression(tmp_path, version, compress):
    table = items(
        [doubles([1.5, 2.5]), strings(["a", None])], {"names": strings(["x", "y"]), "class": strings(["data.frame"])}
    )
    matrix = doubles([1, 2, 3, 4, 5, 6], {"dim": integers([2, 3])})
    raw = file_of({"table": table, "matrix": matrix, "whole": integers([7, -8]), "plain": items([NULL])}, version)
    found = read(tmp_path, compress(raw))
    assert list(found) == ["table", "matrix", "whole", "plain"]
    assert found["table"]["x"].tolist() == [1.5, 2.5] and found["table"]["y"].tolist() == ["a", None]
    assert found["matrix"].tolist() == [[1, 3, 5], [2, 4, 6]]
    assert found["whole"].tolist() == [7, -8] and found["plain"] == [None]


def test_factors_missing_values_and_logicals(tmp_path):
    missing = -(2**31)
    found = read(
        tmp_path,
        file_of(
            {
                "factor": integers([2, 1, missing], {"levels": strings(["low", "high"]), "class": strings(["factor"])}),
                "logical": integers([1, 0, missing], kind=10),
                "name": strings(["Zürich"]),
            }
        ),
    )
    assert found["factor"].tolist() == ["high", "low", None]
    np.testing.assert_array_equal(found["logical"], [1.0, 0.0, np.nan])
    assert found["name"].tolist() == ["Zürich"]


def test_a_name_that_comes_again_is_found_by_reference(tmp_path):
    first = doubles([1, 2], {"dim": integers([1, 2])})
    again = struct.pack(">i", 14 | 0x200) + struct.pack(">i2d", 2, 3, 4)
    # The symbol "dim" is the second of the file, after the name of the first object.
    again += struct.pack(">ii", 0x402, (2 << 8) | 255) + integers([2, 1]) + NULL
    found = read(tmp_path, file_of({"first": first, "again": again}))
    assert found["again"].tolist() == [[3.0], [4.0]]


def test_ranges_that_r_has_not_written_out(tmp_path):
    recipe = struct.pack(">i", 2) + symbol("compact_intseq") + struct.pack(">i", 2) + symbol("base")
    recipe += struct.pack(">i", 2) + integers([13]) + NULL
    sequence = struct.pack(">i", 238) + recipe + doubles([4, 10, 1]) + NULL
    wrapper = struct.pack(">i", 2) + symbol("wrap_real") + NULL
    wrapped = struct.pack(">i", 238) + wrapper + struct.pack(">i", 2) + doubles([0.5]) + integers([0, 0]) + NULL
    found = read(tmp_path, file_of({"rows": sequence, "wrapped": wrapped, "after": doubles([9.0])}, 3))
    assert found["rows"].tolist() == [10, 11, 12, 13]
    assert found["wrapped"].tolist() == [0.5] and found["after"].tolist() == [9.0]


DAMAGE = {
    "a factor with a value below its first level": integers([0], {"levels": strings(["low"])}),
    "a factor with a value beyond its last": integers([9], {"levels": strings(["low"])}),
    "a matrix whose shape would be guessed": doubles([1, 2], {"dim": integers([-1, 2])}),
    "a matrix of another size": doubles([1, 2], {"dim": integers([3, 2])}),
    "a list with more values than names": items([doubles([1]), doubles([2])], {"names": strings(["x"])}),
    "a reference to what never came": struct.pack(">i", 255 | 9 << 8),
    "lists in one another without end": struct.pack(">ii", 19, 1) * 5000,
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage_inside_is_told_and_never_guessed_around(tmp_path, what):
    with pytest.raises(TreatiseError, match=r"is damaged|ends in the middle"):
        read(tmp_path, file_of({"x": DAMAGE[what]}))


def test_what_is_no_data_file_is_refused_with_a_sentence(tmp_path):
    with pytest.raises(TreatiseError, match="no binary data file of R"):
        read(tmp_path, b"x,y\n1,2\n")
    with pytest.raises(TreatiseError, match="ends in the middle"):
        read(tmp_path, file_of({"x": doubles([1.0, 2.0])})[:-10])
    with pytest.raises(TreatiseError, match="R's type 3, which is not read"):
        read(tmp_path, file_of({"f": struct.pack(">i", 3)}))
    with pytest.raises(TreatiseError, match="cut short or damaged"):
        read(tmp_path, bz2.compress(file_of({"x": doubles([1.0])}))[:-4])
    with pytest.raises(TreatiseError, match="no such file"):
        read_r_data(tmp_path / "absent.rda")


def test_the_stocks_of_the_index_are_read_from_the_real_file(real_data):
    found = read_r_data(real_data("graphical/stockdata.rda"))["stockdata"]
    assert found["data"].shape == (1258, 452) and found["info"].shape == (452, 3)
    assert found["info"][0].tolist() == ["MMM", "Industrials", "3M Co"]
    assert (found["data"] > 0).all()
