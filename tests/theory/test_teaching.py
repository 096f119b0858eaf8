"""Teaching sets under four models, against definitions written out."""

from functools import partial
from itertools import chain, combinations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

from treatise.papers.theory.v12_0349 import TABLE_6, TABLE_9, random_class
from treatise.theory import (
    TEACHING_MODELS,
    ConceptClass,
    Learner,
    Teacher,
    half_class,
    interval_class,
    monomial_class,
    or_dnf_class,
    pair_class,
    powerset_class,
    singleton_class,
    teaching_rows,
    threshold_class,
)

MODELS = TEACHING_MODELS


def dimensions(concepts):
    return tuple(concepts.teach(model).dimension for model in MODELS)


def samples_of(row):
    """All samples of a concept, as sets of examples."""
    examples = list(enumerate(row))
    return chain.from_iterable(combinations(examples, size) for size in range(len(examples) + 1))


def smallest(row, accepts):
    """All smallest samples that are accepted."""
    found = []
    for sample in samples_of(row):
        if found and len(sample) > len(found[0]):
            break
        if accepts(sample):
            found.append(frozenset(sample))
    return set(found)


def consistent(matrix, sample):
    return [c for c, row in enumerate(matrix) if all(row[x] == label for x, label in sample)]


def written_out(matrix, model):
    """Families by the letter of the definitions."""
    matrix = matrix.tolist()
    teaching = [smallest(row, lambda s, c=c: consistent(matrix, s) == [c]) for c, row in enumerate(matrix)]
    if model == "ts":
        return teaching
    if model == "rts":
        left, found = list(range(len(matrix))), {}
        while left:
            rows = {c: smallest(matrix[c], lambda s, c=c: [d for d in consistent(matrix, s) if d in left] == [c])
                    for c in left}  # fmt: skip
            least = min(len(next(iter(sets))) for sets in rows.values())
            for c in [c for c in left if len(next(iter(rows[c]))) == least]:
                found[c] = rows[c]
                left.remove(c)
        return [found[c] for c in range(len(matrix))]
    if model == "bts":
        sizes, families = [len(next(iter(sets))) for sets in teaching], teaching
        while True:
            families = [smallest(row, partial(_alone_by_size, matrix, sizes, c)) for c, row in enumerate(matrix)]
            fresh = [len(next(iter(sets))) for sets in families]
            if fresh == sizes:
                return families
            sizes = fresh
    families = teaching
    while True:
        fresh = [smallest(row, partial(_alone_by_subset, families, c)) for c, row in enumerate(matrix)]
        if fresh == families:
            return families
        families = fresh


def _alone_by_size(matrix, sizes, concept, sample):
    return [c for c in consistent(matrix, sample) if sizes[c] >= len(sample)] == [concept]


def _alone_by_subset(families, concept, sample):
    return [c for c, sets in enumerate(families) if any(set(sample) <= each for each in sets)] == [concept]


def labelled(concepts, families):
    return [{frozenset((x, concepts.matrix[c, x].item()) for x in each) for each in sets}
            for c, sets in enumerate(families)]  # fmt: skip


@pytest.mark.parametrize("model", MODELS)
def test_families_are_those_of_the_definitions(model):
    rng = np.random.default_rng(0)
    for _ in range(200 if model == "ts" else 60):
        concepts = random_class(rng)
        wanted, found = written_out(concepts.matrix, model), labelled(concepts, concepts.teach(model).families)
        if model == "bts":  # filled up with the first instances alone
            assert all(ours and ours <= theirs for ours, theirs in zip(found, wanted))
        else:
            assert found == wanted


def test_more_than_two_labels_are_taught_alike():
    rng = np.random.default_rng(5)
    for _ in range(20):
        concepts = ConceptClass(np.unique(rng.integers(0, 3, (6, 4)), axis=0))
        for model in ("ts", "sts", "rts"):
            assert labelled(concepts, concepts.teach(model).families) == written_out(concepts.matrix, model)


