"""Rows, verdicts, and the running of an experiment."""

import json
import math
import subprocess
import sys
import time
import types
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from matplotlib.figure import Figure

from treatise._core.errors import DataNotFoundError, TreatiseError
from treatise.catalog import load_catalogue
from treatise.papers import Evidence, Gap, Kind, Reproduction, Row, Tally, _record, available, reproduce, tally
from treatise.papers._record import last_seen, record_last_seen, record_outcome, version

LOST = Gap("the paper's splits are lost; not known which seeds", band=0.05)


@pytest.mark.parametrize(
    ("here", "verdict"),
    [
        (2.0, "reached"),
        (2.2, "reached"),
        (1.8, "reached"),
        (2.2001, "not reached"),
        (1.7999, "not reached"),
        (math.nan, "not reached"),
        (math.inf, "not reached"),
    ],
)
def test_a_printed_number_is_reached_within_the_tolerance_on_either_side(here, verdict):
    row = Row.printed("mean", "Table 1", 2.0, here, within=0.2, why="rounding")
    assert row.verdict == verdict
    assert row.tolerance == "±0.2 (rounding)"


@pytest.mark.parametrize(("published", "within"), [(2.0, 0.25), (0.5, 0.11), (952, 150), (12.34, 1.3)])
def test_a_tolerance_of_more_than_a_tenth_cannot_be_chosen(published, within):
    """Nor in rows that the quick form leaves out."""
    with pytest.raises(ValueError, match="takes too much of"):
        Row.printed("mean", "Table 1", published, published, within=within, why="other folds")
    Row.printed("mean", "Table 1", published, published, standard_error=within)


@pytest.mark.parametrize(("published", "within"), [(7, 1), (0.5, 0.1), (0.0, 1.0), (12.34, 1.234), (0.06, 0.01)])
def test_a_tenth_or_a_unit_of_the_last_digit_can(published, within):
    assert Row.check("depth", published, published, within=within, why="one level more or less").within == within


@pytest.mark.parametrize(("published", "here", "verdict"), [
    (12, 12, "reached"), (12, 13, "not reached"), ("A > B", "A > B", "reached"), (True, False, "not reached"),
])  # fmt: skip
def test_without_a_tolerance_only_the_same_value_is_reached(published, here, verdict):
    assert Row.printed("features", "Table 1", published, here).verdict == verdict
    assert Row.check("features", published, here).verdict == verdict


@pytest.mark.parametrize(("here", "at_most", "at_least"), [
    (0.1, "reached", "not reached"),
    (0.2, "reached", "reached"),
    (0.3, "not reached", "reached"),
    (math.nan, "not reached", "not reached"),
])  # fmt: skip
def test_at_most_and_at_least_take_the_bound_itself_and_never_nan(here, at_most, at_least):
    assert Row.printed_at_most("error", "p. 3", 0.2, here).verdict == at_most
    assert Row.printed_at_least("accuracy", "p. 3", 0.2, here).verdict == at_least
    assert Row.check_at_most("gap", 0.2, here).verdict == at_most
    assert Row.check_at_least("value", 0.2, here).verdict == at_least


def test_a_tolerance_that_takes_the_opposite_sign_cannot_tell():
    """Published 10, here -11, within 30: that is no agreement."""
    row = Row.printed("difference", "Table 4", 10.0, -11.0, standard_error=10.0)
    assert (row.verdict, row.within, row.failed) == ("too few draws to tell", 30.0, False)
    assert Row.printed("difference", "Table 4", 10.0, -21.0, standard_error=10.0).failed
    assert Row.printed("difference", "Table 4", 10.0, 11.0, standard_error=1.0).verdict == "reached"


def test_a_tolerance_as_wide_as_the_effect_cannot_tell():
    near = {"within": 0.02, "why": "a bar of the figure"}
    assert Row.printed("error of A", "Table 1", 0.30, 0.31, effect=0.02, **near).verdict == "too few draws to tell"
    assert Row.printed("error of A", "Table 1", 0.30, 0.31, effect=0.05, **near).verdict == "reached"


def test_an_estimate_beyond_a_bound_by_less_than_its_noise_cannot_tell():
    assert Row.printed_at_most("error", "Table 1", 0.2, 0.22, standard_error=0.01).verdict == "too few draws to tell"
    assert Row.printed_at_most("error", "Table 1", 0.2, 0.24, standard_error=0.01).verdict == "not reached"
    assert Row.printed_at_least("accuracy", "Table 1", 0.8, 0.81, standard_error=0.01).verdict == "reached"


