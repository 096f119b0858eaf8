"""The README: what it shows runs, and what it counts is current."""

import re
import shlex
import subprocess
import sys

import pytest
from readme_counts import COUNTS, README, between_marks, families_table, with_counts
from typer.main import get_command

from treatise.catalog import FAMILIES
from treatise.cli import app


@pytest.fixture(scope="module")
def readme():
    return README.read_text(encoding="utf-8")


def test_the_python_example_runs_as_it_stands_in_ten_lines(readme, tmp_path):
    (example,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    assert len([line for line in example.splitlines() if line.strip()]) <= 10
    command = [sys.executable, "-c", example]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    mean, low, high = (float(re.search(rf"\b{name}=([0-9.]+)", answer.stdout)[1]) for name in ("mean", "low", "high"))
    # Naive Bayes on this table is right for some 95 % of the rows; an interval around that must be what is printed.
    assert 0.9 < low < mean < high < 1.0


def test_every_command_shown_is_one_that_the_command_line_takes(readme, shell_lines):
    lines = [shlex.split(line) for line in shell_lines(readme)]
    ours = [words[1:] for words in lines if words[0] == "treatise"]
    assert [words[0] for words in ours] == ["compare", "predict", "compare", "graph", "reproduce"]
    for name, *arguments in ours:
        get_command(app).commands[name].make_context(name, arguments)


def test_every_make_target_shown_exists(readme, shell_lines, root):
    targets = re.findall(r"^(\w+):", (root / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    shown = [line.split()[1] for line in shell_lines(readme) if line.startswith("make ")]
    assert shown == ["demo", "test"]
    assert set(shown) <= set(targets)


@pytest.mark.parametrize("name", COUNTS)
def test_what_is_counted_is_current(readme, name):
    assert between_marks(readme, name) == COUNTS[name](), "run: python docs/readme_counts.py"


def test_the_table_counts_every_paper_of_every_family_once():
    counts = re.findall(r"^\| `(\w+)` \|.*\| (\d+) of (\d+) \|$", families_table(), re.MULTILINE)
    assert [family for family, _, _ in counts] == list(FAMILIES)
    working, papers = (sum(int(row[column]) for row in counts) for column in (1, 2))
    assert f"**{working} of {papers}**" in families_table()


def test_stale_counts_are_replaced_and_the_rest_of_the_text_kept():
    stale = "".join(f"before {name}\n<!-- {name} -->\nold\n<!-- /{name} -->\nafter\n" for name in COUNTS)
    fresh = with_counts(stale)
    assert "old" not in fresh
    for name, count in COUNTS.items():
        assert f"before {name}\n<!-- {name} -->\n{count()}\n<!-- /{name} -->\nafter\n" in fresh


def test_every_file_that_is_linked_or_shown_is_there(readme, root):
    targets = re.findall(r"\]\(([^)#]+)\)", readme + (root / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert "docs/_static/report.png" in targets
    assert [target for target in targets if not (root / target).is_file()] == []
