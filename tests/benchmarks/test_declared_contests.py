"""Contests that catalogue rows declare."""

from importlib.metadata import version

import pytest

from benchmarks import __main__ as command
from benchmarks import _peers
from treatise.catalog import ComparisonEntry, Cost, EstimatorEntry, PeerEntry

LAWS = Cost(1e-7, n=1), Cost(8, n=1)
ENTRY = EstimatorEntry(
    "treatise.linear.MajorizedLogisticRegression",
    ComparisonEntry(("binary",), *LAWS),
    peer=PeerEntry("sklearn.linear_model.LogisticRegression", 400, 6, params={"C": 0.5}, ours={"C": 0.5}),
)


def test_both_sides_are_fitted_to_one_table_with_the_parameters_of_the_row():
    contest = _peers.contest_of(ENTRY)
    assert contest.peer == "scikit-learn" and version(contest.peer)
    assert contest.work == ("MajorizedLogisticRegression (C = 0.5, n = 400, p = 6) beside LogisticRegression, binary")
    ours, theirs = contest.ours(), contest.theirs()
    assert (ours.C, theirs.C) == (0.5, 0.5)
    # One convex problem, so one optimum: the same rows are right.
    assert contest.quality(ours) == pytest.approx(contest.quality(theirs), abs=0.01)
    contest.warm_up()


def test_an_estimator_whose_row_names_a_peer_is_a_benchmark_by_its_name(monkeypatch):
    for module in (_peers, command):
        monkeypatch.setattr(module, "declared", lambda: {ENTRY.name: ENTRY})
    assert command.names()[-1] == "MajorizedLogisticRegression"
    (contest,) = command.contests("MajorizedLogisticRegression")
    assert contest.peer == "scikit-learn"


def test_benchmarks_are_chosen_by_name_and_by_family():
    assert command.chosen(["hmm"]) == ["hmm"]
    of_family = {name for name, family in command.modules().items() if family == "ranking"}
    assert "ratings" in of_family and set(command.chosen(["ranking", "hmm"])) == of_family | {"hmm"}
    assert command.chosen([]) == command.names()
    with pytest.raises(ValueError, match="no benchmark or family named zeppelin; there are: "):
        command.chosen(["zeppelin"])


def test_a_row_without_a_peer_has_no_contest():
    with pytest.raises(ValueError, match="the row of AROW names no peer"):
        _peers.contest_of(EstimatorEntry("treatise.online.AROW"))


def test_every_row_that_ships_names_a_peer_that_can_be_imported():
    for name, entry in _peers.declared().items():
        assert _peers.instance(entry.peer.path, entry.peer.params) is not None, name
