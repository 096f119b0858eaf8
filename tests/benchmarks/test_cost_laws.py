"""Cost laws: fitted as planted, written into their line alone, and checked."""

import itertools
import tomllib
from dataclasses import replace

import numpy as np
import pytest

from benchmarks._cost import command, rows
from benchmarks._cost.law import as_toml, fit_law
from benchmarks._cost.measure import Measured, Meter, grid
from benchmarks._tables import Size, make_data
from treatise.catalog import Cost

GRID = [Size(*sizes) for sizes in itertools.product((250, 1000, 4000), (8, 32), (2, 8))]
TEXT = """# Two methods.

[[paper]]
id = "v15-0001"
seconds = "not a law"

[[paper.estimator]]
path = "treatise.svm.First"
[paper.estimator.compare]
tasks = ["binary"]
seconds = { scale = 1e-6, n = 2 }
bytes = { scale = 8, n = 2 }
search = { C = { low = 1e-2, high = 1e2, log = true } }

# The second is new.
[[paper.estimator]]
path = "treatise.svm.Second"

[paper.estimator.compare]
tasks = ["binary"]
stream = {}
[paper.estimator.peer]
path = "sklearn.svm.SVC"
n = 100
p = 10

# The third says nothing.
[[paper.estimator]]
path = "treatise.svm.Third"
"""


@pytest.mark.parametrize(
    "planted",
    [Cost(1.3e-7, n=1, p=0.75, k=0.25), Cost(2e-9, n=2.5, p=1), Cost(16.0, n=1, p=1), Cost(0.012)],
)
def test_a_planted_law_is_recovered_exactly(planted):
    assert fit_law(GRID, [planted.at(*size) for size in GRID]) == planted


def test_noise_leaves_the_exponents_and_puts_the_law_in_the_geometric_middle():
    planted, factors = Cost(1e-6, n=1.5, p=1), [1.1, 1 / 1.1]
    costs = [planted.at(*size) * factors[i % 2] for i, size in enumerate(GRID)]
    assert fit_law(GRID, costs) == planted


def test_an_exponent_below_zero_counts_as_none_and_a_fixed_size_has_no_say():
    sizes = [Size(n, p, 2) for n, p in itertools.product((100, 1000), (4, 64))]
    law = fit_law(sizes, [1e-5 * size.n / size.p**0.5 for size in sizes])
    assert (law.n, law.p, law.k) == (1.0, 0.0, 0.0)


def test_memory_grows_with_the_table_or_with_pairs_of_rows():
    fixed_part = [3e5 + 24 * size.n * size.p for size in GRID]
    assert command.bytes_law(GRID, fixed_part).n == command.bytes_law(GRID, fixed_part).p == 1
    pairs = [8.0 * size.n**2 for size in GRID]
    assert command.bytes_law(GRID, pairs) == Cost(8, n=2)


def test_an_exponent_stays_within_its_bounds():
    law = fit_law(GRID, [5000.0 * size.n**0.5 * size.p * size.k**2.5 for size in GRID], least=(1, 1, 0))
    assert (law.n, law.p, law.k) == (1.0, 1.0, 2.0)


@pytest.mark.parametrize(
    ("law", "text"),
    [
        (Cost(1.3e-7, n=1, p=0.75), "{ scale = 1.3e-7, n = 1, p = 0.75 }"),
        (Cost(2e-9, k=1), "{ scale = 2e-9, k = 1 }"),
        (Cost(4000, n=1), "{ scale = 4000, n = 1 }"),
        (Cost(0.05), "{ scale = 0.05 }"),
    ],
)
def test_a_law_is_written_as_toml_that_reads_back(law, text):
    assert as_toml(law) == text
    assert Cost(**tomllib.loads(f"law = {text}")["law"]) == law


def test_only_the_lines_of_the_law_change(tmp_path):
    file = tmp_path / "papers.toml"
    file.write_text(TEXT)
    rows.write_laws(file, "treatise.svm.First", {"seconds": Cost(3e-8, n=1.5, p=1), "bytes": Cost(24, n=1, p=1)})
    before, after = TEXT.splitlines(), file.read_text().splitlines()
    changed = {old: new for old, new in zip(before, after, strict=True) if old != new}
    assert changed == {
        "seconds = { scale = 1e-6, n = 2 }": "seconds = { scale = 3e-8, n = 1.5, p = 1 }",
        "bytes = { scale = 8, n = 2 }": "bytes = { scale = 24, n = 1, p = 1 }",
    }


def test_a_row_without_a_law_gets_its_lines_at_the_end_of_its_comparison(tmp_path):
    file = tmp_path / "papers.toml"
    file.write_text(TEXT)
    rows.write_laws(file, "treatise.svm.Second", {"seconds": Cost(1e-6, n=1), "bytes": Cost(8, n=1)})
    lines = "stream = {}\nseconds = { scale = 1e-6, n = 1 }\nbytes = { scale = 8, n = 1 }\n"
    assert file.read_text() == TEXT.replace("stream = {}\n", lines)


def test_a_row_that_takes_no_part_in_comparisons_or_is_not_there_is_refused(tmp_path):
    file = tmp_path / "papers.toml"
    file.write_text(TEXT)
    for path in ("treatise.svm.Third", "treatise.svm.Fourth"):
        with pytest.raises(ValueError, match=path):
            rows.write_laws(file, path, {"seconds": Cost(1e-6)})
    assert file.read_text() == TEXT


