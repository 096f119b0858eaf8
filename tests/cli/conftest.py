"""The command line in two forms: as a process of its own, and inside this one."""

import os
import subprocess
import sys
import types

import pytest
from typer.testing import CliRunner

from treatise.catalog import Catalogue, ComparisonEntry, Cost, EstimatorEntry, Paper
from treatise.cli import app

# What colours the output even in a pipe, or sends it there letter by letter.
MEDDLING = ("FORCE_COLOR", "PY_COLORS", "CLICOLOR_FORCE", "GITHUB_ACTIONS", "TTY_COMPATIBLE", "PYTHONUNBUFFERED")


@pytest.fixture
def plain_environment():
    """The environment of a process as a user's shell would give it."""
    return {name: value for name, value in os.environ.items() if name not in MEDDLING}


@pytest.fixture
def shell(plain_environment):
    """Run ``treatise`` as a process of its own."""

    def run(*words, script=None, **environment):
        start = ["-m", "treatise"] if script is None else ["-c", script]
        return subprocess.run(
            [sys.executable, *start, *words],
            env={**plain_environment, **environment},
            capture_output=True,
            text=True,
            encoding="utf-8",
        )

    return run


@pytest.fixture
def invoke():
    """Run a command line inside this process."""

    def run(*words, charset="utf-8"):
        return CliRunner(charset=charset).invoke(app, list(words))

    return run


def _paper(identity, title, family, status, tasks, *estimators, note="", year=2004):
    return Paper(
        identity, title, ("Ada Müller", "Bo Li"), "JMLR 5", year, "1-20", family, status, tasks,
        f"Does {title.lower()}.", "Use it [always].", "O(n p)", note, estimators,
    )  # fmt: skip


@pytest.fixture
def catalogue(monkeypatch):
    """A small catalogue in place of the real one: every status, two families."""
    heads = {"binary": "sklearn.linear_model.LogisticRegression", "regression": "sklearn.linear_model.Ridge"}
    joins = ComparisonEntry(
        ("binary", "regression"), Cost(1.0), Cost(1.0), "transformer", ("dense", "sparse"), "standard",
        head=heads, search={"threshold": (0.0, 0.1)},
    )  # fmt: skip
    small = Catalogue(
        [
            _paper(
                "v98-0001", "Sifting columns", "selection", "working", ("feature-selection", "binary"),
                EstimatorEntry("treatise.selection.Sieve", joins),
                EstimatorEntry("treatise.selection.relevance"),
            ),
            _paper("v98-0002", "Ranking players", "ranking", "partial", ("ranking",),
                   EstimatorEntry("treatise.ranking.Ladder"), note="Draws are missing."),
            _paper("v98-0003", "Sifting rows", "selection", "planned", ("active",)),
            _paper("v98-0004", "Ranking bounds", "ranking", "theory", ("ranking",), note="Nothing to run."),
        ]
    )  # fmt: skip
    monkeypatch.setattr("treatise.catalog.load_catalogue", lambda: small)
    return small


@pytest.fixture
def experiments(monkeypatch):
    """Put experiments in place of the real ones: ``experiments({"v98-0001": function})``."""

    def put(functions):
        names = {identity: f"treatise.papers.{identity.replace('-', '_')}" for identity in functions}
        monkeypatch.setattr("treatise.papers._reproduce._modules", lambda: names)
        for identity, function in functions.items():
            module = types.ModuleType(names[identity])
            module.experiment = function
            monkeypatch.setitem(sys.modules, names[identity], module)

    return put
