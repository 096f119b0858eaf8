"""``treatise evaluate``: a value with an interval, and sentences."""

import json

import numpy as np
import pytest


def log_text(n_episodes=60, seed=0):
    """Two steps an episode; the second action earns one more, and the policy to be judged takes it more often."""
    rng = np.random.default_rng(seed)
    lines = ["episode,step,load,mood,action,reward,behaviour,target"]
    for episode in range(n_episodes):
        for step in (2, 1):  # out of order
            load, action = rng.random(), int(rng.integers(2))
            reward = load + action + 0.1 * rng.normal()
            lines.append(f"e{episode},{step},{load:.4f},calm,{action},{reward:.4f},0.5,{0.8 if action else 0.2}")
    return "\n".join(lines) + "\n"


def test_evaluate_prints_a_value_with_its_interval_and_leaves_two_files(invoke, tmp_path):
    (tmp_path / "log.csv").write_text(log_text())
    answer = invoke("evaluate", str(tmp_path / "log.csv"), "--discount", "0.9", "-o", str(tmp_path / "out"))
    assert answer.exit_code == 0, answer.stderr
    assert "doubly robust" in answer.stdout and "95% interval" in answer.stdout
    assert "60 episodes, 120 steps" in answer.stdout and "amount to" in answer.stdout
    assert (
        "states are described by load" in answer.stderr
        and "left aside, since they hold no numbers: mood" in answer.stderr
    )
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"value.png", "value.csv", ".lock"}
    told = json.loads(
        invoke(
            "evaluate", str(tmp_path / "log.csv"), "--discount", "0.9", "--json", "-o", str(tmp_path / "out"),
            "--method", "LSTD", "--features", "load", "--resamples", "50",
        ).stdout
    )  # fmt: skip
    # Two steps of load and action: (0.5 + 0.8) (1 + 0.9).
    assert told["method"] == "LSTD" and told["low"] < 1.3 * 1.9 < told["high"]
    assert told["n_episodes"] == 60 and 0 < told["effective_episodes"] < 60
    assert told["estimates"][0]["method"] == "LSTD"


@pytest.mark.parametrize(
    ("change", "words", "message"),
    [
        (("behaviour", "old"), (), "no column called 'behaviour'"),
        (("0.5,", "1.5,"), (), "holds 1.5; probabilities lie between 0 and 1"),
        (("0.5,", "0.0,"), (), "cannot have done what it never does"),
        (("e1,1,", "e1,2,"), (), "a step stands twice in the log"),
        ((",calm,1,", ",calm,1,x"), (), "holds no numbers"),
        (("load", "load"), ("--features", "speed"), "there is no column 'speed'"),
        (("load", "load"), ("--features", "mood"), "'mood' holds no numbers"),
        (("load", "load"), ("--target", "behaviour"), "has two roles"),
        (("load", "load"), ("--discount", "7"), "discount=7.0 is not between 0 and 1"),
        (("load", "load"), ("--method", "magic"), "method='magic'"),
        (("load", "load"), ("--level", "95"), "level=95.0 must lie between 0 and 1"),
    ],
)
def test_what_is_wrong_with_a_log_is_said_in_a_sentence(invoke, tmp_path, change, words, message):
    (tmp_path / "log.csv").write_text(log_text().replace(*change))
    options = words if "--discount" in words else ("--discount", "0.9", *words)
    answer = invoke("evaluate", str(tmp_path / "log.csv"), *options, "-o", str(tmp_path / "out"))
    assert answer.exit_code == 1 and message in answer.stderr and "Traceback" not in answer.stderr


def test_a_discount_is_asked_for(invoke, tmp_path):
    (tmp_path / "log.csv").write_text(log_text())
    answer = invoke("evaluate", str(tmp_path / "log.csv"))
    assert answer.exit_code == 2 and "--discount" in answer.stderr