@pytest.mark.parametrize(("here", "verdict"), [
    (0.4, "reached"), (0.2, "too few draws to tell"), (-0.2, "too few draws to tell"), (-0.4, "not reached"),
    (math.nan, "not reached"),
])  # fmt: skip
def test_a_claim_about_a_difference_needs_more_than_its_noise(here, verdict):
    assert Row.claim_positive("A errs less than B", "p. 7", here, standard_error=0.1).verdict == verdict


@pytest.mark.parametrize(("here", "error", "verdict"), [
    (0.0, 0.0, "reached"), (-0.1, 0.0, "not reached"), (0.0, 0.1, "too few draws to tell"), (0.4, 0.1, "reached"),
    (-0.4, 0.1, "not reached"), (math.nan, 0.1, "not reached"),
])  # fmt: skip
def test_a_claim_that_allows_ties_holds_where_all_draws_are_equal(here, error, verdict):
    assert Row.claim_not_negative("A errs no more than B", "p. 7", here, standard_error=error).verdict == verdict


def test_a_claim_holds_or_fails():
    assert Row.claim("parts are local", "Figure 4", True).verdict == "reached"
    assert Row.claim("parts are local", "Figure 4", False).failed


def test_a_time_is_shown_with_its_verdict_and_never_fails():
    slow = Row.time("seconds", "Table 2", 0.1, 7.0)
    assert (slow.verdict, slow.failed) == ("not reached", False)
    assert Row.time("speed-up", "Table 2", 3.0, 4.0, rule="at least").verdict == "reached"


def test_a_number_of_ours_has_no_verdict():
    row = Row.ours("seconds", 3.0)
    assert (row.expected, row.tolerance, row.verdict, row.failed) == (None, "", "", False)


def test_a_wrong_filing_is_refused():
    with pytest.raises(ValueError, match="say where the paper has it"):
        Row.printed("error", "", 0.1, 0.1)
    with pytest.raises(ValueError, match="say where the paper has it"):
        Row.claim("parts are local", "", True)
    with pytest.raises(ValueError, match="a tolerance needs its reason"):
        Row.printed("error", "Table 1", 0.1, 0.1, within=0.01)
    with pytest.raises(ValueError, match="not both"):
        Row.printed("error", "Table 1", 0.1, 0.1, within=0.01, why="rounding", standard_error=0.1)
    with pytest.raises(TypeError, match="a tolerance is for numbers"):
        Row.printed("order", "Table 1", "A > B", "B > A", within=1, why="rounding")


@pytest.mark.parametrize(("last", "here", "failed"), [
    (0.30, 0.30, False), (0.30, 0.35, False), (0.30, 0.36, True), (0.30, 0.25, False), (0.30, math.nan, True),
    (None, 0.30, True),
])  # fmt: skip
def test_a_gap_fails_when_it_leaves_its_band_for_the_worse_or_nothing_is_on_record(last, here, failed):
    row = Row.printed_at_most("error", "Table 1", 0.2, here, gap=LOST)
    assert replace(row, last_seen=last).failed == failed


def test_no_band_is_wider_than_the_scale_of_its_row():
    wide = Gap("the paper's splits are lost; not known which seeds", band=5.0)
    rate = replace(Row.printed("rate", "Table 1", 0.3, 0.5, within=0.01, why="rounding", gap=wide), last_seen=0.5)
    assert rate.band == pytest.approx(0.1), "half of the distance"
    assert replace(rate, here=0.59).failed is False and replace(rate, here=0.61).failed
    noisy = Row.printed("rate", "Table 1", 0.3, 0.9, standard_error=0.05, gap=wide)
    assert replace(noisy, last_seen=0.5).band == pytest.approx(0.15), "the noise"
    count = Row.printed_at_most("steps", "Table 1", 100, 130, gap=wide)
    assert replace(count, last_seen=130).band == 5.0, "its own"
    assert replace(Row.claim("parts are local", "Figure 4", False, gap=wide), last_seen=False).band == 0.0
    assert Row.claim("parts are local", "Figure 4", False).band is None


