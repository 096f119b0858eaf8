"""Solvers that do not converge: every command says so in a sentence, and prints no warning."""

import warnings

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from treatise.compare import aggregate_rankings, consensus, rate_players, understand
from treatise.compare.candidates import all_candidates, find_candidate
from treatise.compare.contest import fold
from treatise.compare.contest.ending import LastFit
from treatise.compare.contest.fold import Member, fit_whole
from treatise.compare.convergence import watched_solvers
from treatise.compare.metrics import METRICS
from treatise.datasets import Games, Rankings
from treatise.io import Table
from treatise.ranking import borda

BALLOTS = Rankings(
    ["a", "b", "c"], sparse.csc_array(np.array([[1, 2, 3], [1, 3, 2], [2, 1, 3], [1, 2, 3], [3, 1, 2]], float).T)
)


def short_of_it(rankings):
    """Scores by a solver that always runs out of steps."""
    warnings.warn("it still moved after 3 steps", ConvergenceWarning, stacklevel=2)
    return borda(rankings.ranks)


@pytest.fixture
def short_rule(monkeypatch):
    monkeypatch.setitem(consensus.RULES, "borda", short_of_it)
    warnings.simplefilter("error")


def test_what_solvers_say_is_kept_once_and_in_one_line():
    with warnings.catch_warnings(), watched_solvers() as unfinished:
        warnings.warn("no step was left:\nlook at this page", ConvergenceWarning, stacklevel=1)
        warnings.warn("no step was left:\nlook at that page", ConvergenceWarning, stacklevel=1)
        warnings.warn("a column is constant", UserWarning, stacklevel=1)
    assert unfinished == ["no step was left"]


def test_a_consensus_tells_that_its_solver_fell_short(short_rule):
    found = aggregate_rankings(BALLOTS, "borda", resamples=20)
    assert found.notes == [
        "borda did not converge, so that its scores are approximate: it still moved after 3 steps",
        "borda did not converge on 20 of 20 samples; the intervals are approximate",
    ]
    assert aggregate_rankings(BALLOTS, "copeland", resamples=20).notes == []


def test_a_rule_that_falls_short_on_folds_is_named(short_rule):
    found = aggregate_rankings(BALLOTS, resamples=0)
    assert "did not converge on some folds, and may be judged too low: borda" in found.notes


def test_ratings_tell_that_their_solver_fell_short():
    games = Games.from_lists([(["a", "b"], [1, 2])] * 30 + [(["b", "c"], [1, 2])] * 20 + [(["c", "a"], [1, 2])])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        notes = rate_players(games, params={"max_iter": 1}).notes
        assert not any("converge" in note for note in rate_players(games).notes)
    assert any(note.startswith("BradleyTerryRater did not converge, so that ratings are approximate") for note in notes)


def test_a_comparison_tells_that_the_model_it_saves_fell_short(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(rng.normal(size=(200, 8)), schema=[f"x{j}" for j in range(8)])
    data = understand(Table("points", frame.with_columns(y=(frame["x0"] > frame["x1"]).cast(pl.String)), True, ()), "y")
    monkeypatch.setattr(fold, "load_input", lambda work: data)
    candidate = find_candidate("sklearn.linear_model.LogisticRegression", all_candidates("binary"), "binary")

    def fitted(**setting):
        members = (Member(candidate, 1.0, None, 0.0, setting),)
        return fit_whole(tmp_path, members, METRICS["accuracy"], 0, tmp_path / "model.skops", {})

    params, unfinished = fitted(max_iter=1)
    assert params == {"max_iter": 1} and len(unfinished) == 1 and "failed to converge" in unfinished[0]
    assert fitted(max_iter=1000)[1] == []
    assert LastFit(params, None, "").words(200) == ()
    assert LastFit(params, 150, "", ("LogisticRegression: no step was left",)).words(1200) == (
        "The saved model did not converge, and may do worse than judged (LogisticRegression: no step was left).",
        "The saved model was fitted on 150 of 1,200 rows, as many as the budget held.",
    )
