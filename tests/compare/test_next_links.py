"""Links of the next period: how times are divided, who is looked at, and what is said of the answer."""

import numpy as np
import pytest

from treatise.compare.next_links import MOST_NODES, divided, next_links
from treatise.datasets import LinkEvents, Network


def days(*words):
    return np.array(words, dtype="datetime64[us]").astype(np.int64).astype(float)


@pytest.mark.parametrize(
    ("first", "last", "unit", "label"),
    [
        ("1990-03-01", "2014-07-01", "year", "2014"),
        ("2016-01-10", "2018-02-20", "month", "2018-02"),
        ("2016-01-10", "2016-06-20", "week", "from 2016-06-16"),
        ("2016-01-10", "2016-01-30", "day", "2016-01-30"),
        ("2016-01-10T03:00", "2016-01-11T01:00", "hour", "2016-01-11T01"),
    ],
)
def test_dates_are_divided_by_the_calendar(first, last, unit, label):
    periods = divided(days(first, last), True)
    assert periods.unit == unit
    assert periods.label(int(periods.numbers[-1])) == label


def test_whole_numbers_are_periods_and_others_equal_parts():
    assert divided(np.array([2001.0, 2003.0, 2009.0]), False).numbers.tolist() == [2001, 2003, 2009]
    parts = divided(np.linspace(0.0, 1e9, 1000), False)
    assert np.unique(parts.numbers).tolist() == list(range(1, 25))
    assert set(np.bincount(parts.numbers)[1:]) <= {41, 42}
    assert divided(np.array([0.5, 0.5]), False).numbers.tolist() == [1, 1]


def test_only_the_most_active_nodes_are_looked_at_and_this_is_said():
    rng = np.random.default_rng(0)
    n = MOST_NODES + 20
    often = np.sort(rng.integers(0, MOST_NODES, size=(3000, 2)), axis=1)
    often = often[often[:, 0] < often[:, 1]]
    rare = np.stack([np.arange(MOST_NODES, n - 1), np.arange(MOST_NODES + 1, n)], axis=1)
    pairs = np.concatenate([often, rare])
    events = LinkEvents(pairs, np.ones(len(pairs)), np.arange(len(pairs)) % 8 * 1.0, False)
    network = Network(
        [f"n{i}" for i in range(n)], pairs, np.ones(len(pairs)), None, np.empty((0, 2), int), False, events
    )
    found = next_links(network, 30)
    assert found.table.height <= 30 and np.all(np.diff(found.table["score"].to_numpy()) <= 0)
    names = set(found.table["source"]) | set(found.table["target"])
    assert names <= {f"n{i}" for i in range(MOST_NODES)}
    assert any("100 nodes with the most links" in note for note in found.notes)
    # Links at random: nothing foretells them, and this is said.
    assert found.facts["next AUC"] < 0.6 and any("guesses" in note for note in found.notes)
    assert next_links(network, 0).table is None