def test_a_tolerance_of_half_of_a_number_cannot_tell():
    assert Row.printed("error", "Table 1", 10.0, 11.0, standard_error=2.0).verdict == "too few draws to tell"
    assert Row.printed("error", "Table 1", 10.0, 11.0, standard_error=1.6).verdict == "reached"


def test_a_gap_is_worse_on_the_missed_side():
    accuracy = Row.printed_at_least("accuracy", "Table 1", 0.9, 0.7, gap=LOST)
    assert replace(accuracy, last_seen=0.8).failed and not replace(accuracy, last_seen=0.7).failed
    mean = Row.printed("mean", "Table 1", 2.0, 2.4, within=0.1, why="rounding", gap=LOST)
    assert replace(mean, last_seen=1.7).failed and not replace(mean, last_seen=1.6).failed
    order = Row.printed("order", "Table 1", "ABC", "BAC", gap=LOST)
    assert replace(order, last_seen="ACB").failed and not replace(order, last_seen="BAC").failed
    claim = Row.claim("parts are local", "Figure 4", False, gap=LOST)
    assert not replace(claim, last_seen=False).failed


def test_a_gap_that_is_reached_is_promoted_and_dropped_from_the_record(seen):
    missed = Row.printed_at_most("error", "Table 1", 0.2, 0.3, gap=LOST)
    other = Row.claim("parts are local", "Figure 4", False, gap=LOST)
    record_last_seen("v98-0001", False, [missed, other])
    assert last_seen("v98-0001", False) == {"error": 0.3, "parts are local": False}
    reached = Row.printed_at_most("error", "Table 1", 0.2, 0.1, gap=LOST)
    assert reached.promoted and not reached.failed and not missed.promoted
    record_last_seen("v98-0001", False, [reached, other])
    assert last_seen("v98-0001", False) == {"parts are local": False}


def test_sizes_and_papers_are_recorded_apart(seen):
    for paper, full, here in (("v98-0001", False, 0.3), ("v98-0001", True, 0.4), ("v98-0002", False, 0.5)):
        record_last_seen(paper, full, [Row.printed_at_most("error", "Table 1", 0.2, here, gap=LOST)])
    assert [last_seen("v98-0001", full) for full in (False, True)] == [{"error": 0.3}, {"error": 0.4}]
    assert last_seen("v98-0002", False) == {"error": 0.5}
    assert last_seen("v98-0002", True) == {}


def test_an_outcome_is_recorded_with_its_date_and_version_beside_the_others(tmp_path):
    path = tmp_path / "evidence.json"
    for paper, full in (("v98-0002", False), ("v98-0001", False), ("v98-0002", True)):
        record_outcome(path, Reproduction(paper, full, [Row.ours("seconds", 3.0)], 1.5, "a.png", []))
    book = json.loads(path.read_text())
    assert {paper: list(sizes) for paper, sizes in book.items()} == {
        "v98-0001": ["quick"],
        "v98-0002": ["quick", "full"],
    }
    assert set(book["v98-0001"]["quick"]) >= {"date", "version", "rows", "counts"}
    assert book["v98-0001"]["quick"]["figure"] is None, "where figures lie is no matter of the record"


def test_recordings_at_the_same_time_lose_no_entry(tmp_path, seen, monkeypatch):
    def slow_read(path):
        book = read(path)
        time.sleep(0.02)  # so that all would write what they read before the others wrote
        return book

    def keep(paper):
        rows = [Row.printed_at_most("error", "Table 1", 0.2, 0.3, gap=LOST)]
        record_last_seen(paper, False, rows)
        record_outcome(tmp_path / "evidence.json", Reproduction(paper, False, rows, 1.0, None, []))

    read = _record._read
    monkeypatch.setattr(_record, "_read", slow_read)
    papers = [f"v98-000{number}" for number in range(6)]
    with ThreadPoolExecutor(len(papers)) as pool:
        list(pool.map(keep, papers))
    assert list(json.loads((tmp_path / "evidence.json").read_text())) == papers
    assert all(last_seen(paper, False) for paper in papers)


