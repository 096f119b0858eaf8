"""What the site shows of the evidence: every paper, from committed code, no row that fails, every reason shown."""

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest

from treatise.papers import available
from treatise.papers._record import LAST_SEEN, PACKAGE

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


@cache
def _written(paper):
    """What an experiment and its helpers write: its texts, and patterns of those in which something is set."""
    own = list(PACKAGE.glob(f"*/{paper.replace('-', '_')}*")) + list(PACKAGE.glob("*/_*.py"))
    files = [file for path in own for file in (path.rglob("*.py") if path.is_dir() else [path])]
    texts, patterns = set(), []
    for node in (node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.add(node.value)
        if isinstance(node, ast.JoinedStr):
            parts = [re.escape(part.value) if isinstance(part, ast.Constant) else ".*" for part in node.values]
            patterns.append("".join(parts))
    return texts, re.compile("|".join(patterns) or "(?!)", re.DOTALL)


@pytest.mark.parametrize("paper", sorted(BOOK))
def test_a_quick_record_says_what_its_experiment_says_today(paper):
    """A record of older code shows rows, reasons and tolerances that nobody would find again."""
    outcome, (texts, pattern) = BOOK[paper]["quick"], _written(paper)
    # What a missing file asks for is written elsewhere.
    said = [part for part in outcome["skipped"] if "treatise data get" not in part]
    for row in outcome["rows"]:
        reason = re.fullmatch(r"±\S+ \((?:three standard errors(?: of )?)?(.*)\)", row["tolerance"])
        said += [row["gap"], reason[1] if reason else ""]
    new = [text for text in dict.fromkeys(said) if text and text not in texts and not pattern.fullmatch(text)]
    # What the quick form leaves out besides is added to the end.
    joined = {text for text in new for part in texts if text.startswith(part) and text[len(part) :] in texts}
    assert [text for text in new if text not in joined] == []
