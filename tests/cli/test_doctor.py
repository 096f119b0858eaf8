"""``treatise doctor``."""

import json
import os
import platform
import re
import tomllib
from pathlib import Path

import numpy
import pytest

from treatise._core.version import __version__
from treatise.cli import _doctor
from treatise.datasets._home import known_files


@pytest.fixture
def findings(invoke):
    """What the doctor finds here, as plain data."""

    def examine(status=0):
        result = invoke("doctor", "--json")
        assert result.exit_code == status
        assert result.stderr == ""
        return json.loads(result.stdout)

    return examine


def test_it_reports_versions_threads_memory_and_compiled_loops(findings):
    found = findings()
    assert found["treatise"]["version"] == __version__
    assert found["python"]["version"] == platform.python_version()
    assert found["packages"]["numpy"] == numpy.__version__
    assert {"scipy", "scikit-learn", "numba", "polars", "skops"} <= set(found["packages"])
    assert 1 <= found["threads"]["usable"] <= found["threads"]["cpus"] == os.cpu_count()
    assert found["threads"]["numba"] >= 1
    assert all(pool["threads"] >= 1 for pool in found["threads"]["blas"])
    assert 0 < found["memory"]["available"] <= found["memory"]["total"]
    assert found["jit"]["files"] >= 0 and found["jit"]["bytes"] >= found["jit"]["files"]
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert set(found["extras"]) == set(project["optional-dependencies"])


def test_a_sound_installation_says_so(invoke, monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    result = invoke("doctor")
    assert result.exit_code == 0
    assert re.match(rf"treatise +{re.escape(__version__)} in ", result.stdout)
    assert result.stdout.endswith("no problem found\n")


def test_it_counts_the_data_files_that_are_there(findings, monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path))
    name = next(iter(known_files()))
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("anything: the contents are not looked at")
    data = findings()["data"]
    assert data["home"] == str(tmp_path)
    assert (data["exists"], data["present"], data["known"]) == (True, 1, len(known_files()))
    assert data["missing"] == sorted(set(known_files()) - {name})


def test_a_data_home_that_is_not_there_is_a_problem_with_a_remedy_but_no_failure(findings, monkeypatch, tmp_path):
    monkeypatch.setenv("TREATISE_DATA", str(tmp_path / "nowhere"))
    found = findings()
    assert found["data"]["exists"] is False
    (problem,) = found["problems"]
    assert "nowhere" in problem["what"] and "TREATISE_DATA" in problem["remedy"]


def test_loops_left_uncompiled_are_a_problem(findings, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    found = findings()
    assert found["jit"]["disabled"] is True
    assert "unset NUMBA_DISABLE_JIT" in [problem["remedy"] for problem in found["problems"]]


def test_compiled_loops_are_looked_for_where_they_are_kept(findings, monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "made on first use"))
    found = findings()
    assert found["jit"]["folder"] == str(tmp_path / "made on first use")
    assert found["jit"]["writable"] is True
    assert not any("NUMBA_CACHE_DIR" in problem["remedy"] for problem in found["problems"])


def test_a_cache_that_cannot_be_written_is_a_problem(findings, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("no folder can be made below a file")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "cache"))
    found = findings()
    assert found["jit"]["writable"] is False
    assert any("NUMBA_CACHE_DIR" in problem["remedy"] for problem in found["problems"])


def test_a_package_that_does_not_import_is_broken_and_exits_with_one(invoke, findings, monkeypatch):
    real = _doctor.import_module

    def failing(name):
        if name == "polars":
            raise OSError("libpolars.so is damaged")
        return real(name)

    monkeypatch.setattr(_doctor, "import_module", failing)
    (problem,) = [problem for problem in findings(status=1)["problems"] if problem["core"]]
    assert problem["what"].startswith("polars ") and "libpolars.so is damaged" in problem["what"]
    assert problem["remedy"] == "reinstall it: python -m pip install --force-reinstall polars"
    text = invoke("doctor").stdout
    assert "broken: polars" in text and "remedy: reinstall it" in text


def test_a_package_older_than_required_is_broken(findings, monkeypatch):
    real = _doctor._version
    monkeypatch.setattr(_doctor, "_version", lambda name: "1.26.4" if name == "numpy" else real(name))
    (problem,) = [problem for problem in findings(status=1)["problems"] if problem["core"]]
    assert problem["what"].startswith("numpy 1.26.4 is older than numpy>=")
    assert "pip install 'numpy>=" in problem["remedy"]


def test_an_extra_lacks_what_is_not_installed_also_through_another_extra(findings, monkeypatch):
    real = _doctor._version
    monkeypatch.setattr(_doctor, "_version", lambda name: None if name == "dask" else real(name))
    extras = findings()["extras"]
    assert extras["dask"] == {"installed": False, "missing": ["dask"]}
    assert "dask" in extras["test"]["missing"]
    assert "dask" not in extras["docs"]["missing"]


def test_it_still_answers_where_the_library_is_not_installed(invoke, findings, monkeypatch):
    def absent(*_):
        raise _doctor.metadata.PackageNotFoundError("treatise")

    for function in ("metadata", "requires"):
        monkeypatch.setattr(_doctor.metadata, function, absent)
    found = findings()
    assert found["extras"] == {}
    assert found["packages"]["numpy"] == numpy.__version__
    assert any("without being installed" in problem["what"] for problem in found["problems"])
