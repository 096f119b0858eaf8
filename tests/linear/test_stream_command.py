"""``treatise stream``: from files to a model, in one command."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from treatise.cli._stream import stream
from treatise.io import load_model


@pytest.fixture
def command():
    app = typer.Typer()
    app.command("stream")(stream)
    return lambda *words: CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    truth = rng.normal(size=30)
    for name in ("train", "test"):
        active = rng.integers(0, 30, (300, 5))
        labels = np.where(truth[active].sum(axis=1) + rng.logistic(size=300) > 0, 1, 0)
        rows = (f"{y} |f {' '.join(f'w{j}' for j in row)}\n" for y, row in zip(labels, active))
        (tmp_path / f"{name}.vw").write_text("".join(rows))
    return tmp_path


def test_command_fits_tests_and_saves(command, files):
    output = files / "model.skops"
    words = (files / "train.vw", "--bits", 10, "--passes", 1, "--lbfgs", 20, "--l2", 1, "-o", output)
    result = command(*words, "--test", files / "test.vw")
    assert result.exit_code == 0, result.output
    assert "1 online pass, 20 iterations, objective" in result.output or "(converged)" in result.output
    assert "Test: 300 examples, mean loss 0." in result.output
    assert "loss so far" in result.output
    assert load_model(output).model.evaluate_files(files / "test.vw").score > 0.6
    assert not (files / "model.skops.checkpoint").exists()


def test_json_is_the_whole_answer(command, files):
    result = command(files / "train.vw", "--lbfgs", 3, "--json", "-o", files / "m.skops", "--test", files / "test.vw")
    answer = json.loads(result.output)
    assert answer["iterations"] == 3
    assert answer["test"]["examples"] == 300
    assert np.all(np.diff(answer["objective"]) <= 0)


def test_skipped_lines_are_counted(command, files):
    path = files / "train.vw"
    path.write_text("oops\n" + path.read_text())
    result = command(path, "-o", files / "m.skops")
    assert result.exit_code == 1
    assert "line 1" in str(result.exception)
    result = command(path, "--on-error", "skip", "-o", files / "m.skops")
    assert result.exit_code == 0
    assert "1 line left out, the first:" in result.output
    assert "line 1: 'oops' stands where the label belongs" in result.output


@pytest.mark.parametrize(("words", "reason"), [
    (("--loss", "huber"), "--loss huber is unknown"),
    (("--bits", "99"), "'bits' parameter"),
    (("--format", "xml"), "format 'xml' is unknown"),
    (("-q", "abc"), "a cross is 2 letters"),
    (("--passes", "0"), "leave nothing to learn by"),
    (("--test", "nowhere.vw"), "nowhere.vw: no such file"),
])  # fmt: skip
def test_wrong_options_are_told(command, files, words, reason):
    result = command(files / "train.vw", *words, "-o", files / "m.skops")
    assert result.exit_code == 1
    assert reason in str(result.exception)
    assert type(result.exception).__name__ == "TreatiseError"
    assert not (files / "m.skops").exists()


# The command as a process of its own, to which something happens in the midst of a pass.
STRUCK = """
import os, sys
from treatise.cli import main
from treatise.linear.hybrid._passes import LocalPasses

whole, calls = LocalPasses.gradient, []

def gradient(self, w):
    calls.append(1)
    if len(calls) == 6:
        os.kill(os.getpid(), int(os.environ["BLOW"]))
    return whole(self, w)

LocalPasses.gradient = gradient
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_stream_leaves_its_checkpoint_and_goes_on_to_the_same_bits(command, files, blow):
    words = ["stream", files / "train.vw", "--bits", 10, "--lbfgs", 12, "-o", files / "model.skops"]
    struck = subprocess.run(
        [sys.executable, "-c", STRUCK, *map(str, words)], env={**os.environ, "BLOW": str(int(blow))}, text=True,
        capture_output=True,
    )  # fmt: skip
    left = {path.name for path in files.iterdir() if not path.name.startswith(".train.vw")}
    assert left == {"train.vw", "test.vw", "model.skops.checkpoint"}
    if blow != signal.SIGKILL:
        assert struck.returncode == 130
        assert "Traceback" not in struck.stderr
        assert "interrupted; the same command goes on from" in struck.stderr.replace("\n", " ")
    assert command(*words[1:]).exit_code == 0
    assert not (files / "model.skops.checkpoint").exists()
    command(*words[1:-1], files / "whole.skops")
    resumed, whole = (load_model(files / name).model for name in ("model.skops", "whole.skops"))
    np.testing.assert_array_equal(resumed.coef_, whole.coef_)
    assert resumed.objective_path_ == whole.objective_path_