@pytest.mark.parametrize(
    ("concepts", "wanted"),
    [(singleton_class(4), (4, 2, 1, 1)), (singleton_class(6), (6, 2, 1, 1)), (threshold_class(3), (2, 2, 1, 1)),
     (pair_class(2), (3, 2, 1, 2)), (pair_class(3), (4, 3, 1, 3)), (half_class(3), (3, 3, 3, 2)),
     (half_class(4), (4, 3, 4, 2)), (half_class(5), (5, 3, 5, 2)), (half_class(3, empty=True), (4, 4, 2, 2)),
     (half_class(4, empty=True), (5, 4, 2, 2)), (half_class(5, empty=True), (6, 4, 2, 2)),
     (monomial_class(2), (4, 4, 2, 2)), (monomial_class(3), (8, 5, 2, 2)), (monomial_class(4), (16, 6, 2, 2)),
     (or_dnf_class(2), (2, 2, 1, 1)), (or_dnf_class(3), (4, 2, 1, 1)), (or_dnf_class(4), (8, 2, 1, 1)),
     (ConceptClass.of_sets(TABLE_9, 4), (2, 2, 1, 2)), (powerset_class(4), (4, 4, 4, 4))],
)  # fmt: skip
def test_the_classes_of_the_paper_have_its_dimensions(concepts, wanted):
    assert dimensions(concepts) == wanted


def test_the_last_table_of_the_paper_is_found_set_by_set():
    found = ConceptClass.of_sets(TABLE_9, 4).teach("sts")
    assert found.families == [[(0,)], [(0,), (1,)], [(1,)], [(3,)], [(2,)], [(2,), (3,)]]
    assert found.iterations == 2 and len(found.history) == 3


def test_only_what_the_mathematics_says_changes_with_names_and_signs():
    rng = np.random.default_rng(2)
    for _ in range(15):
        concepts = random_class(rng)
        z, n = concepts.matrix.shape
        rows, columns, flips = rng.permutation(z), rng.permutation(n), rng.integers(0, 2, n)
        other = ConceptClass((concepts.matrix ^ flips)[rows][:, columns])
        constant = ConceptClass(np.hstack([concepts.matrix, np.ones((z, 1), int)]))
        assert dimensions(other) == dimensions(concepts) == dimensions(constant)
        place = np.argsort(columns)
        for model in ("ts", "sts", "rts"):
            before, after = concepts.teach(model).families, other.teach(model).families
            moved = [sorted(tuple(sorted(place[x] for x in each)) for each in before[c]) for c in rows]
            assert [sorted(sets) for sets in after] == moved


def test_learners_find_what_teachers_mean_and_all_but_one_also_in_larger_samples():
    rng = np.random.default_rng(3)
    lost = 0
    for concepts in [threshold_class(4), half_class(3), pair_class(2), *(random_class(rng) for _ in range(8))]:
        for model in MODELS:
            teacher, learner = Teacher(concepts, model), Learner(concepts, model)
            for c in range(concepts.n_concepts):
                sample = teacher.teach(c)
                assert learner.learn(sample) == c
                rest = [pair for pair in enumerate(concepts.matrix[c].tolist()) if pair not in sample]
                for size in range(len(rest) + 1):
                    for more in combinations(rest, size):
                        found = learner.learn([*sample, *more])
                        assert found == c or (model == "sts" and found is None)
                        lost += found is None
    assert lost > 0
    assert Learner(threshold_class(3), "ts").learn([]) is None
    assert Learner(ConceptClass([[0, 1]]), "ts").learn([]) == 0


def test_a_plan_takes_as_many_examples_as_the_hierarchy():
    rng = np.random.default_rng(4)
    for concepts in [monomial_class(2), *(random_class(rng) for _ in range(20))]:
        plan, found = concepts.teaching_plan(), concepts.teach("rts")
        assert max(len(sample) for _, sample in plan) == found.dimension
        assert sorted(c for c, _ in plan) == list(range(concepts.n_concepts))
        for place, (c, sample) in enumerate(plan):
            later = [d for d, _ in plan[place + 1 :]]
            assert all(any(concepts.matrix[c, x] != concepts.matrix[d, x] for x in sample) for d in later)
    assert monomial_class(2).teach("rts").hierarchy == [([0], 2), ([1, 2, 3, 6], 2), ([4, 5, 7, 8], 1), ([9], 0)]


