"""LIBSVM text against scikit-learn's reader, and its faults with their lines."""

import io

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from treatise._core.errors import TreatiseError
from treatise.io.tables.libsvm_loops import EXACT, INEXACT, NO_NUMBER, decimal


def assert_same(table, text):
    X, y = load_svmlight_file(io.BytesIO(text))
    assert table.matrix.shape == X.shape
    for part in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(table.matrix, part), getattr(X, part))
    np.testing.assert_array_equal(table.frame["label"].to_numpy(), y)


@pytest.mark.parametrize("zero_based", [False, True])
def test_what_scikit_learn_writes_is_read_to_the_bit(read, zero_based):
    rng = np.random.default_rng(0)
    X = sparse.random(200, 50, density=0.2, random_state=rng, format="csr")
    X.data *= 10.0 ** rng.integers(-30, 30, X.nnz)
    buffer = io.BytesIO()
    dump_svmlight_file(X, rng.normal(size=200), buffer, zero_based=zero_based)
    table = read(buffer.getvalue(), "random.svm")
    assert_same(table, buffer.getvalue())
    assert isinstance(table.matrix, sparse.csr_matrix)
    assert table.frame.columns == ["label"]
    assert table.notes == (("features are numbered from 0",) if zero_based else ())


def test_comments_queries_blank_lines_and_rows_without_features(read):
    text = b"# made by hand\n\n+1 qid:3 1:0.5 4:-2e-3 # first\n-1 \n  -1\tqid:4  2:.5\t3:7.\r\n# end\n"
    table = read(text, "by_hand")
    assert_same(table, text)
    assert table.frame["label"].to_list() == [1, -1, -1]
    assert table.frame["label"].dtype == pl.Int64
    assert table.notes == ("the query numbers (qid) of 2 rows were left out",)
    np.testing.assert_array_equal(table.matrix.toarray(), [[0.5, 0, 0, -2e-3], [0, 0, 0, 0], [0, 0.5, 7, 0]])


def test_values_beyond_the_numbers_are_read(read):
    table = read(b"1.5 1:inf 2:nan 3:-Infinity\n2 1:1e400\n", "data")
    np.testing.assert_array_equal(table.matrix.toarray(), [[np.inf, np.nan, -np.inf], [np.inf, 0, 0]])
    assert table.frame["label"].to_list() == [1.5, 2.0]


def test_decimals_are_rounded_once_or_left_open():
    rng = np.random.default_rng(1)
    exact = 0
    for _ in range(3000):
        digits = "".join(rng.choice(list("0123456789"), rng.integers(1, 20)))
        point = rng.integers(0, len(digits) + 1)
        token = rng.choice(["", "-", "+"]) + digits[:point] + rng.choice([".", ""]) + digits[point:]
        if rng.random() < 0.5:
            token += rng.choice(["e", "E"]) + rng.choice(["", "-", "+"]) + str(rng.integers(0, 30))
        number, state = decimal(np.frombuffer(token.encode(), np.uint8), 0, len(token))
        assert state != NO_NUMBER
        if state == EXACT:
            exact += 1
            assert number == float(token), token
    assert exact > 1000
    for token, expected in [("1e", NO_NUMBER), ("1.2.3", NO_NUMBER), ("1e5x", NO_NUMBER), ("0x1", NO_NUMBER)]:
        assert decimal(np.frombuffer(token.encode(), np.uint8), 0, len(token))[1] == expected
    assert decimal(np.frombuffer(b"9007199254740993", np.uint8), 0, 16)[1] == INEXACT


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 1:2 1:3\n", "line 1 holds the index of '1:3' twice"),
        ("1 1:2\n1 3:1 2:1\n", "line 2: the index in '2:1' is below the one before"),
        ("1 1:2\n1 -3:1\n", "line 2: the index in '-3:1' is no whole number from 0 on"),
        ("1 1:2\n1 1.5:1\n", "line 2: the index in '1.5:1' is no whole number"),
        ("1 1:2\n1 :1\n", "line 2: the index in ':1' is no whole number"),
        ("1 1:2\n1 99999999999999999999:1\n", "is too large"),
        ("1 1:2\n1 2147483647:1\n", "line 2: the index in '2147483647:1' is too large; 2147483646 is the last"),
        ("1 1:2\n1 2:x\n", "line 2 holds 'x' where a number belongs"),
        ("1 1:2\n1 2:\n", "line 2 holds '' where a number belongs"),
        ("1 1:2\n1 2:1e\n", "line 2: the value in '2:1e' is no number"),
        ("1 1:2\n1 2\n", "line 2 holds '2' where index:value belongs"),
        ("1 1:2\n2:1 3:1\n", "line 2 begins with '2:1', which is no label"),
        ("1 1:2\n\nspam 3:1\n", "line 3 holds 'spam' where a number belongs"),
        ("1,2 1:2\n1 3:1\n", "line 1 has several labels ('1,2')"),
        ("# nothing\n", "comments but no rows"),
    ],
)
def test_faults_are_told_with_their_line(read, text, said):
    with pytest.raises(TreatiseError) as error:
        read(text, "data.svm", format="libsvm")
    assert said in str(error.value)


def test_several_labels_are_recognised_without_being_told(read):
    with pytest.raises(TreatiseError, match="several labels"):
        read("1,2 1:2\n1 3:1\n", "data.svm")


@pytest.mark.parametrize("text", ["12:30 a\n12:45 b\n", "1 2 3\n4 5 6\n", "a 1:2\nb 1:3\n", "1\n2\n"])
def test_other_text_with_colons_is_no_libsvm(read, text):
    assert read(text, "data.txt").matrix is None
