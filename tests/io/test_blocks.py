"""Tables in blocks: the same rows and columns as the whole, and clear words on what is wrong in the middle."""

import gzip

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from treatise._core.errors import TreatiseError
from treatise.io import TableBlocks, read_table


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Blocks of 4 KiB, so that small files have many; the first rows are then 32 KiB."""
    monkeypatch.setattr("treatise.io.source.lines.BLOCK", 1 << 12)
    monkeypatch.setattr("treatise.io.tables.parquet.BATCH", 100)


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    n = 3000
    size = pl.Series("size", rng.normal(size=n).round(6))
    return pl.DataFrame(
        {
            "size": pl.select(pl.when(pl.Series(rng.random(n) < 0.9)).then(size)).to_series(),
            "count": rng.integers(0, 9, n),
            "town": rng.choice(["Bern", "Zug, old", 'the "x"', "two\nlines"], n),
            "open": rng.random(n) < 0.5,
            "day": pl.Series(rng.integers(18_000, 19_000, n)).cast(pl.Int32).cast(pl.Date),
        }
    )


def gathered(blocks):
    tables = list(blocks)
    assert len(tables) > 5
    return pl.concat([table.frame for table in tables])


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_blocks_of_text_join_to_the_table_that_is_read_at_once(frame, tmp_path, separator):
    path = tmp_path / ("table.tsv" if separator == "\t" else "table.csv")
    frame.write_csv(path, separator=separator)
    blocks = TableBlocks(path)
    assert blocks.kinds == {"size": "number", "count": "number", "town": "text", "open": "truth", "day": "date"}
    whole = read_table(path).frame.cast({"count": pl.Float64})
    assert gathered(blocks).equals(whole)
    # Nine of ten rows are beyond the first; quoted fields of several lines make the sizes vary by a few percent.
    assert blocks.n_rows == pytest.approx(3000, rel=0.1)
    assert blocks.unfit == {}


def test_a_decimal_comma_is_read_in_every_block(tmp_path):
    values = np.random.default_rng(1).normal(size=9000).round(4)
    path = tmp_path / "comma.csv"
    path.write_text("x;y\n" + "".join(f"{value:.4f};a\n".replace(".", ",") for value in values))
    np.testing.assert_array_equal(gathered(TableBlocks(path))["x"].to_numpy(), values)


def test_money_and_dates_of_a_country_are_read_in_every_block(tmp_path):
    rng = np.random.default_rng(2)
    amounts, days = rng.integers(-5_000_000, 5_000_000, 6000) / 100, rng.integers(1, 29, 6000)
    lines = [f'"${amount:,.2f}",{day}/11/2021 0{day % 9}:30,a\n' for amount, day in zip(amounts, days)]
    path = tmp_path / "paid.csv"
    path.write_text("paid,due,kind\n" + "".join(lines))
    whole = gathered(TableBlocks(path))
    np.testing.assert_allclose(whole["paid"].to_numpy(), amounts, rtol=1e-12)
    assert whole["due"].dt.day().to_list() == days.tolist()
    assert whole.equals(read_table(path).frame)


def test_blocks_of_parquet_join_to_the_table_and_its_rows_are_counted(frame, tmp_path):
    path = tmp_path / "table.parquet"
    frame.write_parquet(path, row_group_size=500)
    blocks = TableBlocks(path)
    assert blocks.n_rows == 3000
    assert gathered(blocks).equals(read_table(path).frame.cast({"count": pl.Float64}))


def test_compressed_text_is_read_and_its_size_estimated(frame, tmp_path):
    path = tmp_path / "table.csv.gz"
    text = frame.write_csv().encode()
    path.write_bytes(gzip.compress(text))
    blocks = TableBlocks(path)
    assert gathered(blocks)["town"].equals(frame["town"])
    # The first rows shrink as the others do; the dictionary of gzip pays a little more on the whole.
    assert blocks.n_bytes == pytest.approx(len(text), rel=0.15)


@pytest.mark.parametrize("from_zero", [True, False])
def test_libsvm_blocks_join_to_the_whole_matrix(tmp_path, from_zero):
    # The first feature is in the first row alone, so later blocks cannot tell where counting begins.
    first = sparse.csr_matrix(([1.0], ([0], [0])), shape=(1500, 1))
    X = sparse.hstack([first, sparse.random(1500, 40, 0.2, random_state=0)], format="csr")
    y = np.arange(1500) % 3
    path = tmp_path / "rows.svm"
    dump_svmlight_file(X, y, str(path), zero_based=from_zero)
    blocks = list(TableBlocks(path))
    assert len(blocks) > 5
    start = 0
    for block in blocks:
        width = block.matrix.shape[1]
        part = X[start : start + block.n_rows, :width]
        assert abs(block.matrix - part).max() < 1e-12
        np.testing.assert_array_equal(block.frame["label"].to_numpy(), y[start : start + block.n_rows])
        start += block.n_rows
    assert start == 1500


def test_a_later_value_of_another_kind_is_missing_and_counted(tmp_path):
    lines = [f"{i},{i % 2 == 0},a\n" for i in range(9000)]
    lines[8000], lines[8500] = "unknown,true,a\n", "3,perhaps,a\n"
    path = tmp_path / "odd.csv"
    path.write_text("n,flag,name\n" + "".join(lines))
    blocks = TableBlocks(path)
    joined = gathered(blocks)
    assert joined["n"].null_count() == joined["flag"].null_count() == 1
    assert joined["n"][8000] is None and joined["n"][8001] == 8001.0
    assert blocks.unfit == {"n": 1, "flag": 1}


def test_a_file_of_keel_and_one_without_header_keep_their_first_row(tmp_path):
    rows = "".join(f"{i}, {i % 5}\n" for i in range(4000))
    (tmp_path / "a.dat").write_text("@relation a\n@attribute x integer\n@attribute y integer\n@data\n" + rows)
    (tmp_path / "b.csv").write_text(rows)
    for name, columns in (("a.dat", ["x", "y"]), ("b.csv", ["column_0", "column_1"])):
        joined = gathered(TableBlocks(tmp_path / name))
        assert joined.columns == columns
        np.testing.assert_array_equal(joined.to_series(0).to_numpy(), np.arange(4000))


@pytest.mark.parametrize(
    ("place", "line", "sentence"),
    [
        (9000, "1,2,3\n", "line 9002 has 3 fields where the first has 2"),
        (9000, "1,\x01\n", "line 9002 holds the control character 0x01"),
        (9000, '1,"2"x\n', "line 9002 has text right after a closing quote"),
    ],
)
def test_a_wrong_line_far_into_the_file_is_named(tmp_path, place, line, sentence):
    lines = [f"{i},{i}\n" for i in range(10_000)]
    lines[place] = line
    path = tmp_path / "wrong.csv"
    path.write_text("a,b\n" + "".join(lines))
    blocks = TableBlocks(path)
    with pytest.raises(TreatiseError, match=sentence):
        list(blocks)


def test_files_that_are_no_table_are_refused_at_once(tmp_path):
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "wide.csv").write_bytes("a,b\n1,2\n".encode("utf-16"))
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 and nothing more")
    with pytest.raises(TreatiseError, match="the file is empty"):
        TableBlocks(tmp_path / "empty.csv")
    with pytest.raises(TreatiseError, match="UTF-16"):
        TableBlocks(tmp_path / "wide.csv")
    with pytest.raises(TreatiseError, match="damaged"):
        TableBlocks(tmp_path / "cut.parquet")
    with pytest.raises(TreatiseError, match="did you mean empty"):
        TableBlocks(tmp_path / "emty.csv")
