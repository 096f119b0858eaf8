"""DD-SVM, MI-SVM and mi-SVM: limits that are ordinary machines, fixed points, and what tells them apart."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.svm import SVC

from treatise.applications import DDSVM, MISVM, Bags, bag_features, miSVM
from treatise.datasets import make_concept_bags
from treatise.io import load_model, save_model

PLAIN = {"scale": None, "threshold": 0.0, "class_weight": None}


@pytest.fixture
def single():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    return X, (X[:, 0] + 0.5 * rng.normal(size=40) > 0).astype(int), rng.normal(size=(30, 2))


@pytest.mark.parametrize("kind", [DDSVM, MISVM, miSVM])
def test_bags_that_are_all_alike_get_one_answer(kind):
    bags = [np.full((3, 2), 4.0)] * 8
    model = kind().fit(bags, [0, 1] * 4)
    assert len(set(model.predict(bags))) == 1


@pytest.mark.parametrize("kind", [MISVM, miSVM])
def test_bags_of_one_instance_give_an_ordinary_machine(kind, single):
    X, y, new = single
    model = kind(gamma=0.5, max_iter=1 if kind is MISVM else 50, **PLAIN)
    if kind is miSVM:
        model.set_params(C=1e4, gamma=50.0)  # every row gets its own label, so that none is changed
    model.fit(X[:, np.newaxis], y)
    plain = SVC(C=model.C, gamma=model.gamma, tol=1e-3).fit(X, y)
    # The rows come in another order, and the solver ends within its tolerance.
    np.testing.assert_allclose(model.decision_function(new[:, np.newaxis]), plain.decision_function(new), atol=5e-3)
    assert model.converged_


def test_dd_svm_is_an_ordinary_machine_on_the_distances(single):
    X, y, new = single
    model = DDSVM(C=3.0, gamma=0.1).fit(X[:, np.newaxis], y)
    features = bag_features(X[:, np.newaxis], model.prototypes_, model.weights_)
    plain = SVC(C=3.0, gamma=0.1).fit(features, y)
    np.testing.assert_allclose(
        model.decision_function(new[:, np.newaxis]), plain.decision_function(model.transform(new[:, np.newaxis])),
        atol=5e-3,
    )  # fmt: skip


def test_mi_svm_is_the_machine_of_the_instances_that_it_chooses():
    bags, y = make_concept_bags(40, random_state=0)
    model = MISVM(gamma=0.5, **PLAIN).fit(bags, y)
    assert model.converged_
    scores = model.instance_scores(bags)
    chosen = np.array([bag[np.argmax(score)] for bag, score, label in zip(bags, scores, y) if label])
    negatives = np.vstack([bag for bag, label in zip(bags, y) if not label])
    plain = SVC(gamma=0.5).fit(np.vstack([chosen, negatives]), np.r_[np.ones(len(chosen)), -np.ones(len(negatives))])
    for bag, score in zip(bags, scores):
        np.testing.assert_allclose(score, plain.decision_function(bag), atol=5e-3)
    np.testing.assert_array_equal(model.decision_function(bags), [score.max() for score in scores])


def test_mi_svm_begins_with_the_means_of_the_positive_bags():
    bags, y = make_concept_bags(20, random_state=1)
    with pytest.warns(ConvergenceWarning, match="still changed after max_iter=1 rounds"):
        model = MISVM(gamma=0.5, max_iter=1, **PLAIN).fit(bags, y)
    means = Bags.from_list(bags).means()[y == 1]
    negatives = np.vstack([bag for bag, label in zip(bags, y) if not label])
    plain = SVC(gamma=0.5).fit(np.vstack([means, negatives]), np.r_[np.ones(10), -np.ones(len(negatives))])
    np.testing.assert_allclose(
        np.concatenate(model.instance_scores(bags)), plain.decision_function(np.vstack(bags)), atol=5e-3
    )
    assert not model.converged_


def test_mi_svm_of_all_labels_rests_on_the_labels_that_it_gives():
    bags, y = make_concept_bags(30, random_state=2)
    model = miSVM(C=10.0, gamma=0.5, **PLAIN).fit(bags, y)
    assert model.converged_
    labels = []
    for score, label in zip(model.instance_scores(bags), y):
        own = np.where(score > 0, 1.0, -1.0) if label else np.full(len(score), -1.0)
        if label:
            own[np.argmax(score)] = 1.0
        labels.append(own)
    plain = SVC(C=10.0, gamma=0.5).fit(np.vstack(bags), np.concatenate(labels))
    found = np.concatenate(model.instance_scores(bags))
    np.testing.assert_allclose(found, plain.decision_function(np.vstack(bags)), atol=0.02)


def test_one_concept_is_learned_by_all():
    for kind in (DDSVM, MISVM, miSVM):
        right = []
        for seed in range(3):
            bags, y = make_concept_bags(80, random_state=seed)
            fresh, truth = make_concept_bags(200, random_state=100 + seed)
            right.append(kind().fit(bags, y).score(fresh, truth))
        # To call all instances of a positive bag positive at first, most of which are noise, costs mi-SVM much.
        assert np.mean(right) >= (0.65 if kind is miSVM else 0.9), kind


def test_two_concepts_together_need_more_than_one_instance():
    ahead, right = [], []
    for seed in range(10):
        bags, y = make_concept_bags(80, n_concepts=2, random_state=seed)
        fresh, truth = make_concept_bags(200, n_concepts=2, random_state=100 + seed)
        right.append(DDSVM().fit(bags, y).score(fresh, truth))
        ahead.append(right[-1] - MISVM().fit(bags, y).score(fresh, truth))
    assert np.mean(right) >= 0.9 and np.mean(ahead) >= 0.2


def test_several_classes_are_told_apart_each_against_the_rest():
    rng = np.random.default_rng(3)
    centres = np.array([[0.0, 0.0], [4.0, 4.0], [-4.0, 4.0]])
    y = np.repeat(["a", "b", "c"], 12)
    bags = [
        np.vstack([rng.uniform(-8, 8, (3, 2)), centres["abc".index(label)] + 0.2 * rng.normal(size=2)]) for label in y
    ]
    for kind in (DDSVM, MISVM):
        model = kind().fit(bags[::2], y[::2])
        assert model.decision_function(bags).shape == (36, 3)
        assert model.score(bags[1::2], y[1::2]) >= 0.6, kind
    machines = DDSVM().fit(bags, y)
    alone = DDSVM().fit(bags, y == "b")
    np.testing.assert_allclose(machines.decision_function(bags)[:, 1], alone.decision_function(bags), atol=5e-3)


def test_another_machine_can_learn_from_the_distances():
    bags, y = make_concept_bags(40, random_state=4)
    model = DDSVM(svm=LogisticRegression()).fit(bags, y)
    assert isinstance(model.svms_[0], LogisticRegression) and model.score(bags, y) >= 0.9


def test_the_tools_of_scikit_learn_take_bags(tmp_path):
    bags, y = make_concept_bags(40, random_state=5)
    assert cross_val_score(MISVM(), bags, y, cv=3).shape == (3,)
    search = GridSearchCV(MISVM(), {"C": [0.1, 1.0]}, cv=2).fit(bags, y)
    for model in (search.best_estimator_, DDSVM(max_starts=10, random_state=0).fit(bags, y)):
        save_model(model, tmp_path / "model.skops")
        again = load_model(tmp_path / "model.skops").model
        np.testing.assert_array_equal(again.decision_function(bags), model.decision_function(bags))
