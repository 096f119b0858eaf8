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


@pytest.fixture(scope="module")
def blocks(docs, code_blocks):
    return [(path, code) for _, path, code in code_blocks((docs / PAGE).read_text()) if path]


@pytest.fixture(scope="module")
def copy(blocks, root, tmp_path_factory):
    """A copy of the library with every block of the page in its place."""
    place = tmp_path_factory.mktemp("copy")
    without = shutil.ignore_patterns("__pycache__", "*.nbi", "*.nbc")
    for folder in ("treatise", "benchmarks", "tests/support"):
        shutil.copytree(root / folder, place / folder, ignore=without)
    for file in ("pyproject.toml", "tests/conftest.py", "tests/test_contract.py"):
        shutil.copy(root / file, place / file)
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
    if "__all__" not in package:
        return f"{package}\n{block}"
    imported = package.replace("\nfrom ", f"\n{line}\nfrom ", 1)
    return re.sub(r"__all__ = \[", f'__all__ = [\n    "{name}",', imported)


@pytest.fixture(scope="module")
def run(copy):
    """Runs a command of the page in the copy."""

    def call(line):
        words = shlex.split(line)
        programs = {"treatise": [sys.executable, "-m", "treatise"], "python": [sys.executable]}
        command = [*programs.get(words[0], [sys.executable, "-m", words[0]]), *words[1:]]
        environment = {**os.environ, "PYTHONPATH": str(copy), "MPLBACKEND": "Agg"}
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    return call


def test_the_page_has_every_part_of_a_method(blocks):
    assert [path for path, _ in blocks] == [
        "treatise/online/_averaged_perceptron_kernels.py",
        "treatise/online/averaged_perceptron.py",
        "treatise/online/__init__.py",
        "treatise/online/papers.toml",
        "treatise/papers/online/freund_1999.py",
        "tests/online/test_averaged_perceptron.py",
        "tests/papers/online/test_freund_1999.py",
        "benchmarks/averaged_perceptron.py",
    ]


@pytest.fixture(scope="module")
def answers(docs, shell_lines, run):
    """What each command of the page answers, as data where it can."""
    lines = [line for line in shell_lines((docs / PAGE).read_text()) if not line.startswith("make ")]
    return {line: run(line if "pytest" in line else f"{line} --json") for line in lines}


def test_the_row_is_read_and_shown(answers):
    row = json.loads(answers["treatise show AveragedPerceptron"])
    assert (row["id"], row["status"], row["evidence"]) == ("freund-1999", "working", True)
    assert row["estimators"] == ["treatise.online.AveragedPerceptron"]


def test_the_estimator_is_fitted_to_a_table_through_its_row(answers, copy):
    fitted = json.loads(answers["treatise fit AveragedPerceptron breast_cancer --output model.skops"])
    assert (fitted["paper"], fitted["task"]) == ("freund-1999", "binary")
    assert (copy / "model.skops").is_file()


def test_the_experiment_reaches_every_number_and_draws(answers):
    result = json.loads(answers["treatise reproduce freund-1999"])
    assert [row["verdict"] for row in result["rows"]] == ["reached"] * 2
    assert result["figure"].endswith("freund-1999.png")


def test_the_benchmark_does_the_same_work(answers):
    row = json.loads(answers["python -m benchmarks averaged_perceptron"])
    # Both sides average over the same number of steps, in another order of the rows.
    assert row["quality ours"] == pytest.approx(row["quality peer"], abs=0.02)


def test_the_estimator_keeps_the_contract(answers):
    (outcome,) = (text for line, text in answers.items() if "test_contract" in line)
    # scikit-learn has some fifty checks for a classifier; a misspelt selection would run none.
    assert int(re.search(r"(\d+) passed", outcome)[1]) > 40


def test_the_tests_and_the_doctest_of_the_page_pass(run):
    wanted = "tests/online/test_averaged_perceptron.py tests/papers/online/test_freund_1999.py"
    assert "5 passed" in run(f"pytest {wanted} --doctest-modules treatise/online/averaged_perceptron.py")


def test_the_code_of_the_page_follows_the_house_style(run, blocks):
    files = " ".join(path for path, _ in blocks if path.endswith(".py") and not path.endswith("__init__.py"))
    run(f"ruff check {files}")
    run(f"ruff format --check {files}")
