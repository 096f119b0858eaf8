"""The page "Add a method", followed to the letter in a copy of the library."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest

PAGE = "add_a_method.rst"
FILES = [
    "treatise/online/averaged_perceptron.py",
    "treatise/online/__init__.py",
    "treatise/online/papers.toml",
    "treatise/papers/online/freund_1999.py",
    "tests/online/test_averaged_perceptron.py",
]


@pytest.fixture(scope="module")
def blocks(docs, code_blocks):
    return [(path, code) for _, path, code in code_blocks((docs / PAGE).read_text()) if path]


def test_a_method_takes_five_files_and_about_a_hundred_and_fifty_lines(blocks):
    assert [path for path, _ in blocks] == FILES
    assert sum(len(code.splitlines()) for _, code in blocks) <= 165


@pytest.fixture(scope="module")
def copy(blocks, root, tmp_path_factory):
    """A copy of the library with every block of the page in its place."""
    place = tmp_path_factory.mktemp("copy")
    for folder in ("treatise", "benchmarks", "tests/support"):
        shutil.copytree(root / folder, place / folder, ignore=shutil.ignore_patterns("*.nbi", "*.nbc"))
    for file in ("pyproject.toml", "tests/conftest.py", "tests/test_contract.py"):
        shutil.copy2(root / file, place / file)
    for path, code in blocks:
        target = place / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.name == "__init__.py":
            target.write_text(_exporting(target.read_text(), code))
        elif target.name == "papers.toml":
            target.write_text(f"{target.read_text()}\n{code}")
        else:
            assert not target.exists(), f"{path} is taken; give the example another name"
            target.write_text(code)
    return place


def _exporting(package, block):
    """The package with the import of the block, and its name among the public ones."""
    line, name = re.fullmatch(r'(from .+ import \w+)\n\n__all__ = \["(\w+)"\]\n', block).groups()
    imported = package.replace("\nfrom ", f"\n{line}\nfrom ", 1)
    return re.sub(r"__all__ = \[", f'__all__ = [\n    "{name}",', imported)


# Runs commands one after another in one process, so that the library is imported once: of each what it printed.
RUNNER = """
import contextlib, io, json, runpy, sys
from treatise.catalog import load_catalogue
from treatise.cli import app

answers = {}
for line, words in json.load(sys.stdin):
    out, status = io.StringIO(), 0
    sys.argv = words
    load_catalogue.cache_clear()
    with contextlib.redirect_stdout(out):
        try:
            app() if words[0] == "treatise" else runpy.run_module(words[0], run_name="__main__", alter_sys=True)
        except SystemExit as end:
            status = end.code or 0
    answers[line] = [status, out.getvalue()]
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def answers(docs, shell_lines, copy, blocks):
    """What each command of the page answers, as data where it can, and the checks of its code."""
    lines = [line for line in shell_lines((docs / PAGE).read_text()) if not line.startswith("make ")]
    python = " ".join(path for path, _ in blocks if path.endswith(".py") and not path.endswith("__init__.py"))
    own = f"{FILES[-1]} --doctest-modules {FILES[0]}"
    lines = [_joined(line, own) for line in lines]
    commands = [(line, _words(line)) for line in lines]
    environment = {**os.environ, "PYTHONPATH": str(copy), "MPLBACKEND": "Agg"}
    done = subprocess.run(
        [sys.executable, "-c", RUNNER], cwd=copy, env=environment, capture_output=True, text=True,
        input=json.dumps(commands),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout.splitlines()[-1])
    for arguments in (["check"], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *arguments, *python.split()]
        checked = subprocess.run(command, cwd=copy, capture_output=True, text=True)
        answers[f"ruff {arguments[0]}"] = [checked.returncode, checked.stdout]
    for line, (status, text) in answers.items():
        assert status == 0, f"{line}\n{text}\n{done.stderr}"
    return {line: text for line, (_, text) in answers.items()}


def _joined(line, own):
    """The run of the contract's checks takes the page's own tests along, which need no process of their own."""
    if "pytest" not in line:
        return line
    return line.replace(" -k AveragedPerceptron", f" {own} -k 'AveragedPerceptron or averaged_perceptron'")


def _words(line):
    words = shlex.split(line)
    if words[:2] == ["python", "-m"]:
        words = words[2:]
    return words if words[0] == "pytest" or words[:2] == ["benchmarks", "cost"] else [*words, "--json"]


def test_the_row_is_read_and_shown_with_what_the_docstring_and_the_laws_say(answers):
    row = json.loads(answers["treatise show AveragedPerceptron"])
    assert (row["id"], row["status"], row["evidence"]) == ("freund-1999", "working", True)
    assert row["estimators"] == ["treatise.online.AveragedPerceptron"]
    assert row["summary"] == (
        "Linear classifier that learns from mistakes alone and predicts with its average weights."
    )
    assert re.fullmatch(r"about \S+ s at 10 000 rows x 100 columns; grows with n.*; memory .* bytes", row["cost"])


def test_the_laws_are_measured_and_written_into_the_row(answers, copy):
    assert "AveragedPerceptron: seconds = { scale = " in answers["python -m benchmarks cost AveragedPerceptron"]
    row = (copy / "treatise/online/papers.toml").read_text().partition('"freund-1999"')[2]
    assert re.search(r"^seconds = \{ scale = .*\}\nbytes = \{ scale = .*\}\n", row, re.MULTILINE)


def test_the_estimator_is_fitted_to_a_table_through_its_row(answers, copy):
    fitted = json.loads(answers["treatise fit AveragedPerceptron breast_cancer --output model.skops"])
    assert (fitted["paper"], fitted["task"]) == ("freund-1999", "binary")
    assert (copy / "model.skops").is_file()


def test_the_experiment_reaches_every_number(answers):
    result = json.loads(answers["treatise reproduce freund-1999"])
    assert [row["verdict"] for row in result["rows"]] == ["reached"] * 2


def test_the_contest_that_the_row_declares_does_the_same_work(answers):
    row = json.loads(answers["python -m benchmarks AveragedPerceptron"])
    # Both sides average over the same number of steps, in another order of the rows.
    assert row["quality ours"] == pytest.approx(row["quality peer"], abs=0.02)


def test_the_estimator_keeps_the_contract_and_passes_its_own_tests_and_doctest(answers):
    (outcome,) = (text for line, text in answers.items() if "test_contract" in line)
    # scikit-learn has some fifty checks for a classifier; a misspelt selection would run none.
    assert int(re.search(r"(\d+) passed", outcome)[1]) > 40
    assert "tests/online/test_averaged_perceptron.py .." in outcome
    assert "treatise/online/averaged_perceptron.py ." in outcome


def test_the_code_of_the_page_follows_the_house_style(answers):
    assert "All checks passed" in answers["ruff check"]
