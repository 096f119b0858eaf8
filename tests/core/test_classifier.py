"""The front of classifiers: one coding of labels, one tie rule, one wording."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import BaseEstimator

from treatise._core.classifier import (
    LogisticScores,
    ProbabilityClassifier,
    ScoreClassifier,
    SoftmaxScores,
    check_classes,
    classes_and_codes,
    codes_among,
    codes_from_scores,
    row_weights,
    signs_of,
)


class Given(ScoreClassifier, BaseEstimator):
    """Its scores are the rows themselves."""

    def fit(self, X, y):
        self._code_labels(y)
        return self

    def _scores(self, X):
        return np.asarray(X, float)


class OnlyTwo(Given):
    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def test_labels_become_positions_in_sorted_classes():
    model = Given()
    assert model._code_labels(["b", "a", "c", "a"]).tolist() == [1, 0, 2, 0]
    assert model.classes_.tolist() == ["a", "b", "c"]


def test_classes_alone_may_be_one():
    classes, codes = classes_and_codes([2, 2])
    assert (classes.tolist(), codes.tolist()) == ([2], [0, 0])


@pytest.mark.parametrize(("y", "shown"), [(["a", "a"], "'a'"), ([3, 3], "3"), ([True], "True")])
def test_one_class_is_refused_by_its_name(y, shown):
    with pytest.raises(ValueError, match=f"y holds one class only, {shown}; a classifier needs at least two"):
        Given().fit(None, y)


def test_what_else_needs_two_classes_is_named_in_the_refusal():
    with pytest.raises(ValueError, match="one class only, 3; a distance needs at least two: give more"):
        check_classes(np.array([3]), who="a distance", why=": give more")


def test_numbers_with_fractions_are_no_classes():
    with pytest.raises(ValueError, match="Unknown label type"):
        Given().fit(None, [0.5, 1.25, 2.0])


def test_a_machine_for_two_classes_refuses_three():
    with pytest.raises(ValueError, match=r"Only binary classification is supported. The type of the target is multic"):
        OnlyTwo().fit(None, [0, 1, 2])
    assert OnlyTwo().fit(None, ["x", "y"]).classes_.tolist() == ["x", "y"]


def test_a_score_of_zero_means_the_first_class_and_of_equals_the_first():
    two = Given().fit(None, ["a", "b"])
    assert two.predict([[-1.0], [0.0], [1e-300]]).tolist() == ["a", "a", "b"]
    assert two.predict([[2.0, 2.0], [1.0, 3.0]]).tolist() == ["a", "b"]
    three = Given().fit(None, ["a", "b", "c"])
    assert three.predict([[0.0, 0.0, 0.0], [0.0, 1.0, 1.0]]).tolist() == ["a", "b"]


def test_the_score_of_two_classes_is_the_lead_of_the_second():
    two = Given().fit(None, [0, 1])
    np.testing.assert_array_equal(two.decision_function([[1.5]]), [1.5])
    np.testing.assert_array_equal(two.decision_function([[1.5, 4.0]]), [2.5])
    assert Given().fit(None, [0, 1, 2]).decision_function([[1.0, 2.0, 3.0]]).shape == (1, 3)


def test_probabilities_follow_the_scores():
    class Logistic(LogisticScores, Given):
        pass

    class Softmax(SoftmaxScores, Given):
        pass

    scores = np.array([[0.3, -1.0, 2.0]])
    np.testing.assert_allclose(Logistic().fit(None, [0, 1]).predict_proba([[0.3]]), [[1 - expit(0.3), expit(0.3)]])
    np.testing.assert_allclose(
        Logistic().fit(None, [0, 1, 2]).predict_proba(scores), expit(scores) / expit(scores).sum()
    )
    # Scores at which every probability underflows.
    np.testing.assert_allclose(Logistic().fit(None, [0, 1, 2]).predict_proba([[-800.0] * 3]), 1 / 3)
    np.testing.assert_allclose(
        Softmax().fit(None, [0, 1, 2]).predict_proba(scores), np.exp(scores) / np.exp(scores).sum()
    )
    # Small probabilities keep their digits on both sides.
    np.testing.assert_allclose(Logistic().fit(None, [0, 1]).predict_proba([[50.0]]), [[np.exp(-50.0), 1.0]], rtol=1e-12)
    # With two classes the softmax of (0, s) is the logistic function of s.
    np.testing.assert_allclose(Softmax().fit(None, [0, 1]).predict_proba([[0.3]])[0, 1], expit(0.3))


def test_joint_probabilities_are_normalised_without_underflow():
    class Joint(ProbabilityClassifier, BaseEstimator):
        def _joint_log_proba(self, X):
            return np.asarray(X, float)

    model = Joint()
    model._code_labels(["a", "b"])
    joint = np.array([[-2000.0, -2000.0 + np.log(3.0)]])
    np.testing.assert_allclose(model.predict_proba(joint), [[0.25, 0.75]])
    assert model.predict(joint).tolist() == ["b"]
    assert model.predict([[-1.0, -1.0]]).tolist() == ["a"]


def test_signs_are_one_machine_for_two_classes_and_one_for_each_of_more():
    assert [s.tolist() for s in signs_of(np.array([0, 1, 1]), 2)] == [[-1, 1, 1]]
    assert [s.tolist() for s in signs_of(np.array([0, 2, 1]), 3)] == [[1, -1, -1], [-1, -1, 1], [-1, 1, -1]]


def test_a_label_that_no_class_has_is_named():
    assert codes_among(np.array(["b", "a"]), np.array(["a", "b"])).tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"y holds \['z'\], not among the classes \['a', 'b', 'c'\]"):
        codes_among(np.array(["a", "z"]), np.array(["a", "b", "c"]))


def test_weights_multiply_and_two_classes_must_count():
    codes, classes = np.array([0, 0, 1]), np.array(["a", "b"])
    counts, factors = row_weights(codes, classes, [1.0, 2.0, 3.0], {"a": 1.0, "b": 4.0})
    assert counts.tolist() == [1.0, 2.0, 3.0] and factors.tolist() == [1.0, 1.0, 4.0]
    with pytest.raises(ValueError, match=r"only \['a'\] of the classes of y have a weight above zero"):
        row_weights(codes, classes, [1.0, 1.0, 0.0])
    with pytest.raises(ValueError, match="one class only"):
        row_weights(np.array([0]), np.array(["a"]))


def test_codes_read_one_column_as_a_single_score():
    assert codes_from_scores(np.array([[-1.0], [2.0]])).tolist() == [0, 1]
