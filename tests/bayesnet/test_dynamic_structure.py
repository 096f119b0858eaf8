"""Networks over time."""

import numpy as np
import pytest

from treatise.bayesnet import DynamicStructureLearner

PARENTS = {0: [(0, 1)], 1: [(1, 1), (0, 1)], 2: [(2, 1), (1, 0)]}


def sequences(n=200, steps=20, seed=0):
    """Three binary variables: each keeps its value mostly; 1 follows 0 one step later, 2 follows 1 at once."""
    rng = np.random.default_rng(seed)
    state = rng.integers(0, 2, (n, 3))
    rows = [state]
    for _ in range(steps - 1):
        now = np.empty_like(state)
        now[:, 0] = np.where(rng.random(n) < 0.85, state[:, 0], 1 - state[:, 0])
        now[:, 1] = rng.random(n) < 0.1 + 0.4 * state[:, 0] + 0.4 * state[:, 1]
        now[:, 2] = rng.random(n) < 0.1 + 0.4 * state[:, 2] + 0.4 * now[:, 1]
        state = now
        rows.append(state)
    return list(np.stack(rows, axis=1))


@pytest.mark.parametrize("self_arcs", [True, False])
@pytest.mark.parametrize("criterion", ["bic", "bdeu"])
def test_the_parents_of_the_transitions_are_recovered(criterion, self_arcs):
    learner = DynamicStructureLearner(criterion, self_arcs=self_arcs).fit(sequences())
    found = {child: sorted((parent, lag) for parent, own, lag in learner.arcs_ if own == child) for child in range(3)}
    assert found == {child: sorted(own) for child, own in PARENTS.items()}
    assert learner.optimal_
    assert (learner.transition_.edges_[:, 1] >= 3).all()  # nothing leads into the step before
    assert len(learner.initial_.edges_) == 0  # the first rows are independent coins


def test_arcs_over_time_may_be_required_and_forbidden():
    learner = DynamicStructureLearner(required_arcs=[(2, 0, 1)], forbidden_arcs=[(0, 1, 1)], max_parents=2).fit(
        sequences()
    )
    assert (2, 0, 1) in learner.arcs_ and (0, 1, 1) not in learner.arcs_
    assert max(map(len, learner.transition_.parents_)) <= 2


def test_states_that_a_first_row_lacks_are_states_nevertheless():
    tables = sequences(n=20, steps=6)
    for table in tables:
        table[0, 0] = 0
    learner = DynamicStructureLearner().fit(tables)
    assert learner.initial_.cpts_[0].shape == (2,)


def test_frames_give_the_names():
    pandas = pytest.importorskip("pandas")
    frames = [pandas.DataFrame(one, columns=["x", "y", "z"]) for one in sequences(n=60)]
    learner = DynamicStructureLearner().fit(frames)
    assert ("x", "y", 1) in learner.arcs_
    assert learner.transition_.to_networkx().has_edge(("x", -1), "y")


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ([np.zeros((3, 2), int)], {}, "1 sequences with 2 transitions"),
        ([np.zeros((1, 2), int)] * 3, {}, "3 sequences with 0 transitions"),
        ([np.zeros((2, 2), int), np.zeros((2, 3), int)], {}, r"sequence 1 has the shape \(2, 3\)"),
        ([], {}, "list of tables"),
        (sequences(4, 3), {"required_arcs": [(0, 1)]}, "is no arc of the transitions"),
        (sequences(4, 3), {"required_arcs": [(0, 1, 2)]}, "lag of 0 or 1"),
        (sequences(4, 3), {"required_arcs": [(7, 1, 0)]}, "7 in the rules is no column"),
        ([np.zeros((3, 2), int)] * 2, {}, "one state only"),
    ],
)
def test_bad_sequences_and_arcs_are_refused(given, options, message):
    with pytest.raises(ValueError, match=message):
        DynamicStructureLearner(**options).fit(given)
