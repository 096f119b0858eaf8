"""Rows, verdicts, and the running of an experiment."""

import math
import sys
import types

import pytest
from matplotlib.figure import Figure

from treatise._core.errors import DataNotFoundError, TreatiseError
from treatise.catalog import load_catalogue
from treatise.papers import Evidence, Reproduction, Row, available, reproduce


@pytest.mark.parametrize(
    ("here", "verdict"),
    [
        (2.0, "reached"),
        (2.5, "reached"),
        (1.5, "reached"),
        (2.5001, "not reached"),
        (1.4999, "not reached"),
        (math.nan, "not reached"),
        (math.inf, "not reached"),
    ],
)
def test_close_is_within_the_tolerance_on_either_side(here, verdict):
    row = Row.close("mean", 2.0, here, 0.5, "rounding")
    assert row.verdict == verdict
    assert row.tolerance == "±0.5 (rounding)"


def test_an_infinite_tolerance_does_not_let_an_infinite_number_pass():
    assert Row.close("mean", 2.0, math.inf, math.inf, "any").verdict == "not reached"


@pytest.mark.parametrize(("published", "here", "verdict"), [
    (12, 12, "reached"), (12, 13, "not reached"), ("A > B", "A > B", "reached"), (True, False, "not reached"),
])  # fmt: skip
def test_equal_is_the_same(published, here, verdict):
    assert Row.equal("features", published, here).verdict == verdict


@pytest.mark.parametrize(("here", "at_most", "at_least"), [
    (0.1, "reached", "not reached"),
    (0.2, "reached", "reached"),
    (0.3, "not reached", "reached"),
    (math.nan, "not reached", "not reached"),
])  # fmt: skip
def test_at_most_and_at_least_take_the_bound_itself_and_never_nan(here, at_most, at_least):
    assert Row.at_most("error", 0.2, here).verdict == at_most
    assert Row.at_least("accuracy", 0.2, here).verdict == at_least


def test_only_a_row_not_reached_without_a_reason_fails():
    assert Row.at_most("error", 0.1, 0.2).failed
    assert not Row.at_most("error", 0.1, 0.2, gap="the splits are lost").failed
    assert not Row.at_most("error", 0.1, 0.05).failed
    assert not Row.unpublished("seconds", 3.0).failed


def test_a_row_without_a_published_number_claims_none():
    row = Row.unpublished("seconds", 3.0)
    assert (row.published, row.tolerance, row.verdict) == (None, "", "no published number")


def test_a_reproduction_fails_with_any_of_its_rows_and_becomes_plain_data():
    good, bad = Row.equal("features", 3, 3), Row.equal("ties", 0, 1)
    assert not Reproduction("v98-0001", [good], 1.5, None, []).failed
    assert Reproduction("v98-0001", [good, bad], 1.5, None, []).failed
    assert Reproduction("v98-0001", [good], 1.5, "a.png", ["b"]).plain() == {
        "paper": "v98-0001",
        "rows": [
            {"quantity": "features", "published": 3, "here": 3, "tolerance": "exact", "verdict": "reached", "gap": ""}
        ],
        "seconds": 1.5,
        "figure": "a.png",
        "skipped": ["b"],
    }


def test_every_experiment_belongs_to_a_paper_of_the_catalogue_that_runs():
    running = {paper.id for paper in load_catalogue() if paper.status in ("working", "partial")}
    assert set(available()) - running == set()


@pytest.fixture
def experiment(monkeypatch):
    """Put a function in place of an experiment."""

    def put(function):
        module = types.ModuleType("treatise.papers.v98_0001")
        module.experiment = function
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setattr("treatise.papers._reproduce._modules", lambda: {"v98-0001": module.__name__})

    return put


def test_an_unknown_paper_is_refused_with_the_known_ones(experiment):
    experiment(None)
    with pytest.raises(TreatiseError, match=r"no experiment for 'v98-0002' yet; there is one for: v98-0001"):
        reproduce("v98-0002")


def test_the_experiment_gets_its_size_and_its_answer_comes_back(experiment):
    experiment(lambda *, full: Evidence([Row.unpublished("full", full)], skipped=["a part"]))
    quick, full = reproduce("v98-0001"), reproduce("v98-0001", full=True)
    assert [row.here for row in (*quick.rows, *full.rows)] == [False, True]
    assert (quick.paper, quick.skipped, quick.figure) == ("v98-0001", ["a part"], None)
    assert quick.seconds >= 0


def test_a_figure_is_saved_only_where_a_folder_is_named(experiment, tmp_path):
    experiment(lambda *, full: Evidence([], figure=Figure()))
    assert reproduce("v98-0001").figure is None
    folder = tmp_path / "deep" / "down"
    saved = reproduce("v98-0001", folder=folder).figure
    assert saved == str(folder / "v98-0001.png")
    assert (folder / "v98-0001.png").read_bytes().startswith(b"\x89PNG")


def test_no_folder_is_made_without_a_figure(experiment, tmp_path):
    experiment(lambda *, full: Evidence([]))
    assert reproduce("v98-0001", folder=tmp_path / "new").figure is None
    assert not (tmp_path / "new").exists()


def test_absent_data_leave_the_experiment_out_and_other_errors_pass(experiment):
    def without_data(*, full):
        raise DataNotFoundError("sonar.dat is absent: get it from example.org")

    experiment(without_data)
    result = reproduce("v98-0001")
    assert (result.rows, result.skipped) == ([], ["sonar.dat is absent: get it from example.org"])
    assert not result.failed

    def broken(*, full):
        raise ZeroDivisionError

    experiment(broken)
    with pytest.raises(ZeroDivisionError):
        reproduce("v98-0001")
