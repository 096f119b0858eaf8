"""Every paper's experiment in its quick form: no row fails, each keeps the rules of its kind, its figure draws."""

import io
import math
import re
from collections import Counter
from dataclasses import replace

import pytest

from treatise.papers import Kind, Verdict, available
from treatise.papers._evidence import BLIND_SHARE, DEVIATIONS
from treatise.papers._record import PACKAGE

# Where in a paper something stands.
PLACE = re.compile(
    r"(after )?(Table|Tables|Figure|Figures|Section|Theorem|Lemma|Corollary|Conjecture|Remark|Equation|Example|"
    r"Proposition|Appendix|p\.) ?[\dA-Z][\w.()]*( and [\w.()]+)?"
)


@pytest.mark.parametrize("paper", available())
def test_a_quick_experiment_fails_in_no_row_draws_and_says_what_it_leaves_out(paper, quick):
    evidence = quick(paper)
    assert [row.quantity for row in evidence.rows if row.failed] == []
    assert evidence.rows or evidence.skipped, "without rows, Evidence.skipped must say what is absent"
    assert [part for part in evidence.skipped if len(part.split()) < 3] == []
    if evidence.figure is not None:
        drawn = io.BytesIO()
        evidence.figure.savefig(drawn, format="png", dpi=40)
        assert drawn.getvalue().startswith(b"\x89PNG")


@pytest.mark.parametrize("paper", available())
def test_rows_are_told_apart_and_what_is_published_has_its_place(paper, quick):
    rows = quick(paper).rows
    assert [name for name, count in Counter(row.quantity for row in rows).items() if count > 1] == []
    published = [row for row in rows if row.kind in (Kind.PRINTED, Kind.CLAIM, Kind.TIME)]
    assert [(row.quantity, row.place) for row in published if not PLACE.fullmatch(row.place)] == []
    # The place is said once, in its own column.
    assert [row.quantity for row in published if f"({row.place})" in row.quantity] == []


@pytest.mark.parametrize("paper", available())
def test_what_is_reached_tells_its_effect_and_its_sign(paper, quick):
    for row in quick(paper).rows:
        if row.rule == "within" and row.verdict is Verdict.REACHED and row.expected:
            told_apart = BLIND_SHARE * abs(row.expected) if row.effect is None else row.effect
            assert row.within < told_apart, row.quantity
            if row.effect is None:
                assert row.here * row.expected > 0, row.quantity


@pytest.mark.parametrize("paper", available())
def test_a_gap_has_its_value_last_seen_and_a_reason_that_is_shown_or_not_known(paper, quick):
    rows = quick(paper).rows
    verdicts = {row.quantity: row.verdict for row in rows}
    for row in rows:
        if row.gap is None:
            continue
        if row.verdict is not Verdict.REACHED:
            assert row.last_seen is not None, f"{row.quantity}: run make evidence PAPER={paper}"
        assert row.gap.band >= 0 and len(row.gap.reason.split()) > 5, row.quantity
        if not row.gap.shown_by:
            assert "not known" in row.gap.reason.lower(), row.quantity
        elif row.gap.shown_by in verdicts:
            assert verdicts[row.gap.shown_by] not in (Verdict.MISSED, Verdict.NONE), row.quantity
        else:
            pytest.fail(f"{row.quantity}: no row is called {row.gap.shown_by!r}")


@pytest.mark.parametrize("paper", available())
def test_every_row_with_a_verdict_can_fail(paper, quick):
    """By what is no number, by the opposite, by another word; and beside its gap by getting half as far off again."""
    for row in quick(paper).rows:
        # What is known not to hold cannot get worse: what can fail is its reason, above.
        if row.kind in (Kind.OURS, Kind.TIME) or row.last_seen is False:
            continue
        assert replace(row, here=_wrong(row)).failed, row.quantity
        if row.gap and row.verdict is Verdict.MISSED and _is_number(row.here):
            assert replace(row, here=_further(row), last_seen=row.here).failed, row.quantity


@pytest.mark.parametrize("paper", available())
def test_a_bound_that_is_checked_is_within_reach(paper, quick):
    """A bound hundreds of times away is kept by almost any wrong number: such a distance is a number of ours.

    What a solver leaves (a gap of 1e-4, an error of 1e-12) may be as small as it can, and a count of cases may be none.
    """
    far = []
    for row in quick(paper).rows:
        if row.kind is Kind.CHECK and _is_number(row.expected) and _is_number(row.here) and row.expected > 0:
            loose = row.rule == "at most" and row.expected >= 0.01 and 0 < abs(row.here) < row.expected / 100
            if loose or (row.rule == "at least" and row.here > row.expected * 100):
                far.append((row.quantity, row.expected, row.here))
    assert far == []


def test_experiments_take_processor_time_which_other_work_does_not_lengthen():
    clocks = re.compile(r"perf_counter|monotonic\(|time\.time\(")
    sources = [path for path in PACKAGE.rglob("*.py") if path.name != "_reproduce.py"]
    assert len(sources) > 50
    assert [path.name for path in sources if clocks.search(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("paper", available())
def test_numbers_of_ours_claim_no_place_and_no_verdict(paper, quick):
    for row in quick(paper).rows:
        if row.kind is Kind.OURS:
            assert (row.place, row.expected, row.verdict) == ("", None, Verdict.NONE)


def _wrong(row):
    """A value that no rule takes."""
    if isinstance(row.expected, bool):
        return not row.expected
    return "something else" if isinstance(row.expected, str) else math.nan


def _further(row):
    """A value half as far again on the wrong side of the published one, and a little, and beyond the row's noise."""
    distance = abs(row.here - row.expected)
    noise = row.within if row.rule == "within" else DEVIATIONS * (row.standard_error or 0.0)
    away = distance + max(0.5 * distance, 0.1 * abs(row.expected), noise) * (1 + 1e-9)
    return row.expected + (away if row.here > row.expected else -away)


def _is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)
