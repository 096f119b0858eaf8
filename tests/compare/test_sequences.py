"""Comparisons of sequence learners on sentences in columns."""

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import SGDClassifier

from treatise._core.errors import TreatiseError
from treatise.compare import compare_methods, label_sentences
from treatise.compare._metrics import Predictions, judge
from treatise.compare._problem import sample
from treatise.compare._sequences import is_sequences, read_sequences
from treatise.io import load_model, read_conll, save_model, write_conll
from treatise.sequence import CRF, SequenceTagger

WORDS = {"D": ["the", "a"], "N": ["dog", "cat", "bird", "fish"], "V": ["sees", "hears", "likes"]}


@pytest.fixture
def corpus(tmp_path):
    """Sixty sentences of five words in two columns."""
    generator = np.random.default_rng(0)
    lines = []
    for _ in range(60):
        for tag in "DNVDN":
            lines.append(f"{generator.choice(WORDS[tag])}\t{tag}")
        lines.append("")
    path = tmp_path / "corpus.conll"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_file_of_sentences_becomes_a_problem_of_words(corpus):
    assert is_sequences(corpus, None) and is_sequences("x.txt", "sequence") and not is_sequences("x.csv", None)
    problem = read_sequences(corpus, None)
    assert (problem.task, problem.target, problem.n_rows) == ("sequence", "1", 300)
    assert problem.X.columns == ["sentence", "0"]
    assert problem.groups.max() == 59
    part = sample(problem, 50, 0)
    assert 50 <= part.n_rows < 300 and np.all(np.bincount(part.groups) == 5)


def test_treebanks_use_the_words_alone(tmp_path):
    row = "1\tdog\tdog\tNOUN\tNN\t_\t0\troot\t_\t_\n"
    path = tmp_path / "bank.conllu"
    path.write_text("".join(row + "\n" for _ in range(5)), encoding="utf-8")
    problem = read_sequences(path, None)
    assert problem.target == "upos" and problem.X.columns == ["sentence", "form"]
    assert read_sequences(path, "xpos").y[0] == "NN"
    with pytest.raises(TreatiseError, match="no column 'tag'; the file has id, form"):
        read_sequences(path, "tag")


def test_sentences_count_as_right_only_as_a_whole():
    found = Predictions(np.array(list("aabb")), None, None, np.array([0, 0, 1, 1]))
    measures = judge(np.array(list("aaab")), found, "sequence", np.array(["a", "b"]))
    assert measures["accuracy"] == 0.75 and measures["sentence_accuracy"] == 0.5


@pytest.mark.parametrize("learner", [None, CRF(order=2), SGDClassifier(loss="log_loss", random_state=0)])
def test_a_tagger_learns_with_any_learner_and_survives_its_model_file(learner, corpus, tmp_path):
    problem = read_sequences(corpus, None)
    tagger = SequenceTagger(learner, word="0").fit(problem.X, problem.y)
    assert np.mean(tagger.predict(problem.X) == problem.y) == 1.0
    save_model(tagger, tmp_path / "tagger.skops", metadata={})
    again = load_model(tmp_path / "tagger.skops").model
    np.testing.assert_array_equal(again.predict(problem.X), problem.y)
    with pytest.raises(ValueError, match="lack the column '0'"):
        tagger.predict(pl.DataFrame({"sentence": [0], "form": ["dog"]}))


def test_comparison_leaves_a_board_a_report_and_a_model_that_labels(corpus, tmp_path):
    comparison = compare_methods(corpus, budget=40, output=tmp_path / "run", jobs=1)
    labels = comparison.leaderboard["label"].to_list()
    assert "CRF" in labels and "MultinomialNB" in labels
    assert comparison.run["data"]["task"] == "sequence" and comparison.run["folds"]["grouped"]
    entry = comparison.run["leaderboard"][0]
    assert entry["score"] == 1.0 and entry["metrics"]["sentence_accuracy"] == 1.0
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "labels of sequences, 3 labels" in page and ">F1<" in page and "treatise label best.skops" in page
    assert [effect["column"] for effect in comparison.run["best"]["importance"]] in ([], ["0"])
    sentences = label_sentences(comparison.best, read_conll(corpus))
    assert sentences[0]["1"] == list("DNVDN")
    write_conll(tmp_path / "out.conll", sentences)
    assert read_conll(tmp_path / "out.conll")[0]["1"] == list("DNVDN")


def test_too_few_sentences_and_foreign_models_are_refused(tmp_path):
    path = tmp_path / "tiny.conll"
    path.write_text("a\tX\n\nb\tY\n\n", encoding="utf-8")
    with pytest.raises(TreatiseError, match="holds 2 sentences; a comparison needs at least 4"):
        read_sequences(path, None)
    with pytest.raises(TreatiseError, match="give the path of one"):
        read_sequences(pl.DataFrame(), None)
    save_model(CRF(), tmp_path / "other.skops", metadata={"task": "binary"})
    with pytest.raises(TreatiseError, match="labels no sequences"):
        label_sentences(load_model(tmp_path / "other.skops"), read_conll(path))
