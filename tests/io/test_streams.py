"""Streams: Vowpal Wabbit text, LIBSVM, CSV and Parquet, hashed, in chunks."""

import bz2
import gzip
import re

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.utils import murmurhash3_32

from treatise._core.errors import TreatiseError
from treatise.io import Stream
from treatise.io.source import lines
from treatise.io.streams.row_loops import number

fuzzed = settings(
    deadline=None, derandomize=True, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def hashed(name, seed=0):
    """Vowpal Wabbit's hash of a name: its number plus the seed where it is one, else murmur3."""
    if name.isdigit() and name.isascii():
        return int(name) + seed
    return murmurhash3_32(name.encode(), seed, positive=True)


def parsed_by_hand(text, bits):
    """Rows of (label, weight, {index: value}) by the plainest means."""
    rows = []
    for line in text.split("\n"):
        if not line.strip():
            continue
        head, *spaces = line.split("|")
        numbers = [float(word) for word in head.split() if not word.startswith("'")]
        features = []
        for space in spaces:
            words = space.split()
            name = "" if space[:1] in (" ", "") else words.pop(0)
            name, _, scale = name.partition(":")
            seed = hashed(name) if name else 0
            for word in words:
                feature, _, value = word.partition(":")
                value = float(value or 1) * float(scale or 1)
                if value:
                    features.append((hashed(feature, seed) % 2**bits, np.float32(value)))
        rows.append((numbers[0], numbers[1] if len(numbers) > 1 else 1.0, features))
    return rows


def rows_of(stream):
    rows = []
    for chunk in stream:
        for i in range(len(chunk)):
            part = slice(chunk.indptr[i], chunk.indptr[i + 1])
            features = list(zip(chunk.indices[part].tolist(), chunk.values[part].tolist()))
            rows.append((float(chunk.labels[i]), float(chunk.weights[i]), features))
    return rows


@pytest.fixture
def write(tmp_path):
    def write_file(content, name="data.vw"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


EXAMPLE = """1 |user ann:2 37 |page sport news:0.5
-1 2.5 'second |user:0.5 bob |page 12:1e-3 finance:-3.25

0 0.5| plain 7:7
1.5 |x a:0 b:.5 c:+2
"""


def test_rows_are_those_of_a_plain_parser(write):
    text = EXAMPLE.replace("0.5| plain", "0.5 | plain")
    assert rows_of(Stream(write(text), bits=20)) == parsed_by_hand(text, 20)


def test_indices_follow_the_documented_rule_of_vowpal_wabbit(write):
    # murmur3 of the name, seeded with that of its namespace; digits are a number, added to the namespace's hash.
    (row,) = rows_of(Stream(write("1 |a x |b 12 | 5\n")))
    namespace_a, namespace_b = (murmurhash3_32(name, 0, positive=True) for name in (b"a", b"b"))
    assert [index for index, _ in row[2]] == [
        murmurhash3_32(b"x", namespace_a, positive=True) % 2**18, (namespace_b + 12) % 2**18, 5,
    ]  # fmt: skip


@given(st.binary(max_size=40), st.integers(0, 2**32 - 1))
@settings(deadline=None, derandomize=True, max_examples=200)
def test_murmur3_is_that_of_scikit_learn(name, seed):
    from treatise.io.streams.word_loops import murmur3

    data = np.frombuffer(name + b"\0", np.uint8)
    assert murmur3(data, 0, len(name), np.uint64(seed)) == murmurhash3_32(name, seed, positive=True)


@given(st.binary(min_size=8, max_size=8), st.integers(0, 7), st.integers(0, 2**32 - 1))
@settings(deadline=None, derandomize=True, max_examples=200)
def test_hash_of_a_short_name_is_that_of_any_name(name, size, seed):
    from treatise.io.streams.word_loops import eight, short_murmur3

    text = eight(np.frombuffer(name, np.uint8), 0)
    assert text == int.from_bytes(name, "little")
    assert short_murmur3(np.uint64(text), size, np.uint64(seed)) == murmurhash3_32(name[:size], seed, positive=True)


# What ends a word, its neighbours in the table of characters, bytes that a borrow may touch, and letters.
NEAR_ENDS = st.sampled_from(
    [0, 1, 8, 9, 10, 11, 13, 31, 32, 33, 57, 58, 59, 123, 124, 125, 127, 128, 160, 186, 252, 255]
)


@given(st.lists(NEAR_ENDS | st.integers(97, 122), max_size=40).map(bytes), st.integers(0, 40))
@settings(deadline=None, derandomize=True, max_examples=500)
def test_word_ends_where_a_plain_search_says(content, start):
    from treatise.io.streams.word_loops import word_end

    at = min(start, len(content))
    expected = next((i for i in range(at, len(content)) if content[i] in b"\t\n\r :|"), len(content))
    assert word_end(np.frombuffer(content + b"\0", np.uint8), at, len(content)) == expected


@given(st.floats(allow_nan=False, allow_infinity=False, width=32), st.sampled_from(["r", ".9e", ".12f", ".3g"]))
@settings(deadline=None, derandomize=True, max_examples=300)
def test_numbers_are_read_to_single_precision(value, style):
    text = repr(value) if style == "r" else format(value, style)
    data = np.frombuffer(text.encode(), np.uint8)
    found, is_number = number(data, 0, len(data))
    assert is_number
    np.testing.assert_allclose(found, float(text), rtol=1e-14, atol=1e-60)


def test_tags_are_kept_on_request(write):
    path = write("1 'first |a x\n1 second|a x\n1 |a x\n")
    (chunk,) = Stream(path, tags=True)
    assert chunk.tags == ["first", "second", ""]


def test_anonymous_features_are_numbered_from_the_namespace_on(write):
    (row,) = rows_of(Stream(write("1 |ns :0.5 :0 :2\n"), bits=18))
    base = murmurhash3_32(b"ns", 0, positive=True)
    assert row[2] == [(base % 2**18, 0.5), ((base + 2) % 2**18, 2.0)]


def test_crosses_are_products_with_the_paired_hash(write):
    path = write("1 |a x:2 y |b u:3 |c t:5\n")
    plain = rows_of(Stream(path, bits=16))[0][2]
    crossed = rows_of(Stream(path, bits=16, quadratic=("ab", "aa"), cubic=("abc",)))[0][2]
    (x, xv), (y, yv), (u, uv), (t, tv) = plain
    prime, mask = 16777619, 2**16 - 1
    pair = lambda i, j: (prime * i ^ j) & mask  # noqa: E731
    triple = lambda i, j, k: (prime * (prime * i ^ j) ^ k) & mask  # noqa: E731
    assert crossed[4:] == [
        (pair(x, u), xv * uv), (pair(y, u), yv * uv),
        (pair(x, x), xv * xv), (pair(x, y), xv * yv), (pair(y, y), yv * yv),
        (triple(x, u, t), xv * uv * tv), (triple(y, u, t), yv * uv * tv),
    ]  # fmt: skip


def test_long_lines_and_many_crosses_outgrow_the_buffers_and_are_whole(write):
    words = " ".join(f"w{i}" for i in range(700))
    path = write(f"1 |a {words}\n-1 |a {words}\n")
    rows = rows_of(Stream(path, bits=22, quadratic=("aa",)))
    assert [len(row[2]) for row in rows] == [700 + 700 * 701 // 2] * 2


def test_lines_across_blocks_are_neither_lost_nor_doubled(write, monkeypatch):
    monkeypatch.setattr(lines, "BLOCK", 64)
    text = "".join(f"{i} |f " + " ".join(f"w{i}_{j}" for j in range(i % 37)) + "\n" for i in range(200))
    assert rows_of(Stream(write(text), bits=20)) == parsed_by_hand(text, 20)
    assert rows_of(Stream(write(text.rstrip("\n")), bits=20)) == parsed_by_hand(text, 20)


@pytest.mark.parametrize(("line", "reason"), [
    ("one |f a", "'one' stands where the label belongs"),
    ("nan |f a", "'nan' stands where the label belongs"),
    ("|f a", "there is no label"),
    ("1|f a", "a word that touches the bar is a tag"),
    ("1 -2 |f a", "'-2' stands where the importance weight belongs"),
    ("1 1 0.5 |f a", "third number before the bar"),
    ("1 2", "no bar"),
    ("1 |f a:x", "the value in 'a:x' is no finite number"),
    ("1 |f a:nan", "the value in 'a:nan' is no finite number"),
    ("1 |f a:inf", "no finite number"),
    ("1 |f a:1e99", "no finite number"),
    ("1 |f a:1:2", "the value in 'a:1:2' is no finite number"),
    ("1 |f:x a", "the namespace's scale 'x' is no finite number"),
])  # fmt: skip
def test_wrong_line_is_named_by_number_and_reason_or_skipped_and_counted(write, line, reason):
    path = write(f"1 |f a\n\n{line}\n-1 |f b\n")
    with pytest.raises(TreatiseError, match=re.escape(f"{path}, line 3: ") + ".*" + re.escape(reason)):
        list(Stream(path))
    stream = Stream(path, on_error="skip")
    assert [row[0] for row in rows_of(stream)] == [1.0, -1.0]
    assert stream.skipped == 1
    assert stream.complaints[0].startswith(f"{path}, line 3")


@pytest.mark.parametrize(("labels", "label", "reason"), [
    ("classes", "2", "the label is 2; labels must be -1 and 1, or 0 and 1"),
    ("classes", "0.5", "the label is 0.5; labels must be -1 and 1, or 0 and 1"),
    ("counts", "-1", "the label is -1; labels must be from 0 on"),
])  # fmt: skip
@pytest.mark.parametrize("style", ["vw", "libsvm"])
def test_label_of_another_kind_makes_a_line_wrong(write, style, labels, label, reason):
    rest = "|f a" if style == "vw" else "3:1"
    path = write(f"1 {rest}\n{label} {rest}\n0 {rest}\n")
    with pytest.raises(TreatiseError, match=re.escape(f"{path}, line 2: {reason}")):
        list(Stream(path, format=style, labels=labels))
    stream = Stream(path, format=style, labels=labels, on_error="skip")
    assert [row[0] for row in rows_of(stream)] == [1.0, 0.0]
    assert stream.skipped == 1
    assert [row[0] for row in rows_of(Stream(path, format=style))] == [1.0, float(label), 0.0]


def test_cache_of_one_kind_of_labels_is_none_of_another(write):
    path = write("1 |f a\n2 |f b\n")
    assert len(rows_of(Stream(path, cache=True))) == 2
    assert len(rows_of(Stream(path, cache=True, labels="classes", on_error="skip"))) == 1
    with pytest.raises(TreatiseError, match="labels='names' is unknown"):
        Stream(path, labels="names")


def test_unlabelled_examples_are_read_where_none_is_needed(write):
    ((label, weight, _),) = rows_of(Stream(write("|f a\n"), need_label=False))
    assert np.isnan(label)
    assert weight == 1.0


def test_libsvm_rows_keep_their_numbers(write):
    path = write("+1 1:0.5 7:2 # note\n# comment\n-1 qid:3 2:-1e-2\n", "data.libsvm")
    assert rows_of(Stream(path, bits=10)) == [
        (1.0, 1.0, [(1, 0.5), (7, 2.0)]), (-1.0, 1.0, [(2, float(np.float32(-0.01)))]),
    ]  # fmt: skip


@pytest.mark.parametrize("line", ["1 a:2", "1 3", "1 :2", "1 3:x", "x 3:1"])
def test_wrong_libsvm_lines_are_refused(write, line):
    with pytest.raises(TreatiseError, match="line 2"):
        list(Stream(write(f"1 1:1\n{line}\n", "data.libsvm"), format="libsvm"))


TABLE = pl.DataFrame(
    {
        "site": ["yahoo", "cnn", None, "yahoo"],
        "age": [3.5, None, 0.0, -1.0],
        "y": [1, 0, 1, 0],
        "w": [1.0, 2.0, 0.5, 1.0],
    }
)


def test_tables_hash_words_by_column_and_numbers_by_name(tmp_path):
    TABLE.write_csv(tmp_path / "t.csv")
    TABLE.write_parquet(tmp_path / "t.parquet")
    site = murmurhash3_32(b"site", 0, positive=True)
    yahoo, cnn = (murmurhash3_32(word, site, positive=True) % 2**18 for word in (b"yahoo", b"cnn"))
    age = murmurhash3_32(b"age", 0, positive=True) % 2**18
    expected = [
        (1.0, 1.0, [(yahoo, 1.0), (age, 3.5)]), (0.0, 2.0, [(cnn, 1.0)]), (1.0, 0.5, []),
        (0.0, 1.0, [(yahoo, 1.0), (age, -1.0)]),
    ]  # fmt: skip
    for name in ("t.csv", "t.parquet"):
        assert rows_of(Stream(tmp_path / name, target="y", weight="w")) == expected, name


def test_crosses_of_columns_are_those_of_namespaces(tmp_path, write):
    pl.DataFrame({"a": ["x", "y"], "b": ["u", "v"], "y": [1, 0]}).write_csv(tmp_path / "t.csv")
    by_table = rows_of(Stream(tmp_path / "t.csv", target="y", quadratic=("ab",)))
    assert by_table == rows_of(Stream(write("1 |a x |b u\n0 |a y |b v\n"), quadratic=("ab",)))


def test_wrong_cells_are_named_or_skipped(tmp_path):
    (tmp_path / "t.csv").write_text("y,age\n1,2\n0,old\nx,3\n1,4\n")
    lines_before = 'x,"b\nc"\n'
    with pytest.raises(TreatiseError, match=r"line 4: column 'y' holds 'x' where a finite number belongs"):
        list(Stream(tmp_path / "t.csv", target="y"))
    stream = Stream(tmp_path / "t.csv", target="y", on_error="skip")
    assert [row[0] for row in rows_of(stream)] == [1.0, 0.0, 1.0]
    assert stream.skipped == 1
    (tmp_path / "c.csv").write_text("y,age\n1,2\n7,3\n0,4\n")
    with pytest.raises(TreatiseError, match=r"line 3: column 'y' holds '7' as the label; labels must be -1 and 1, or"):
        list(Stream(tmp_path / "c.csv", target="y", labels="classes"))
    assert [row[0] for row in rows_of(Stream(tmp_path / "c.csv", target="y", labels="counts"))] == [1.0, 7.0, 0.0]
    (tmp_path / "q.csv").write_text("a,b\n" + lines_before * 3)
    with pytest.raises(TreatiseError, match="q has no column 'y'; its columns: 'a', 'b'"):
        list(Stream(tmp_path / "q.csv", target="y"))
    with pytest.raises(TreatiseError, match="say which column is the target"):
        list(Stream(tmp_path / "q.csv"))


def test_quoted_line_feeds_stay_within_their_row(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "BLOCK", 64)
    text = "y,note\n" + "".join(f'{i % 2},"line one of {i}\nline two"\n' for i in range(100))
    (tmp_path / "t.csv").write_text(text)
    assert [row[0] for row in rows_of(Stream(tmp_path / "t.csv", target="y"))] == [i % 2 for i in range(100)]


def test_compressed_files_are_read_by_their_content(write, tmp_path):
    text = EXAMPLE.replace("0.5| plain", "0.5 | plain").encode()
    plain = rows_of(Stream(write(text)))
    pyarrow = pytest.importorskip("pyarrow")
    with pyarrow.CompressedOutputStream(str(tmp_path / "d.vw.zst"), "zstd") as out:
        out.write(text)
    assert rows_of(Stream(write(gzip.compress(text), "d.vw.gz"))) == plain
    assert rows_of(Stream(write(bz2.compress(text), "misnamed.gz"), format="vw")) == plain
    assert rows_of(Stream(tmp_path / "d.vw.zst")) == plain


def test_damaged_compression_is_refused(write):
    whole = gzip.compress(EXAMPLE.encode() * 1000)
    with pytest.raises(TreatiseError, match="cut short or damaged"):
        list(Stream(write(whole[: len(whole) // 2], "d.vw.gz"), format="vw", on_error="skip"))


def test_patterns_take_files_in_order_and_missing_ones_are_told(write, tmp_path):
    for i in (2, 0, 1):
        write(f"{i} |f a\n", f"part-{i}.vw")
    assert [row[0] for row in rows_of(Stream(str(tmp_path / "part-*.vw")))] == [0.0, 1.0, 2.0]
    with pytest.raises(TreatiseError, match="no file matches"):
        Stream(str(tmp_path / "none-*.vw"))
    with pytest.raises(TreatiseError, match=r"no such file; did you mean part-0\.vw"):
        Stream(tmp_path / "prt-0.vw")


def test_text_that_is_neither_examples_nor_a_table_is_refused_by_name(write):
    with pytest.raises(TreatiseError, match=r"x\.txt: there is a header but no row beneath it"):
        list(Stream(write("just some words\n", "x.txt")))


def test_consumer_that_stops_early_ends_the_reading_thread(write, monkeypatch):
    import threading

    monkeypatch.setattr(lines, "BLOCK", 1 << 10)
    before = threading.active_count()
    iterator = iter(Stream(write("1 |f a b c\n" * 20_000)))
    next(iterator)
    iterator.close()
    assert threading.active_count() == before


# A line feed, a bar, digits: what lines are made of, more often than chance would have it.
BYTES = st.lists(st.sampled_from([*b"\n|: '\t\r#1290.eE+-ab"]) | st.integers(0, 255), max_size=200).map(bytes)


@given(BYTES, st.sampled_from(["vw", "libsvm"]), st.sampled_from([(), ("aa",), ("ab",)]))
@fuzzed
def test_any_bytes_give_sound_rows_or_a_clear_refusal(write, content, style, crosses):
    path = write(content, "fuzz.txt")
    stream = Stream(path, format=style, bits=7, quadratic=crosses, on_error="skip", need_label=False)
    for chunk in stream:
        assert chunk.indptr[0] == 0
        assert np.all(np.diff(chunk.indptr) >= 0)
        assert chunk.indptr[-1] == len(chunk.indices)
        assert np.all((chunk.indices >= 0) & (chunk.indices < 128))
        assert np.all(np.isfinite(chunk.values))
        assert np.all(chunk.weights >= 0)
    wrong = stream.skipped
    if wrong:
        with pytest.raises(TreatiseError, match=r"line \d+: "):
            list(Stream(path, format=style, bits=7, quadratic=crosses, need_label=False))


@given(BYTES)
@fuzzed
def test_any_bytes_as_csv_give_rows_or_a_clear_refusal(write, content):
    try:
        for chunk in Stream(write(b"a,b\n" + content, "fuzz.csv"), need_label=False, on_error="skip", bits=7):
            assert np.all(np.isfinite(chunk.values))
    except TreatiseError as error:
        assert "fuzz.csv" in str(error)
