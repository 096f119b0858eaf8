"""Order, intervals and verdicts from fold scores."""

import numpy as np
import pytest
from scipy import stats

from treatise.compare.candidates import all_candidates
from treatise.compare.contest.leaderboard import leaderboard, verdict
from treatise.compare.metrics import METRICS
from treatise.report import FoldRecord

AUC = METRICS["roc_auc"]
CANDIDATES = all_candidates("binary")
KEYS = ["sklearn/SVC", "sklearn/LogisticRegression", "sklearn/DummyClassifier", "sklearn/RandomForestClassifier"]


def records(key, scores, k=5):
    return [
        FoldRecord(
            key, i // k, i % k, score, {"roc_auc": score, "log_loss": None}, fit_seconds=0.1 * (i + 1),
            predict_seconds=0.01, params={"C": i}, seconds=0.2,
        )
        for i, score in enumerate(scores)
    ]  # fmt: skip


def test_the_interval_is_the_corrected_one():
    scores = np.array([0.90, 0.93, 0.91, 0.95, 0.92, 0.94, 0.90, 0.96, 0.93, 0.92])
    (entry,) = leaderboard(records(KEYS[0], scores), CANDIDATES, AUC, 5)
    # Nadeau and Bengio: variance (1/J + n_test/n_train) s^2 with n_test/n_train = 1/(k - 1).
    half = stats.t.ppf(0.975, 9) * np.sqrt((1 / 10 + 1 / 4) * scores.var(ddof=1))
    assert entry.score == pytest.approx(scores.mean())
    assert entry.low == pytest.approx(scores.mean() - half)
    assert entry.high == pytest.approx(min(1.0, scores.mean() + half))


def test_standings_come_from_paired_corrected_tests_after_holm():
    rng = np.random.default_rng(0)
    common = rng.normal(0.9, 0.02, 10)
    folds = [
        *records(KEYS[0], common),
        *records(KEYS[1], common - 0.001 + rng.normal(0, 0.003, 10)),
        *records(KEYS[2], common - 0.3 + rng.normal(0, 0.003, 10)),
    ]
    board = leaderboard(folds, CANDIDATES, AUC, 5)
    assert [entry.standing for entry in board] == ["best", "level", "behind"]
    # The fold-to-fold noise is common to both, so only a paired test can see so small a difference surely.
    assert board[2].p_value < 1e-6 < board[1].p_value


def test_one_lucky_fold_does_not_lead():
    folds = [*records(KEYS[0], [0.8, 0.81, 0.79, 0.8, 0.82]), *records(KEYS[1], [0.99])]
    board = leaderboard(folds, CANDIDATES, AUC, 5)
    assert [entry.key for entry in board] == KEYS[:2]
    assert board[1].standing == "too few folds"


def test_a_quick_method_does_not_lead_by_having_more_folds():
    folds = [*records(KEYS[2], [0.5] * 4), *records(KEYS[0], [0.9, 0.91])]
    assert [entry.key for entry in leaderboard(folds, CANDIDATES, AUC, 5)] == [KEYS[0], KEYS[2]]


def test_errors_rank_the_lowest_first():
    rmse = METRICS["rmse"]
    ridge, dummy = "sklearn/Ridge", "sklearn/DummyRegressor"
    folds = [*records(ridge, [1.0] * 5), *records(dummy, [2.0, 2.1, 1.9, 2.0, 2.0])]
    board = leaderboard(folds, all_candidates("regression"), rmse, 5)
    assert [entry.key for entry in board] == [ridge, dummy]


def test_a_measure_that_some_fold_lacks_is_left_empty():
    (entry,) = leaderboard(records(KEYS[0], [0.9, 0.8]), CANDIDATES, AUC, 5)
    assert entry.metrics == {"roc_auc": pytest.approx(0.85), "log_loss": None}


def test_the_words_name_the_best_the_level_and_the_beaten():
    rng = np.random.default_rng(1)
    common = rng.normal(0.9, 0.02, 10)
    folds = [
        *records(KEYS[0], common),
        *records(KEYS[1], common + np.tile([0.002, -0.003], 5)),
        *records(KEYS[2], [0.5] * 10),
    ]
    words = " ".join(verdict(leaderboard(folds, CANDIDATES, AUC, 5), AUC, 2, "interrupted"))
    for part in (
        "SVC (a scikit-learn baseline) does best",
        "cannot be told apart from LogisticRegression",
        "DummyClassifier is behind",
        "2 methods could not",
        "interrupted",
    ):
        assert part in words
    assert verdict([], AUC, 0, "finished") == ["No method finished a fold; the reasons are listed below."]


def test_guessing_in_front_is_said_plainly():
    words = " ".join(verdict(leaderboard(records(KEYS[2], [0.5] * 5), CANDIDATES, AUC, 5), AUC, 0, "finished"))
    assert "No method does better than guessing" in words


def test_a_long_list_of_level_methods_is_cut_short():
    noise = np.random.default_rng(2).normal(0, 0.02, (len(CANDIDATES), 10))
    folds = [r for c, scores in zip(CANDIDATES, 0.9 + noise) for r in records(c.key, scores)]
    words = verdict(leaderboard(folds, CANDIDATES, AUC, 5), AUC, 0, "finished")
    assert words[1].endswith(f" and {len(CANDIDATES) - 5} others.")
