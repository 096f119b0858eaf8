"""Features of sequences: names and values, words, templates."""

import pickle

import numpy as np
import pytest

from treatise.sequence import FeatureTemplates, SequenceVectorizer, word_features


def columns_of(position):
    rows, _ = SequenceVectorizer().fit_transform([[position]])
    vectorizer = SequenceVectorizer().fit([[position]])
    return dict(zip(vectorizer.get_feature_names_out(), rows.toarray()[0]))


def test_the_conventions_of_crfsuite():
    assert columns_of({"word": "cat", "upper": True, "lower": False, "n": 3, "x": np.float32(0.5)}) == {
        "word:cat": 1.0, "upper": 1.0, "lower": 0.0, "n": 3.0, "x": 0.5,
    }  # fmt: skip
    assert columns_of({"near": {"left": "a", "right": {"x": 2.0}}}) == {"near:left:a": 1.0, "near:right:x": 2.0}
    assert columns_of({"tags": ["a", "b"]}) == {"tags:a": 1.0, "tags:b": 1.0}
    assert columns_of(["a", "b", "a"]) == {"a": 2.0, "b": 1.0}


def test_the_same_names_as_crfsuite():
    pycrfsuite = pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed")
    position = {"word": "cat", "upper": True, "n": 3, "near": {"left": "a", "r": 2.0}, "tags": ["b", "c"]}
    theirs = pycrfsuite.ItemSequence([position]).items()[0]
    assert columns_of(position) == pytest.approx(theirs)


def test_unknown_names_are_left_out_and_names_survive_a_pickle():
    vectorizer = SequenceVectorizer().fit([[["a", "\u00e9\u4e2d", ""]]])
    again = pickle.loads(pickle.dumps(vectorizer))
    assert again.vocabulary_ == vectorizer.vocabulary_
    rows, lengths = again.transform([[["b", "\u00e9\u4e2d"], []], [["a"]]])
    assert rows.toarray().tolist() == [[0, 1, 0], [0, 0, 0], [1, 0, 0]]
    assert lengths.tolist() == [2, 1]


def test_what_is_no_feature_is_named_with_its_place():
    with pytest.raises(ValueError, match=r"position 1 of sequence 0 .* is a NoneType"):
        SequenceVectorizer().fit([[{"a": 1}, {"a": None}]])
    with pytest.raises(ValueError, match="holds 3; names of features are strings"):
        SequenceVectorizer().fit([[[3]]])


def test_words_have_shapes_affixes_and_neighbours():
    [first, second] = word_features(["McX-99", "ran"], window=2, affix=2)
    assert first["shape"] == "XxX-9" and first["prefix2"] == "mc" and first["suffix1"] == "9"
    assert first["word+1"] == "ran" and "word-1" not in first and "first" in first and "last" not in first
    assert second["word-1"] == "mcx-99" and "word+1" not in second and "last" in second


def test_templates_look_around_and_beyond_the_ends():
    rows = [("a", "A"), ("b", "B"), ("c", "C")]
    templates = FeatureTemplates("# words\nU0:%x[-2,0]\nU1:%x[0,1]|%x[ 1 , 0 ]\nUbias\n\nB\n")
    assert templates.apply(rows) == [
        ["U0:_B-2", "U1:A|b", "Ubias"],
        ["U0:_B-1", "U1:B|c", "Ubias"],
        ["U0:a", "U1:C|_B+1", "Ubias"],
    ]


def test_bad_templates_are_named():
    with pytest.raises(ValueError, match=r"line 2 .* begins with neither"):
        FeatureTemplates("U0:%x[0,0]\nX1:%x[0,0]")
    with pytest.raises(ValueError, match=r"line 1 .* is not"):
        FeatureTemplates("U0:%y[0,0]")
    with pytest.raises(ValueError, match="column 2 and position 0 has 1 columns"):
        FeatureTemplates("U0:%x[0,2]").apply([("a",)])
