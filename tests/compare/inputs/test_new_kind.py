"""A kind of input that nobody foresaw: one class and a place in the list, and everything works with it."""

import json

import numpy as np
import pytest
from pairs_input import PairsInput
from typer.testing import CliRunner

from treatise.cli import app
from treatise.compare import compare_methods
from treatise.compare.inputs import KINDS
from treatise.report import RunRecord


@pytest.fixture
def known(monkeypatch, contestants):
    monkeypatch.setattr("treatise.compare.inputs.KINDS", [PairsInput, *KINDS])


@pytest.fixture
def source(tmp_path):
    """Sixty pairs, the second three times the first and one."""
    rng = np.random.default_rng(0)
    first = rng.normal(size=60)
    path = tmp_path / "sixty.pairs"
    np.savetxt(path, np.column_stack([first, 3 * first + 1 + 0.01 * rng.normal(size=60)]))
    return path


def invoke(*words):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done


def test_a_new_kind_is_compared_reported_fitted_and_predicted(known, source, tmp_path):
    output = tmp_path / "run"
    comparison = compare_methods(source, budget=120, jobs=1, output=output)
    assert comparison.leaderboard["label"].to_list() == ["LinearRegression", "DummyRegressor"]
    best = comparison.run.leaderboard[0]
    assert best.low >= 0 and best.high < 0.1 and best.folds == 3 and best.metrics == {"typical_error": best.score}
    assert comparison.run.data.kind == "pairs" and comparison.best.metadata["kind"] == "pairs"
    assert RunRecord.from_plain(json.loads((output / "run.json").read_text())) == comparison.run
    page = (output / "report.html").read_text(encoding="utf-8")
    assert "Completing 60 pairs" in page and "completing pairs" in page and "complete(&#34;best.skops&#34;)" in page

    (tmp_path / "new.pairs").write_text("0\n2\n")
    answer = invoke("predict", output / "best.skops", tmp_path / "new.pairs")
    assert [line.split(" -> ")[0] for line in answer.stdout.splitlines()] == ["0", "2"]
    assert abs(float(answer.stdout.split()[-1]) - 7) < 0.05
    told = json.loads(invoke("predict", output / "best.skops", tmp_path / "new.pairs", "--json").stdout)
    assert told["pairs"] == 2 and told["format"] == "pairs" and told["predictions"][1]["first"] == 2
    written = invoke("label", output / "best.skops", tmp_path / "new.pairs", "-o", tmp_path / "out.txt")
    assert "2 pairs completed by LinearRegression written to" in written.stderr

    fitted = invoke("fit", "LinearRegression", source, "-o", tmp_path / "m.skops")
    assert "LinearRegression fitted to 60 rows of sixty (the second of each pair)" in fitted.stdout
    assert invoke("predict", tmp_path / "m.skops", tmp_path / "new.pairs").stdout.startswith("0 -> 1.0")
