"""Tables of positions as learners of sequences take them: features, arrays, symbols, segments."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from treatise.io import load_model, save_model
from treatise.sequence import CRF, HMM, HMMDecoder, OutputSpaceSearch, SemiCRF, SequenceTagger
from treatise.sequence.tagger._position_columns import UNKNOWN, PositionColumns
from treatise.sequence.tagger.tagger import are_chunks, chunk_labels, chunks, runs

LEARNERS = {
    "CRF": CRF(max_iter=30),
    "HMM": HMM(smoothing=0.01, reg_covar=0.1),
    "SemiCRF": SemiCRF(max_iter=30, max_segment_length=3),
    "OutputSpaceSearch": OutputSpaceSearch(sparsity=2, epochs=5, random_state=0),
    "LogisticRegression": LogisticRegression(),
}


def positions_of(words, texts=None, ends=None):
    n = len(words or next(iter(texts.values())))
    return PositionColumns(words, texts or {}, np.empty((n, 0)), [], ends or [n])


@pytest.fixture
def regimes():
    """Forty sequences of numbers around 0 or 5 by a label that lasts, and a column of noise."""
    rng = np.random.default_rng(0)
    labels = np.repeat(rng.integers(0, 2, 120), 5)
    frame = pl.DataFrame(
        {
            "sentence": np.repeat(np.arange(40), 15),
            "level": 5.0 * labels + rng.normal(size=600),
            "noise": rng.integers(0, 9, 600),
        }
    )
    return frame, np.where(labels == 1, "high", "low")


def test_symbols_met_once_share_what_they_look_like():
    words = ["runs", "runs", "walking", "talking", "Zed", "Yak", "7", "%"]
    symbols = positions_of(words).symbols()[0]
    assert symbols[0] == symbols[1] == "0|runs"
    assert symbols[2] == symbols[3] == "1|xing"
    assert symbols[4] == symbols[5] == "2|Xx"
    assert symbols[6] == symbols[7] == UNKNOWN
    known = set(symbols)
    assert positions_of(["RUNS", "singing", "Wim", "dog"]).symbols(known)[0] == ["0|runs", "1|xing", "2|Xx", UNKNOWN]


def test_symbols_of_several_texts_fall_back_to_the_least_varied():
    texts = {"kind": list("aabb"), "mark": list("xyzw")}
    assert positions_of(None, texts).symbols()[0] == ["1|a", "1|a", "1|b", "1|b"]
    assert positions_of(None, {"kind": list("aaab"), "mark": list("xxyz")}).symbols()[0] == [
        "0|a\tx", "0|a\tx", UNKNOWN, UNKNOWN,
    ]  # fmt: skip


def test_a_hidden_markov_model_learns_by_counting_symbols():
    words = pl.DataFrame({"sentence": [0, 0, 0, 1, 1, 1], "form": ["the", "cat", "sings", "the", "dog", "rings"]})
    tags = list("DNVDNV")
    tagger = SequenceTagger(HMM(smoothing=0.1), decoding="sequence").fit(words, tags)
    symbols = [["0|the", "2|x", "1|xngs"], ["0|the", "2|x", "1|xngs"]]
    by_hand = HMM(smoothing=0.1, alphabet=[*sorted({"0|the", "2|x", "1|xngs"}), UNKNOWN]).fit(
        symbols, [list("DNV"), list("DNV")]
    )
    np.testing.assert_allclose(tagger.learner_.transitions_, by_hand.transitions_)
    np.testing.assert_allclose(tagger.learner_.emission_probabilities_, by_hand.emission_probabilities_)
    new = pl.DataFrame({"sentence": [7, 7, 7], "form": ["the", "bird", "brings"]})
    assert tagger.predict(new).tolist() == tags[:3]


def test_numbers_alone_become_arrays_between_0_and_1(regimes):
    frame, y = regimes
    tagger = SequenceTagger(CRF(max_iter=20), decoding="sequence").fit(frame, y)
    scaled = frame.select((pl.col("level", "noise") - pl.col("level", "noise").min()) / (
        pl.col("level", "noise").max() - pl.col("level", "noise").min()
    )).to_numpy()  # fmt: skip
    by_hand = CRF(max_iter=20).fit(np.split(scaled, 40), [part.tolist() for part in np.split(y, 40)])
    np.testing.assert_allclose(tagger.learner_.coef_, by_hand.coef_)
    # Far values count as the farthest seen, missing ones as the mean.
    mean = frame["level"].mean()
    pair = [
        pl.DataFrame({"sentence": [0], "level": [v], "noise": [4]}) for v in (1e9, None, mean, frame["level"].max())
    ]
    pair[1] = pair[1].with_columns(pl.col("level").cast(pl.Float64))
    seen = [tagger._positions(each).numbers[0, 0] for each in pair]
    assert seen[0] == seen[3] == 1.0 and seen[1] == pytest.approx(seen[2])


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_labels_numbers_and_survives_its_model_file(name, regimes, tmp_path):
    frame, y = regimes
    tagger = SequenceTagger(LEARNERS[name]).fit(frame, y)
    labels = tagger.predict(frame)
    # Two normal densities five deviations apart have 0.6 per cent in common.
    assert np.mean(labels == y) > 0.97
    save_model(tagger, tmp_path / "tagger.skops", metadata={})
    np.testing.assert_array_equal(load_model(tmp_path / "tagger.skops").model.predict(frame), labels)
    assert clone(tagger).get_params()["learner"].get_params() == LEARNERS[name].get_params()


def test_chunks_are_segments_and_come_back_as_they_were():
    path = ["O", "O", "B-a", "I-a", "B-a", "B-b", "I-b", "O"]
    segments = chunks(path)
    assert segments == [(0, 1, "O"), (1, 2, "O"), (2, 4, "a"), (4, 5, "a"), (5, 7, "b"), (7, 8, "O")]
    assert chunk_labels(segments) == path and are_chunks([path])
    assert not are_chunks([["O", "I-a"]]) and not are_chunks([["B-a", "I-b"]]) and not are_chunks([["B-a", "O"]])
    assert not are_chunks([["B-a", "I-a", "N"]]) and not are_chunks([["B-O", "I-O"]]) and not are_chunks([[1, 2]])
    assert runs("aaaab", 3) == [(0, 3, "a"), (3, 4, "a"), (4, 5, "b")] and runs("aab", None) == [
        (0, 2, "a"),
        (2, 3, "b"),
    ]


def test_a_segment_learner_writes_chunks_even_if_longer_than_its_limit():
    sentence = ["we", "met", "Ann", "Lee", "Roe", "and", "Bo", "Day", "."]
    tags = ["O", "O", "B-who", "I-who", "I-who", "O", "B-who", "I-who", "O"]
    frame = pl.DataFrame({"sentence": np.repeat(np.arange(6), 9), "form": sentence * 6})
    tagger = SequenceTagger(SemiCRF(max_segment_length=2, l2=0.1)).fit(frame, tags * 6)
    assert tagger.learner_.max_segment_length_ == 3 and tagger.decoding_ == "sequence"
    assert tagger.predict(frame[:9]).tolist() == tags
    new = pl.DataFrame({"sentence": [0] * 6, "form": ["we", "met", "Cy", "Fox", "and", "."]})
    assert are_chunks([tagger.predict(new).tolist()])


def test_the_decoding_that_is_right_more_often_is_taken():
    # States that last, seen through much noise: the most probable path stays in one of them.
    rng = np.random.default_rng(0)
    states = np.concatenate([[0], (np.cumsum(rng.random(2999) < 0.1)) % 3])
    seen = np.where(rng.random(3000) < 0.4, states, rng.integers(0, 3, 3000))
    frame = pl.DataFrame({"sentence": np.repeat(np.arange(30), 100), "sign": [str(s) for s in seen]})
    taggers = {way: SequenceTagger(HMM(), decoding=way).fit(frame, states) for way in ("sequence", "positions", None)}
    right = {way: np.mean(tagger.predict(frame) == states) for way, tagger in taggers.items()}
    assert right["positions"] > right["sequence"]
    assert taggers[None].decoding_ == "positions" and right[None] == right["positions"]
    hmm = taggers["positions"].learner_
    shown = taggers["positions"]._shown(taggers["positions"]._positions(frame))
    decoder = HMMDecoder(alpha=0, family="linear", constraint="posterior")
    np.testing.assert_array_equal(taggers[None].predict(frame), np.concatenate(hmm.predict(shown, decoder=decoder)))
    crf = SequenceTagger(CRF(), decoding="positions").fit(frame, states)
    marginals = np.concatenate(crf.learner_.predict_marginals(crf._positions(frame).features()))
    np.testing.assert_array_equal(crf.predict(frame), marginals.argmax(axis=1))


def test_the_words_are_found_among_the_columns():
    base = {"sentence": [0, 0], "tag": ["a", "b"]}
    for columns, word in (
        ({**base, "form": ["x", "yy"]}, "form"), (base, None), ({**base, "tag": ["aa", "b"]}, "tag"),
        ({"sentence": [0, 0], "size": [1.0, 2.0]}, None),
    ):  # fmt: skip
        assert SequenceTagger(CRF(max_iter=1)).fit(pl.DataFrame(columns), ["u", "v"]).word_ == word


def test_words_that_a_frame_lacks_are_empty_and_not_called_nan():
    words = {"sentence": [0, 0, 1], "form": ["cats", np.nan, "dogs"]}
    found = SequenceTagger(CRF(max_iter=2)).fit(pd.DataFrame(words), ["N", "V", "N"])
    assert not any("nan" in name for name in found.learner_.vectorizer_.vocabulary_)


def test_tables_that_do_not_fit_are_refused_in_words(regimes):
    frame, y = regimes
    tagger = SequenceTagger(LogisticRegression()).fit(frame, y)
    with pytest.raises(ValueError, match="lack the column 'noise'"):
        tagger.predict(frame.drop("noise"))
    with pytest.raises(ValueError, match="'noise' held numbers at the fit and now holds text"):
        tagger.predict(frame.with_columns(pl.lit("x").alias("noise")))
    with pytest.raises(ValueError, match="'level' holds an infinite number"):
        tagger.predict(frame.with_columns(pl.lit(float("inf")).alias("level")))
    with pytest.raises(ValueError, match="come as ndarray; give a data frame"):
        SequenceTagger().fit(frame.to_numpy(), y)
    with pytest.raises(ValueError, match=r"row 2 \(counted from 0\) has no label"):
        SequenceTagger().fit(frame[:3], ["u", "v", None])
    with pytest.raises(ValueError, match="600 rows and 3 labels"):
        SequenceTagger().fit(frame, y[:3])
    with pytest.raises(ValueError, match="lack the column 'sentence' that says which"):
        SequenceTagger().fit(frame.drop("sentence"), y)
    with pytest.raises(ValueError, match="nothing to learn from"):
        SequenceTagger().fit(frame.select("sentence"), y)
    with pytest.raises(ValueError, match="word='level' must name a column of text"):
        SequenceTagger(word="level").fit(frame, y)
    with pytest.raises(ValueError, match="decoding='beam' must be"):
        SequenceTagger(decoding="beam").fit(frame, y)
    assert len(tagger.predict(frame[:0])) == 0
