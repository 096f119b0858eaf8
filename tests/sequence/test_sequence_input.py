"""Sequences and labels that do not belong together are refused alike by every learner of sequences."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from treatise.sequence import CRF, HMM, OutputSpaceSearch, RecurrentClassifier, SemiCRF, SequenceTagger

LABELS = [["x", "y", "x", "y"]] * 5
FEATURES = [[{"a": 1.0, "b": float(t % 2)} for t in range(4)]] * 5
ARRAYS = [np.arange(8.0).reshape(4, 2) % 3] * 5
SYMBOLS = [list("abab")] * 5

LEARNERS = {
    "CRF": (CRF(max_iter=2), FEATURES),
    "CRF, arrays": (CRF(max_iter=2), ARRAYS),
    "CRF, majorised": (CRF(solver="majorized", max_iter=2), FEATURES),
    "SemiCRF": (SemiCRF(max_iter=2), FEATURES),
    "OutputSpaceSearch": (OutputSpaceSearch(epochs=1, random_state=0), ARRAYS),
    "OutputSpaceSearch, dagger": (OutputSpaceSearch(epochs=1, training="dagger", random_state=0), FEATURES),
    "RecurrentClassifier": (RecurrentClassifier(epochs=1, random_state=0), FEATURES),
    "HMM": (HMM(), SYMBOLS),
}


@pytest.fixture(params=LEARNERS)
def learner(request):
    return LEARNERS[request.param]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([*LABELS[:4], ["x", "y"]], r"4 positions and 2 labels|has 2 positions and its sequence 4"),
        (LABELS[:4], r"5 sequences and (labels|segments) for 4|4 sequences of labels were given for 5"),
        ([1, 2, 3, 4, 5], r"labels of sequence 0 .* are 1; they must be a list|labels\[0\] must hold a symbol"),
        ([*LABELS[:4], ["x", "y", "x", None]], r"some labels are strings and some are not|labels\[4\] holds None"),
    ],
)
def test_labels_of_other_lengths_or_kinds_are_refused_in_training(learner, labels, message):
    model, sequences = learner
    with pytest.raises(ValueError, match=message):
        model.fit(sequences, labels)


def test_an_empty_sequence_is_named_and_so_is_none_at_all(learner):
    model, sequences = learner
    empty = [*sequences[:4], sequences[4][:0]]
    with pytest.raises(ValueError, match=r"(sequence 4 .*|sequences\[4\]) is empty"):
        model.fit(empty, [*LABELS[:4], []])
    with pytest.raises(ValueError, match=r"no sequences were given|sequences is empty"):
        model.fit([], [])
    model.fit(sequences, LABELS)
    with pytest.raises(ValueError, match=r"(sequence 4 .*|sequences\[4\]) is empty"):
        model.predict(empty)
    with pytest.raises(ValueError, match=r"no sequences were given|sequences is empty"):
        model.predict([])


@pytest.mark.parametrize("seed", range(6))
def test_sequences_held_out_in_training_are_checked_too(seed):
    search = OutputSpaceSearch(epochs=1, training="dagger", validation_fraction=0.5, random_state=seed)
    with pytest.raises(ValueError, match=r"sequence 2 \(counted from 0\) has 4 positions and 3 labels"):
        search.fit(ARRAYS, [*LABELS[:2], ["x", "y", "x"], *LABELS[:2]])
    with pytest.raises(ValueError, match=r"sequence 2 \(counted from 0\) is empty"):
        search.fit([*ARRAYS[:2], ARRAYS[0][:0], *ARRAYS[:2]], LABELS)


@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "HMM"])
def test_labels_of_other_lengths_are_refused_in_scoring(name):
    model, sequences = LEARNERS[name]
    model.fit(sequences, LABELS)
    asked = [model.score, *(getattr(model, more) for more in ("log_probability", "anytime_curve", "cost")
                            if hasattr(model, more))]  # fmt: skip
    for ask in asked:
        with pytest.raises(ValueError, match="4 positions and 2 labels"):
            ask(sequences, [*LABELS[:4], ["x", "y"]])
        with pytest.raises(ValueError, match=r"5 sequences and (labels|segments) for 4"):
            ask(sequences, LABELS[:4])
        with pytest.raises(ValueError, match="must be a list"):
            ask(sequences, [1, 2, 3, 4, 5])


@pytest.mark.parametrize("name", [name for name in LEARNERS if name != "HMM"])
def test_an_unknown_label_is_never_right_and_has_no_probability(name):
    model, sequences = LEARNERS[name]
    model.fit(sequences, LABELS)
    unknown = [["q"] * 4] * 5
    assert model.score(sequences, unknown) == 0.0
    for more in ("log_probability", "cost", "exact_imitation_score"):
        if hasattr(model, more):
            with pytest.raises(ValueError, match="'q' did not occur in training"):
                getattr(model, more)(sequences, unknown)


def test_an_unknown_symbol_is_named():
    model = HMM().fit(SYMBOLS, LABELS)
    for ask in (model.predict, model.predict_proba, model.score):
        with pytest.raises(ValueError, match=r"sequences\[0\] holds 'z', which is not among the 2 symbols"):
            ask([list("abz")])
    with pytest.raises(ValueError, match=r"sequences\[1\] holds None"):
        HMM().fit([list("ab"), ["a", None]], [["x", "y"]] * 2)
    texts = np.array(["a", "b"], dtype=object)
    assert HMM().fit([texts, texts], [["x", "y"]] * 2).predict([texts])[0].tolist() == ["x", "y"]


@pytest.mark.parametrize("name", ["CRF", "SemiCRF", "OutputSpaceSearch", "RecurrentClassifier"])
def test_tables_and_columns_of_dictionaries_are_sequences_in_every_form(name):
    model, _ = LEARNERS[name]
    expected = model.fit(ARRAYS, LABELS).predict(ARRAYS)
    for make in (pd.DataFrame, pl.DataFrame, np.ndarray.tolist):
        assert model.fit([make(x) for x in ARRAYS], LABELS).predict([make(x) for x in ARRAYS]) == expected
    expected = model.fit(FEATURES, LABELS).predict(FEATURES)
    columns = [pd.Series(each, index=range(5, 9)) for each in FEATURES]
    assert model.fit(columns, LABELS).predict(columns) == expected
    for wrong, message in (
        (pd.DataFrame(ARRAYS[0]), "one array of two dimensions"),
        ([1, 2], "sequence 0 .* is a int"),
        ([iter(FEATURES[0])], "sequence 0 .* a sequence is a list"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(wrong, LABELS)


def test_a_table_with_fewer_labels_than_rows_is_refused():
    words = pl.DataFrame({"sentence": [0, 0, 1, 1], "form": ["a", "b", "a", "b"]})
    with pytest.raises(ValueError, match="4 rows and 3 labels"):
        SequenceTagger(CRF(max_iter=1)).fit(words, ["x", "y", "x"])
