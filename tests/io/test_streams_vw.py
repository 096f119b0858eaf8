"""Streams against a running Vowpal Wabbit: the same text gives the same indices, weights and predictions."""

import numpy as np
import pytest

from treatise.io import Stream
from treatise.linear import HybridLinearClassifier

vowpalwabbit = pytest.importorskip("vowpalwabbit", reason="the peer is not installed")

BITS = 18
CONSTANT = 11650396  # the name of Vowpal Wabbit's constant feature


@pytest.fixture
def text(tmp_path):
    """Lines with every kind of feature: words, numbers, values, scales, weights, tags, names of digits, no name."""
    rng = np.random.default_rng(0)
    lines = []
    for i in range(300):
        words = " ".join(f"{'wx'[j % 2]}{j}:{v:.3g}" for j, v in zip(rng.integers(0, 40, 4), rng.normal(size=4)))
        numbers = " ".join(str(j) for j in rng.choice(50, 3, replace=False))
        long = "a-name-of-many-letters" + str(rng.integers(0, 9))
        head = f"{rng.choice([-1, 1])} {rng.integers(1, 4)} 'tag{i}"
        lines.append(f"{head} |user {words} {long} |page:0.5 {numbers} é{i % 7} |12 ab {i % 5} | plain 7:0.25\n")
    path = tmp_path / "data.vw"
    path.write_text("".join(lines), encoding="utf-8")
    return path


def learned_by_the_peer(path, arguments):
    """Its weights by index, as its readable model shows them, and its predictions before each update."""
    readable, predictions = path.with_suffix(".readable"), path.with_suffix(".predictions")
    learner = vowpalwabbit.Workspace(
        f"--data {path} --bit_precision {BITS} --quiet --no_stdin {arguments} "
        f"--min_prediction -100 --max_prediction 100 "  # else it cuts them to the range of the labels
        f"--invert_hash {readable} --predictions {predictions}"
    )
    learner.finish()
    rows = readable.read_text(encoding="utf-8").split("\nl2_state")[1].splitlines()
    weights = {}
    for row in rows:
        name, *rest = row.rsplit(":", 2)
        if len(rest) == 2:
            weights[name] = (int(rest[0]), float(rest[1]))
    return weights, np.array([float(line.split()[0]) for line in predictions.read_text().splitlines() if line])


CROSSES = {"quadratic": ("up", "uu", "1p"), "cubic": ("up1",)}
CROSS_ARGUMENTS = "-q up -q uu -q 1p --cubic up1"


@pytest.mark.parametrize(("crosses", "arguments"), [({}, ""), (CROSSES, CROSS_ARGUMENTS)], ids=["plain", "crossed"])
def test_indices_are_those_of_the_peer(text, crosses, arguments):
    # With the squared loss every feature moves off zero, and the peer's readable model leaves out zeros only.
    weights, _ = learned_by_the_peer(text, f"--loss_function squared --sgd --learning_rate 0.001 {arguments}")
    theirs = {index for name, (index, _) in weights.items() if name != "Constant"}
    ours = set()
    for chunk in Stream(text, bits=BITS, **crosses):
        ours.update(chunk.indices.tolist())
    assert len(theirs) > 100
    assert theirs == ours
    assert weights["Constant"][0] == CONSTANT % (1 << BITS)


@pytest.mark.parametrize("invariant", [False, True])
@pytest.mark.parametrize(("crosses", "arguments"), [({}, ""), (CROSSES, CROSS_ARGUMENTS)], ids=["plain", "crossed"])
def test_weights_and_predictions_are_those_of_the_peer(text, invariant, crosses, arguments):
    # Without its adaptive and normalised forms, which differ from the paper's (G starts at 0 and counts the example
    # before the step), both are gradient descent with the hinge loss.
    rule = "--invariant" if invariant else "--sgd"
    weights, predictions = learned_by_the_peer(
        text, f"--loss_function hinge {rule} --power_t 0 --learning_rate 0.02 {arguments}"
    )
    model = HybridLinearClassifier(
        "hinge", max_iter=0, alpha=0.0, adaptive=False, invariant=invariant, learning_rate=0.02, bits=BITS, **crosses
    ).fit_files(text, cache=False)
    # Both keep weights in single precision, and the readable model prints six digits.
    for name, (index, weight) in weights.items():
        ours = model.intercept_[0] if name == "Constant" else model.coef_[0, index]
        assert ours == pytest.approx(weight, abs=1e-5), name
    assert model.progressive_loss_ == pytest.approx(_mean_hinge(text, predictions), rel=1e-5)


def _mean_hinge(path, predictions):
    head = [line.split()[:2] for line in path.read_text(encoding="utf-8").splitlines()]
    labels, importances = (np.array(column, float) for column in zip(*head))
    return importances @ np.maximum(0, 1 - labels * predictions) / importances.sum()