def test_kinds_are_counted_apart():
    rows = [
        Row.printed("a", "Table 1", 3, 3),
        Row.printed("b", "Table 1", 3, 4),
        Row.printed("c", "Table 1", 10.0, 8.0, standard_error=10.0),
        Row.claim("d", "p. 2", True),
        Row.check_at_most("e", 1.0, 2.0, gap=LOST),
        Row.time("f", "Table 2", 1.0, 2.0),
        Row.ours("g", 1),
    ]
    counts = tally(rows)
    assert counts[Kind.PRINTED] == Tally(rows=3, reached=1, missed=1, uncertain=1, failed=1)
    assert counts[Kind.CLAIM] == Tally(rows=1, reached=1)
    assert counts[Kind.CHECK] == Tally(rows=1, missed=1, failed=1)
    assert counts[Kind.TIME] == Tally(rows=1, missed=1)
    assert counts[Kind.OURS] == Tally(rows=1)


def test_a_reproduction_fails_with_any_of_its_rows_and_becomes_plain_data():
    good, bad = Row.printed("features", "Table 1", 3, 3), Row.check("ties", 0, 1)
    assert not Reproduction("v98-0001", False, [good], 1.5, None, []).failed
    assert Reproduction("v98-0001", False, [good, bad], 1.5, None, []).failed
    plain = Reproduction("v98-0001", True, [good], 1.5, "a.png", ["b"]).plain()
    counts = plain.pop("counts")
    assert counts["printed"] == {"rows": 1, "reached": 1, "missed": 0, "uncertain": 0, "failed": 0}
    assert plain == {
        "paper": "v98-0001",
        "size": "full",
        "rows": [
            {
                "kind": "printed", "quantity": "features", "place": "Table 1", "expected": 3, "here": 3,
                "tolerance": "exact", "standard_error": None, "verdict": "reached", "failed": False, "gap": "",
                "shown_by": "", "band": None, "last_seen": None,
            }
        ],
        "seconds": 1.5,
        "figure": "a.png",
        "skipped": ["b"],
    }  # fmt: skip


def test_every_experiment_belongs_to_a_paper_of_the_catalogue_that_runs():
    running = {paper.id for paper in load_catalogue() if paper.status in ("working", "partial")}
    assert set(available()) - running == set()


@pytest.fixture
def seen(monkeypatch, tmp_path):
    """A record of values last seen of the test's own."""
    monkeypatch.setattr("treatise.papers._record.LAST_SEEN", tmp_path / "last_seen.json")


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
    experiment(lambda *, full: Evidence([Row.ours("full", full)], skipped=["a part"]))
    quick, full = reproduce("v98-0001"), reproduce("v98-0001", full=True)
    assert [row.here for row in (*quick.rows, *full.rows)] == [False, True]
    assert (quick.paper, quick.skipped, quick.figure) == ("v98-0001", ["a part"], None)
    assert quick.seconds >= 0


def test_a_gap_meets_the_value_on_record_of_its_size(experiment, seen):
    experiment(lambda *, full: Evidence([Row.printed_at_most("error", "Table 1", 0.2, 0.3, gap=LOST)]))
    assert reproduce("v98-0001").failed, "nothing is on record"
    record_last_seen("v98-0001", False, reproduce("v98-0001").rows)
    assert not reproduce("v98-0001").failed
    assert reproduce("v98-0001", full=True).failed


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


def test_the_record_does_not_name_the_data_home_of_this_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path / "my data"))
    told = f"a.csv is absent; put it at {tmp_path / 'my data' / 'a.csv'}"
    record_outcome(tmp_path / "evidence.json", Reproduction("v99-0001", False, [], 1.0, None, [told]))
    text = (tmp_path / "evidence.json").read_text()
    assert str(tmp_path) not in text
    assert "put it at the data home/a.csv" in text


def test_what_a_recording_writes_makes_no_version_dirty(tmp_path, monkeypatch):
    def git(*words):
        names = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", str(tmp_path), *names, *words], check=True, capture_output=True)

    package = tmp_path / "treatise" / "papers"
    written = [package / "_record.py", package / "last_seen.json", tmp_path / "docs" / "evidence.json"]
    for path in written:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    git("init")
    git("add", ".")
    git("commit", "--message", "all")
    monkeypatch.setattr("treatise.papers._record.PACKAGE", package)
    clean = version()
    for path in written[1:]:
        path.write_text('{"v98-0001": {}}')
    assert version() == clean and "dirty" not in clean
    written[0].write_text("changed")
    assert version() == clean.replace(")", "-dirty)")
