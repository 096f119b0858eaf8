"""What the site shows of the evidence: every paper, from committed code, no row that fails, every reason shown."""

import json
import re
from pathlib import Path

import pytest

from treatise.papers import available
from treatise.papers._record import LAST_SEEN

RECORD = Path(__file__).resolve().parents[2] / "docs" / "evidence.json"
# A path of the machine on which it was recorded.
MACHINE = re.compile(r"(?<![\w.])/(?:home|root|tmp|work|Users|mnt|var)/")
BOOK = json.loads(RECORD.read_text(encoding="utf-8"))
OUTCOMES = [(paper, size) for paper, sizes in BOOK.items() for size in sizes]


def test_every_experiment_is_recorded_and_nothing_else():
    assert set(BOOK) == set(available())
    assert {size for sizes in BOOK.values() for size in sizes} <= {"quick", "full"}
    assert [paper for paper, sizes in BOOK.items() if "quick" not in sizes] == []


def test_values_last_seen_are_those_of_the_record():
    seen = json.loads(LAST_SEEN.read_text(encoding="utf-8"))
    recorded = {}
    for paper, size in OUTCOMES:
        rows = [row for row in BOOK[paper][size]["rows"] if row["gap"] and row["verdict"] != "reached"]
        if rows:
            recorded.setdefault(paper, {})[size] = {row["quantity"]: row["here"] for row in rows}
    assert recorded == {paper: {size: sizes[size] for size in sizes} for paper, sizes in seen.items()}


@pytest.mark.parametrize(("paper", "size"), OUTCOMES)
def test_a_record_is_of_committed_code_and_names_no_folder_of_a_machine(paper, size):
    outcome = BOOK[paper][size]
    assert "dirty" not in outcome["version"], f"commit, then make evidence PAPER={paper}"
    assert MACHINE.findall(json.dumps(outcome)) == []


@pytest.mark.parametrize(("paper", "size"), OUTCOMES)
def test_no_recorded_row_fails_and_every_reason_is_shown_or_not_known(paper, size):
    rows = {row["quantity"]: row for row in BOOK[paper][size]["rows"]}
    # What is shown is shown at full size; the quick form may have too few draws.
    shown = ("reached",) if size == "full" else ("reached", "too few draws to tell")
    assert [quantity for quantity, row in rows.items() if row["failed"]] == []
    for quantity, row in rows.items():
        if row["gap"] and row["shown_by"]:
            assert rows[row["shown_by"]]["verdict"] in shown, quantity
        elif row["gap"]:
            assert "not known" in row["gap"].lower(), quantity
