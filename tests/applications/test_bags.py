"""Bags from lists and from tables, and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from treatise.applications import DDSVM, EMDD, MISVM, Bags, DiverseDensity, bags_from_table, miSVM
from treatise.datasets import make_concept_bags

CLASSIFIERS = [DDSVM, MISVM, miSVM, DiverseDensity, EMDD]


def test_a_list_a_cube_and_a_table_give_the_same_bags():
    cube = np.random.default_rng(0).normal(size=(4, 3, 2))
    flat, owners = cube.reshape(12, 2), np.repeat(np.arange(4), 3)
    shuffled = np.random.default_rng(1).permutation(12)
    ways = [Bags.from_list(cube), Bags.from_list(list(cube)), bags_from_table(flat, owners)[0]]
    for bags in ways:
        assert [bag.tolist() for bag in bags] == [bag.tolist() for bag in cube]
    mixed, _, names = bags_from_table(flat[shuffled], owners[shuffled])
    for name, bag in zip(names, mixed):
        assert sorted(map(tuple, bag)) == sorted(map(tuple, cube[name]))


@pytest.mark.parametrize("library", [pd, pl])
def test_a_frame_gives_bags_by_the_names_of_its_columns(library):
    frame = library.DataFrame({"who": ["b", "a", "b"], "u": [1, 2, 3], "label": ["x", "y", "x"], "v": [4.0, 5.0, 6.0]})
    bags, y, names = bags_from_table(frame, "who", "label")
    assert [bag.tolist() for bag in bags] == [[[1, 4], [3, 6]], [[2, 5]]]
    assert y.tolist() == ["x", "y"] and names.tolist() == ["b", "a"]


def test_some_of_the_bags_are_bags():
    bags = Bags.from_list([[[0.0]], [[1.0], [2.0]], [[3.0], [4.0], [5.0]]])
    assert [bag.ravel().tolist() for bag in bags[[2, 0]]] == [[3, 4, 5], [0]]
    assert [bag.ravel().tolist() for bag in bags[1:]] == [[1, 2], [3, 4, 5]]
    assert bags[-1].ravel().tolist() == [3, 4, 5]
    assert bags.means().ravel().tolist() == [0.0, 1.5, 4.0]


@pytest.mark.parametrize(
    ("bags", "message"),
    [
        ([], "no bags were given"),
        ([[[1.0]], []], r"bag 1 \(counted from 0\) is empty; a bag needs at least one instance"),
        ([[[1.0]], [[1.0, 2.0]]], "bag 1 .* has 2 columns and bag 0 has 1"),
        ([[[np.nan]]], "bag 0 .* holds NaN or infinity"),
        ([[1.0, 2.0]], r"bag 0 .* has the shape \(2,\)"),
        ([[["red"]]], "bag 0 .* is no table of numbers"),
        (np.eye(2), r"one array of the shape \(2, 2\) was given"),
        (pd.DataFrame({"a": [1]}), "a DataFrame is no list of bags"),
    ],
)
def test_what_is_no_list_of_bags_is_refused_with_its_place(bags, message):
    for kind in CLASSIFIERS:
        with pytest.raises(ValueError, match=message):
            kind().fit(bags, [0, 1])


def test_a_table_with_two_labels_in_a_bag_or_a_column_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="bag a has the labels 1 and 0; every row of a bag must carry"):
        bags_from_table([[1.0], [2.0]], ["a", "a"], [1, 0])
    with pytest.raises(ValueError, match="no column 'box'; its columns: u"):
        bags_from_table(pd.DataFrame({"u": [1.0]}), "box")
    with pytest.raises(ValueError, match="bag has 1 entries and the table 2 rows"):
        bags_from_table([[1.0], [2.0]], ["a"])


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_labels_of_one_class_or_too_few_are_refused(kind):
    bags, y = make_concept_bags(6, random_state=0)
    with pytest.raises(ValueError, match=r"y holds one class only, 1; \w+ needs at least two|Only binary"):
        kind().fit(bags, np.ones(6, int))
    with pytest.raises(ValueError, match="6 bags and 5 labels"):
        kind().fit(bags, y[:5])
    model = kind().fit(bags, y)
    with pytest.raises(ValueError, match=f"the bags have 3 features; {kind.__name__} was fitted to 2"):
        model.predict([np.zeros((2, 3))])


@pytest.mark.parametrize("kind", [DiverseDensity, EMDD])
def test_one_point_tells_two_classes_only(kind):
    bags, _ = make_concept_bags(6, random_state=0)
    with pytest.raises(ValueError, match="Only binary classification"):
        kind().fit(bags, [0, 1, 2, 0, 1, 2])


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_the_order_of_bags_and_of_instances_changes_no_bit_of_the_answers(kind):
    bags, y = make_concept_bags(24, random_state=3)
    new, _ = make_concept_bags(10, random_state=4)
    rng = np.random.default_rng(0)
    order = rng.permutation(24)
    mixed = [bags[i][rng.permutation(len(bags[i]))] for i in order]
    np.testing.assert_array_equal(
        kind().fit(bags, y).decision_function(new), kind().fit(mixed, y[order]).decision_function(new)
    )


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_units_and_origins_of_columns_change_no_label(kind):
    bags, y = make_concept_bags(24, random_state=5)
    new, _ = make_concept_bags(30, random_state=6)
    units, origin = np.array([1000.0, 0.01]), np.array([-7.0, 3.0])
    plain = kind().fit(bags, y).decision_function(new)
    other = (
        kind().fit([bag * units + origin for bag in bags], y).decision_function([bag * units + origin for bag in new])
    )
    np.testing.assert_allclose(other, plain, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_constant_column_has_no_say_even_where_it_is_new(kind):
    bags, y = make_concept_bags(20, random_state=7)
    plain = kind().fit(bags, y).predict(bags)
    model = kind().fit([np.c_[bag, np.full(len(bag), 7.0)] for bag in bags], y)
    np.testing.assert_array_equal(model.predict([np.c_[bag, np.full(len(bag), 7.0)] for bag in bags]), plain)
    np.testing.assert_array_equal(model.predict([np.c_[bag, np.full(len(bag), 9.0)] for bag in bags]), plain)


def test_made_up_bags_are_half_positive_and_hold_what_they_promise():
    bags, y = make_concept_bags(60, n_concepts=2, random_state=0)
    near = [[bool((np.linalg.norm(bag - centre, axis=1) < 0.9).any()) for centre in (2.5, -2.5)] for bag in bags]
    assert y.sum() == 30
    assert all(all(both) if label else any(both) for both, label in zip(near, y))
    assert sum(all(both) for both, label in zip(near, y) if not label) <= 3  # noise may come near by chance
    with pytest.raises(ValueError, match="n_concepts=3"):
        make_concept_bags(4, n_concepts=3)
    with pytest.raises(ValueError, match="n_instances=1"):
        make_concept_bags(4, n_concepts=2, n_instances=1)