def test_rows_are_chosen_by_estimator_and_by_paper():
    (arow,) = rows.chosen_rows(["arow"])
    assert (arow.name, arow.paper, arow.file.name) == ("AROW", "v15-0495", "papers.toml")
    assert {row.paper for row in rows.chosen_rows(["v15-0495"])} == {"v15-0495"}
    with pytest.raises(ValueError, match="'zeppelin' is no estimator of a comparison"):
        rows.chosen_rows(["zeppelin"])


@pytest.fixture
def row():
    (found,) = rows.chosen_rows(["AROW"])
    return found


def with_laws(row, seconds, memory):
    return rows.Row(row.file, row.path, row.paper, replace(row.compare, seconds=Cost(seconds), bytes=Cost(memory)))


@pytest.mark.parametrize(("factor", "off"), [(1.0, 0), (2.9, 0), (0.35, 0), (10.0, 2), (0.1, 2)])
def test_a_law_that_is_off_by_ten_is_caught_at_both_sizes_and_one_within_three_is_not(row, factor, off):
    planted = with_laws(row, seconds=1.0, memory=1e9)
    found = list(command.complaints(planted, lambda size: Measured(factor, 1e9)))
    assert len(found) == off and all("AROW: seconds at" in sentence for sentence in found)
    found = list(command.complaints(planted, lambda size: Measured(1.0, factor * 1e9)))
    assert len(found) == off and all("AROW: bytes at" in sentence for sentence in found)


def test_what_is_too_small_to_be_told_from_noise_is_no_complaint(row):
    small = with_laws(row, seconds=1e-5, memory=10)
    assert list(command.complaints(small, lambda size: Measured(1e-3, 3e5))) == []


def test_the_status_tells_whether_a_law_is_off(monkeypatch, capsys):
    answers = iter([["AROW: seconds are off"], []])
    monkeypatch.setattr(command, "complaints", lambda row, measure: next(answers))
    assert command.main(["AROW", "--check"]) == 1
    assert "AROW: seconds are off" in capsys.readouterr().out
    assert command.main(["AROW", "--check"]) == 0


def test_all_and_names_exclude_each_other(capsys):
    for words in ([], ["AROW", "--all"]):
        with pytest.raises(SystemExit):
            command.main(words)
    assert "or give --all" in capsys.readouterr().err


def test_a_meter_fits_the_estimator_as_comparisons_do():
    (head,) = rows.chosen_rows(["FCBF"])
    meter = Meter(head)
    assert [name for name, _ in meter.estimator.steps][-1] == head.compare.head["binary"].rpartition(".")[2].lower()
    found = meter.at(Size(300, 8, 2))
    assert 0 < found.seconds < 10 and found.bytes >= 8 * 300 * 8


def test_the_grid_varies_one_size_at_a_time(monkeypatch, row):
    monkeypatch.setattr(Meter, "largest_rows", lambda self, columns: 4096)
    sizes = grid(Meter(row))
    middle = Size(1024, 16, 2)
    assert middle in sizes
    assert all(sum(a != b for a, b in zip(size, middle)) <= 1 for size in sizes)
    assert [len(set(values)) for values in zip(*sizes)] == [3, 3, 3]


@pytest.mark.parametrize("task", ["binary-groups", "multiclass-groups", "regression-groups", "counts-groups"])
def test_made_up_groups_tell_of_their_rows(task):
    k = 3 if task == "multiclass-groups" else 2
    X, y = make_data(task, Size(2000, 4, k))
    assert X.shape == (2000, 4) and len(y) == 2000
    if "class" in task or "binary" in task:
        assert set(y) == set(range(k))
    # Rows of a group resemble each other: their mean varies more than one of ten independent rows would.
    shares = np.stack([y == 0, y == 1]) if "class" in task else y[None]
    assert shares.reshape(len(shares), -1, 10).mean(axis=2).var() > 1.5 * shares.var() / 10


def test_a_method_of_groups_is_measured_with_groups():
    found = Meter(rows.chosen_rows(["VariationalGLMM"])[0]).at(Size(300, 8, 2))
    assert 0 < found.seconds < 10 and found.bytes >= 8 * 300 * 8


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression", "sequence"])
def test_made_up_data_have_their_size(task):
    X, y = make_data(task, Size(200, 8, 4))
    assert len(X) == len(y) == 200
    if task != "regression":
        assert len(set(y)) == 4


@pytest.mark.parametrize("rows", [64, 512, 6000])
def test_sequences_to_group_have_the_positions_asked_for_and_two_ways_to_move(rows):
    sequences, groups = make_data("cluster-sequences", Size(rows, 3, 2))
    assert len(sequences) >= 10 and all(sequence.shape[1] == 3 for sequence in sequences)
    assert sum(map(len, sequences)) == pytest.approx(rows, rel=0.1)
    if rows == 6000:
        jumps = [np.mean(np.abs(np.diff(sequence, axis=0))) for sequence in sequences]
        assert min(np.array(jumps)[groups == 1]) > np.mean(np.array(jumps)[groups == 0])
