"""Which methods take part, by name, paper, family, kind and pattern; and the rules of a comparison."""

import pytest

from treatise._core.errors import TreatiseError
from treatise.compare.candidates import all_candidates, chosen_candidates
from treatise.compare.rules import Rules


@pytest.fixture(scope="module")
def binary():
    return all_candidates("binary")


GUESS = "DummyClassifier"
"""Takes part beside whatever is included."""


def labels(candidates):
    return {candidate.label for candidate in candidates}


def included(candidates, *names):
    return chosen_candidates(candidates, names, [GUESS])


def test_nothing_said_means_everybody(binary):
    assert chosen_candidates(binary) == binary


@pytest.mark.parametrize(
    "name", ["AROW", "arow", "v15-0495/AROW", "treatise.online.AROW", "*/AROW", "ar?w"]
)  # fmt: skip
def test_one_method_by_any_of_its_names(binary, name):
    assert labels(chosen_candidates(binary, [name])) == {"AROW", GUESS}
    assert labels(included(binary, name)) == {"AROW"}


def test_families_papers_and_baselines_are_groups(binary):
    baselines = chosen_candidates(binary, ["baselines"])
    assert baselines and all(c.paper is None for c in baselines)
    assert {c.key for c in included(binary, "papers")} == {c.key for c in binary} - {c.key for c in baselines}
    assert all(c.paper.family == "svm" for c in included(binary, "svm"))
    assert all(c.paper.id == "v15-0495" for c in included(binary, "v15-0495"))
    assert labels(chosen_candidates(binary, ["sklearn"])) == labels(baselines) - {
        "LightGBMClassifier", "XGBoostClassifier", "CatBoostClassifier",
    }  # fmt: skip


def test_what_is_excluded_leaves_and_order_stays(binary):
    some = chosen_candidates(binary, ["svm", "baselines"], ["sklearn.svm.*", "Dummy*"])
    assert {"SVC", "DummyClassifier"}.isdisjoint(labels(some))
    assert [c for c in binary if c in some] == some


@pytest.mark.parametrize(
    ("include", "exclude", "sentence"),
    [
        (["AROV"], [], "did you mean 'AROW'"),
        ([], ["smv"], "did you mean 'svm'"),
        (["Ridge"], [], "takes regression tasks"),
        (["zzzzzz"], [], "`treatise list` names"),
        (["svm"], ["svm"], "no method is left"),
    ],
)
def test_a_name_that_means_nobody_is_told_with_those_that_are_close(binary, include, exclude, sentence):
    with pytest.raises(TreatiseError, match=sentence):
        chosen_candidates(binary, include, exclude)


@pytest.mark.parametrize(
    ("wrong", "word"),
    [({"margin": -0.1}, "margin"), ({"prefer": "fast"}, "balanced"), ({"folds": 1}, "folds"), ({"keep": 0}, "keeping")],
)
def test_impossible_rules_are_refused(wrong, word):
    with pytest.raises(TreatiseError, match=word):
        Rules(**wrong)
