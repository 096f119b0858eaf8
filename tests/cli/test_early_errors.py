"""A typing error is told before the methods and their libraries are imported."""

import pytest

from treatise.compare.early import is_file, refuse_early

# Prints which of the heavy libraries were imported by the time the command had answered.
PROGRAM = """
import sys
from treatise.cli import app
sys.argv = ["treatise", *sys.argv[1:]]
try:
    app()
except SystemExit as end:
    heavy = [name for name in ("sklearn", "numba", "polars", "treatise.compare.comparison") if name in sys.modules]
    print(end.code, *heavy)
"""


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("size,town,label\n" + "1.5,Bern,yes\n2.5,Chur,no\n" * 30)
    return path


def test_a_wrong_path_imports_nothing_that_takes_time(shell, table):
    done = shell("compare", str(table.with_name("tabel.csv")), "--target", "label", script=PROGRAM)
    assert done.stdout == "1\n"
    assert "tabel.csv: no such file; did you mean" in done.stderr and "table.csv" in done.stderr
    done = shell("compare", "irsi", script=PROGRAM)
    assert done.stdout == "1\n" and "tables that need no file: breast_cancer" in done.stderr
    done = shell("predict", "nowhere.skops", str(table), script=PROGRAM)
    assert done.stdout == "1\n" and "nowhere.skops: no such file" in done.stderr


def test_a_wrong_column_is_told_by_the_reader_alone(shell, table):
    for words in (["--target", "lable"], ["--target", "label", "--group", "twon"]):
        done = shell("compare", str(table), *words, script=PROGRAM)
        assert "did you mean" in done.stderr
        assert "sklearn" not in done.stdout.split() and "treatise.compare.comparison" not in done.stdout.split()


def test_an_unknown_measure_is_told_before_the_table_is_read(shell, table):
    done = shell("compare", str(table), "--target", "label", "--metric", "acuracy", script=PROGRAM)
    assert "metric 'acuracy' is unknown" in done.stderr
    assert "treatise.compare.comparison" not in done.stdout.split()


def test_what_is_there_passes(table, tmp_path):
    refuse_early(table, ["label", -1, None], metric="f1")
    refuse_early("iris", ["whatever"])
    refuse_early("keel/sonar.dat", [])  # a known file of the data home, whether it is there or not
    assert is_file(f"{table}#sheet") and not is_file(tmp_path / "book.xlsx")
    refuse_early(table, ["0"], task="sequence")
