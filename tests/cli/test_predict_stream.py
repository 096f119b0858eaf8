"""``treatise predict`` with a model of ``treatise stream``: text of any format and size, a part at a time."""

import gzip
import json
import os
import subprocess
import sys
import tracemalloc

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

from treatise.io import load_model, save_model
from treatise.io.source import lines
from treatise.linear import HybridLinearClassifier, HybridLinearRegressor


@pytest.fixture
def text():
    """Lines of numbered features, which every format can hold: the same examples as Vowpal Wabbit text and LIBSVM."""
    rng = np.random.default_rng(0)
    active = rng.integers(1, 60, (400, 5))
    values = rng.normal(size=(400, 5)).round(3)
    labels = np.where(values.sum(axis=1) > 0, 1, -1)
    features = [" ".join(f"{j}:{v}" for j, v in zip(*row)) for row in zip(active, values)]
    vw = "".join(f"{y} | {row}\n" for y, row in zip(labels, features))
    libsvm = "".join(f"{y} {row}\n" for y, row in zip(labels, features))
    return vw, libsvm


@pytest.fixture
def model(text, tmp_path):
    """A model file of these lines, and the model."""
    path = tmp_path / "train.vw"
    path.write_text(text[0])
    fitted = HybridLinearClassifier(bits=8, max_iter=3).fit_files(path, cache=False)
    save_model(fitted, tmp_path / "model.skops", metadata={"label": "stream"})
    return tmp_path / "model.skops"


def scores(model, path):
    return np.concatenate([part for _, part in load_model(model).model.scores_of_files(path)])


@pytest.mark.parametrize("name", ["new.vw", "new.libsvm", "new.vw.gz", "new.libsvm.gz", "new.vw.zst"])
def test_any_format_and_compression_is_predicted_as_the_model_does(invoke, model, text, tmp_path, monkeypatch, name):
    monkeypatch.setattr(lines, "BLOCK", 1 << 11)  # so that there are several parts
    content = text["libsvm" in name].encode()
    path = tmp_path / name
    if name.endswith(".zst"):
        pyarrow = pytest.importorskip("pyarrow")
        with pyarrow.CompressedOutputStream(str(path), "zstd") as out:
            out.write(content)
    else:
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    done = invoke("predict", str(model), str(path), "-o", str(tmp_path / "out.csv"))
    assert done.exit_code == 0, done.output
    assert "400 predictions of stream written" in done.output
    found = pl.read_csv(tmp_path / "out.csv")
    expected = scores(model, tmp_path / "train.vw")
    assert found.columns == ["prediction", "probability -1", "probability 1"]
    np.testing.assert_array_equal(found["prediction"], np.where(expected > 0, 1, -1))
    np.testing.assert_allclose(found["probability 1"], expit(expected), rtol=1e-12)


def test_tables_without_the_target_and_the_weight_are_predicted(invoke, tmp_path):
    rng = np.random.default_rng(1)
    table = pl.DataFrame({"site": rng.choice(["cnn", "yahoo"], 200), "age": rng.normal(size=200)})
    full = table.with_columns(y=pl.col("age") * 2 + (pl.col("site") == "cnn"), w=pl.lit(1.0))
    full.write_csv(tmp_path / "train.csv")
    table.write_csv(tmp_path / "new.csv")
    fitted = HybridLinearRegressor(bits=10, alpha=1e-3).fit_files(
        tmp_path / "train.csv", target="y", weight="w", cache=False
    )
    save_model(fitted, tmp_path / "m.skops", metadata={"label": "stream"})
    done = invoke("predict", str(tmp_path / "m.skops"), str(tmp_path / "new.csv"), "-o", str(tmp_path / "out.csv"))
    assert done.exit_code == 0, done.output
    # The rule is linear, and the penalty slight.
    np.testing.assert_allclose(pl.read_csv(tmp_path / "out.csv")["prediction"], full["y"], atol=1e-3)


def test_lines_without_labels_are_predicted_and_standard_output_is_the_same_csv(invoke, model, text, tmp_path):
    path = tmp_path / "new.vw"
    path.write_text("".join("|" + line.split("|")[1] + "\n" for line in text[0].splitlines()[:7]))
    done = invoke("predict", str(model), str(path))
    assert len(done.stdout.splitlines()) == 8
    answer = json.loads(invoke("predict", str(model), str(path), "--json").stdout)
    assert answer["rows"] == len(answer["predictions"]) == 7
    assert answer["predictions"][0]["probability 1"] == pytest.approx(
        expit(scores(model, tmp_path / "train.vw")[0]), rel=1e-12
    )


def test_wrong_line_is_told_and_no_file_is_written(invoke, text, tmp_path):
    train = tmp_path / "train.vw"
    train.write_text("oops\n" + text[0])
    fitted = HybridLinearClassifier(bits=8, max_iter=0).fit_files(train, on_error="skip", cache=False)
    save_model(fitted, tmp_path / "m.skops", metadata={"label": "stream"})
    done = invoke("predict", str(tmp_path / "m.skops"), str(train), "-o", str(tmp_path / "out.csv"))
    assert done.exit_code == 1
    assert "line 1: 'oops' stands where the label belongs" in done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.skops", "train.vw"]
    (tmp_path / "empty.vw").write_text("\n")
    done = invoke("predict", str(tmp_path / "m.skops"), str(tmp_path / "empty.vw"))
    assert done.exit_code == 1
    assert "holds no example" in done.output


def test_memory_does_not_grow_with_the_files(invoke, model, text, tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "BLOCK", 1 << 12)
    for i in range(40):
        (tmp_path / f"{'one' if i == 0 else 'many'}-{i}.vw").write_text(text[0] * 5)
    peaks = {}
    for files in ("one", "many"):
        output = str(tmp_path / f"{files}.csv")
        invoke("predict", str(model), str(tmp_path / f"{files}-*.vw"), "-o", output)  # what is loaded once
        tracemalloc.start()
        assert invoke("predict", str(model), str(tmp_path / f"{files}-*.vw"), "-o", output).exit_code == 0
        peaks[files] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert pl.read_csv(tmp_path / "many.csv").height == 39 * 2000
    # 39 times the data; a part of predictions more or less is held at the peak.
    assert peaks["many"] < 1.05 * peaks["one"]


def test_a_reader_that_has_gone_ends_it_quietly(plain_environment, model, tmp_path):
    far, near = os.pipe()
    os.close(far)
    command = [sys.executable, "-m", "treatise", "predict", str(model), str(tmp_path / "train.vw")]
    with os.fdopen(near, "wb") as pipe:
        result = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, env=plain_environment)
    assert (result.returncode, result.stderr) == (1, b"")