def test_redundant_instances_leave_all_other_teaching_sets_as_they_are():
    concepts = ConceptClass.of_sets(TABLE_6, 5)
    assert [len(sets) for sets in concepts.teach().families] == [3, 2, 3, 2, 2, 2]
    assert concepts.redundant_instances() == [3, 4]
    smaller, kept = concepts.reduced()
    assert kept == [0, 1, 2]
    before = [[each for each in sets if set(each) <= set(kept)] for sets in concepts.teach().families]
    assert smaller.teach().families == before
    # Table 7: a class that stays as large without its first instance, which is not redundant all the same.
    four = ConceptClass.of_sets([[0, 1, 2], [1], [2], []], 3)
    assert 0 not in four.redundant_instances() and 0 not in four.redundant_instances("sts")


def test_the_subset_teaching_property_is_told_with_a_counterexample():
    assert threshold_class(3).subset_teaching_exception() is None
    left, concept = monomial_class(2).subset_teaching_exception()
    part = ConceptClass(monomial_class(2).matrix[left])
    sets = part.teach().families[left.index(concept)]
    assert len(sets[0]) == 2
    subsets = monomial_class(2).teach("sts").families[concept]
    assert not any(set(small) <= set(large) for small in sets for large in subsets)


def test_vc_dimensions_are_known_ones():
    classes = (singleton_class(5), threshold_class(5), interval_class(6), powerset_class(4))
    assert [concepts.vc_dimension() for concepts in classes] == [1, 1, 2, 4]
    assert monomial_class(3).vc_dimension() == 3


def test_rows_that_teach_a_model_tell_it_from_all_that_differ():
    X, y = load_iris(return_X_y=True)
    predictions = np.array([KNeighborsClassifier(k).fit(X, y).predict(X) for k in (1, 1, 3, 5, 9, 20, 50)])
    for exact in (True, False):
        found = teaching_rows(predictions, 0, exact=exact)
        agrees = np.all(predictions[:, list(found.rows)] == found.labels, axis=1)
        assert np.flatnonzero(agrees).tolist() == [0, *found.alike] and found.alike == [1]
    named = np.array(["a", "b", "c"])[predictions]
    assert teaching_rows(named).rows == teaching_rows(predictions).rows
    assert teaching_rows(predictions[:2]).rows == ()


def test_a_class_that_is_none_is_refused():
    for concepts, words in (
        ([[0, 1], [0, 1]], "concepts 0 and 1 are equal"), ([], "shape"), ([0, 1], "shape"),
        ([[np.nan, 1.0], [0.0, 1.0]], "not finite"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            ConceptClass(concepts)
    with pytest.raises(ValueError, match="instance 3"):
        ConceptClass.of_sets([[3]], 3)
    with pytest.raises(ValueError, match="names"):
        ConceptClass([[0], [1]], names=["one"])
    two = ConceptClass([[0], [1]])
    for call, words in (
        (lambda: two.teach("xts"), "'xts'"), (lambda: two.teaching_set(2), "no concept 2"),
        (lambda: two.teaching_set(0, method="fast"), "'fast'"), (lambda: two.redundant_instances("rts"), "'rts'"),
        (lambda: Teacher(two).teach(-1), "no concept -1"), (lambda: Learner(two).learn([(1, 0)]), "no instance 1"),
        (lambda: ConceptClass([[0], [1], [2]]).vc_dimension(), "3 labels"), (lambda: singleton_class(0), "too small"),
        (lambda: interval_class(6).subset_teaching_exception(), "at most 16"),
        (lambda: monomial_class(3).teach(max_sets=2), "more than 2 smallest sets"),
        (lambda: teaching_rows([[0, 1]], 1), "no model 1"), (lambda: teaching_rows([0, 1]), "shape"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            call()
    assert dimensions(ConceptClass([[0, 1, 1]])) == (0, 0, 0, 0)


def test_the_examples_of_large_classes_are_found_by_greed():
    monomials = monomial_class(6)
    false = monomials.n_concepts - 1
    assert len(monomials.teaching_set(false, method="greedy")) == 64
    assert len(monomials.teaching_set(0, method="greedy")) == 2
