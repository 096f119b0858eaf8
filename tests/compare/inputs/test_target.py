"""What is said of a target before anything runs, and what is not."""

import numpy as np
import polars as pl
import pytest

from treatise.compare import understand
from treatise.compare.inputs.target import alike_labels, amounts_to_mind, rare_classes, read_target, survival_data
from treatise.io import Table, read_table

rng = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ({"yes": 40, "no": 960}, "class 'yes' is rare, 40 of 1000 rows (4.0%): --metric average_precision"),
        ({"yes": 60, "no": 940}, None),
        ({"yes": 20, "no": 100}, "class 'yes' is rare, 20 of 120 rows"),
        ({"yes": 20, "no": 30}, None),
        ({"yes": 3, "no": 30}, "class 'yes' has 3 rows only"),
        ({"yes": 1, "no": 30}, "class 'yes' has one row only"),
        ({str(i): 40 for i in range(26)}, None),
        ({"a": 500, "b": 490, "c": 10}, "class 'c' is rare, 10 of 1000 rows (1.0%): balanced accuracy"),
    ],
)
def test_rare_classes(counts, words):
    found = rare_classes(counts)
    assert (found == []) if words is None else (words in found[0])


def test_labels_that_look_alike_stay_apart_and_are_named():
    assert alike_labels(["yes", "no"], "y") == []
    (blanks,) = alike_labels(["yes", " yes", "no"], "y")
    assert "the labels 'yes' and ' yes' of 'y' differ in blanks only and are 2 classes" in blanks
    (capitals,) = alike_labels(["Yes", "yes", "no"], "y")
    assert "differ in capitals only" in capitals
    y, task, words = read_target(pl.Series([" yes", "yes", "no"] * 20), "y", None)
    assert task == "multiclass" and set(y) == {" yes", "yes", "no"}
    assert words == alike_labels([" yes", "no", "yes"], "y")


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (np.exp(2 * rng.normal(size=500)), "has a long tail (skewness"),
        (rng.random(500), None),
        (-np.exp(2 * rng.normal(size=500)), None),
        (rng.normal(size=500), None),
        (rng.poisson(2.0, 500) + 0.0 + 200 * (np.arange(500) % 97 == 0), "holds counts (whole numbers from 0 to"),
        (rng.poisson(30.0, 500) + 1000.0, None),
        (1.0 + np.arange(520) % 26, "the 26 whole numbers of 'y' are taken as amounts (--task multiclass: as classes)"),
        (rng.permutation(10_000)[:500].astype(float), None),
    ],
)
def test_amounts(y, words):
    found = amounts_to_mind(y, "y")
    assert (found == []) if words is None else (words in found[0])


@pytest.mark.parametrize(
    ("names", "target", "told"),
    [
        (("time", "event"), "time", True),
        (("survival_days", "Status"), "Status", True),
        (("followupTime", "death"), "death", True),
        (("time", "event"), "x", False),
        (("width", "event"), "event", False),
        (("time", "kind"), "time", False),
    ],
)
def test_a_time_beside_a_flag_looks_like_survival(names, target, told):
    frame = pl.DataFrame({names[0]: rng.random(60) * 9, names[1]: [0, 1] * 30, "x": rng.normal(size=60)})
    words = survival_data(frame, target)
    assert bool(words) is told
    if told:
        assert f"{names[0]!r} beside {names[1]!r} looks like survival data" in words[0]
        assert survival_data(frame.with_columns(pl.lit(-1.0).alias(names[0])), target) == []


def test_amounts_of_money_are_amounts_however_few(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(f"{i * 0.7 % 1:.2f},{5 * (1 + i % 4)} €\n" for i in range(80)))
    assert understand(read_table(path), "y").task == "regression"
    assert understand(read_table(path), "y", "multiclass").task == "multiclass"
    plain = Table("t", pl.DataFrame({"x": rng.normal(size=80), "y": [5, 10, 15, 20] * 20}), True, ())
    assert understand(plain, "y").task == "multiclass"


def test_few_whole_numbers_that_thin_out_are_counts_and_others_are_classes():
    visits = np.random.default_rng(0).poisson(2.0, 900)
    assert len(np.unique(visits)) <= 20
    _, task, words = read_target(pl.Series(visits), "visits", None)
    assert task == "regression"
    assert any("are taken as counts (--task multiclass: as classes)" in word for word in words)
    assert read_target(pl.Series(visits), "visits", "multiclass")[1] == "multiclass"
    digits = np.arange(900) % 10
    codes = np.repeat(np.arange(8), [400, 200, 100, 80, 50, 40, 20, 10])  # codes by frequency, each with rows enough
    ends_rare = np.repeat([0, 1, 2, 3], [500, 300, 97, 3])
    for labels in (digits, codes, ends_rare):
        assert read_target(pl.Series(labels), "kind", None)[1] == "multiclass"
