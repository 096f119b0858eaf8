"""Comparisons of sequence learners on sentences in columns."""

import numpy as np
import polars as pl
import pytest

from treatise._core.errors import TreatiseError
from treatise.compare import compare_methods, label_sentences
from treatise.compare.candidates import all_candidates
from treatise.compare.contest.tuning import draw_settings
from treatise.compare.inputs import HeldOut, Request
from treatise.compare.inputs.sequences import SequenceInput
from treatise.compare.metrics import Predictions
from treatise.io import load_model, read_conll, save_model, write_conll
from treatise.sequence import CRF

WORDS = {"D": ["the", "a"], "N": ["dog", "cat", "bird", "fish"], "V": ["sees", "hears", "likes"]}


def read_sequences(source, target):
    return SequenceInput.read(Request(source, target))


def is_sequences(source, task):
    return SequenceInput.accepts(Request(source, task=task))


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
    assert problem.X["sentence"].n_unique() == 60
    part = problem.sample(50, 0)
    assert 50 <= part.n_rows < 300 and np.all(np.bincount(part.groups) % 5 == 0)


def test_copies_of_a_sentence_stay_in_one_fold(corpus):
    problem = read_sequences(corpus, None)
    sentences = ["".join(part) for part in np.split(problem.X["0"].to_numpy(), 60)]
    copies = 60 - len(set(sentences))
    assert copies > 0 and any(note.startswith(f"{copies} of them repeat another") for note in problem.notes)
    groups = problem.groups[::5]
    for a in range(60):
        assert [groups[a] == g for g in groups] == [sentences[a] == s for s in sentences]


def test_treebanks_use_the_words_alone(tmp_path):
    row = "1\tdog\tdog\tNOUN\tNN\t_\t0\troot\t_\t_\n"
    path = tmp_path / "bank.conllu"
    path.write_text(
        "".join(row + row.replace("NOUN", "VERB").replace("NN", "VB") + "\n" for _ in range(5)), encoding="utf-8"
    )
    problem = read_sequences(path, None)
    assert problem.target == "upos" and problem.X.columns == ["sentence", "form"]
    assert read_sequences(path, "xpos").y[0] == "NN"
    with pytest.raises(TreatiseError, match="no column 'tag'; its columns: 'id', 'form'"):
        read_sequences(path, "tag")


def test_sentences_count_as_right_only_as_a_whole(corpus):
    shown = HeldOut(np.arange(4), pl.DataFrame({"sentence": [0, 0, 1, 1]}), np.array(list("aaab")))
    measures = read_sequences(corpus, None).judge(shown, Predictions(np.array(list("aabb"))))
    assert measures["accuracy"] == 0.75 and measures["sentence_accuracy"] == 0.5


LEARNERS = {candidate.entry.name: candidate for candidate in all_candidates("sequence")}


def test_the_learners_of_sequences_take_part():
    assert {"CRF", "HMM", "SemiCRF", "OutputSpaceSearch", "SGDClassifier", "MultinomialNB"} <= set(LEARNERS)


@pytest.mark.parametrize("name", ["CRF", "HMM", "SemiCRF", "OutputSpaceSearch", "SGDClassifier", "MultinomialNB"])
def test_the_model_file_of_each_learner_labels_sentences(name, corpus, tmp_path):
    problem, candidate = read_sequences(corpus, None), LEARNERS[name]
    for setting in ({}, *draw_settings(candidate.compare.search, 2, 0)):
        fitted = problem.fit(problem.pipeline(candidate, setting, 0))
    save_model(fitted, tmp_path / "model.skops", metadata=problem.metadata(candidate))
    labelled = label_sentences(load_model(tmp_path / "model.skops"), read_conll(corpus))
    assert [sentence["1"] for sentence in labelled] == [list("DNVDN")] * 60


def test_comparison_leaves_a_board_a_report_and_a_model_that_labels(corpus, tmp_path, monkeypatch, contestants):
    # Two folds, once: every learner has its turn.
    monkeypatch.setattr(SequenceInput, "number_of_folds", lambda self: 2)
    comparison = compare_methods(corpus, budget=120, output=tmp_path / "run", jobs=2)
    labels = comparison.leaderboard["label"].to_list()
    # Whoever had no turn on a busy machine is named with the reason.
    heard = {*labels, *(failure.label for failure in comparison.run.failures)}
    assert "MultinomialNB" in labels and set(LEARNERS) <= heard
    assert comparison.run.data.task == "sequence" and comparison.run.folds.grouped
    entry = comparison.run.leaderboard[0]
    assert entry.score == 1.0 and entry.metrics["sentence_accuracy"] == 1.0
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "labels of sequences, 3 labels" in page and "treatise label best.skops" in page
    assert ">F1<" in page and ">Sentence accuracy<" in page
    assert all([effect.column for effect in found.columns] in ([], ["0"]) for found in comparison.run.importance)
    sentences = label_sentences(comparison.best, read_conll(corpus))
    assert sentences[0]["1"] == list("DNVDN")
    write_conll(tmp_path / "out.conll", sentences)
    assert read_conll(tmp_path / "out.conll")[0]["1"] == list("DNVDN")


@pytest.fixture
def model(corpus, tmp_path):
    """A model file of the tagger, loaded."""
    problem, candidate = read_sequences(corpus, None), LEARNERS["HMM"]
    fitted = problem.fit(problem.pipeline(candidate, {}, 0))
    save_model(fitted, tmp_path / "model.skops", metadata=problem.metadata(candidate))
    return load_model(tmp_path / "model.skops")


def written(tmp_path, text):
    path = tmp_path / "sentences.conll"
    path.write_text(text, encoding="utf-8")
    return path


def test_files_that_cannot_be_compared_are_refused_in_a_sentence(tmp_path):
    with pytest.raises(TreatiseError, match=r"holds 1 sentence; a comparison needs at least 4$"):
        read_sequences(written(tmp_path, "a\tX\nb\tY\n"), None)
    with pytest.raises(TreatiseError, match=r"holds 2 sentences; a comparison needs at least 4$"):
        read_sequences(written(tmp_path, "a\tX\n\nb\tY\n\n"), None)
    with pytest.raises(TreatiseError, match=r"holds no words$"):
        read_sequences(written(tmp_path, "\n\n# nothing\n\n"), None)
    five = "a\tX\nb\tY\n\n" * 5
    with pytest.raises(TreatiseError, match=r"^sentences.conll has no column 'tag'; its columns: '0', '1'$"):
        read_sequences(written(tmp_path, five), "tag")
    with pytest.raises(TreatiseError, match=r"^sentences.conll has no column number 2: its 2 columns are numbered"):
        read_sequences(written(tmp_path, five), 2)
    with pytest.raises(
        TreatiseError, match=r"^the target '1' has one value only \('X'\); there is nothing to predict$"
    ):
        read_sequences(written(tmp_path, five.replace("Y", "X")), None)
    with pytest.raises(TreatiseError, match=r"has the column '0' alone"):
        read_sequences(written(tmp_path, "X\nY\n\n" * 5), None)
    with pytest.raises(TreatiseError, match="give the path of one"):
        read_sequences(pl.DataFrame(), None)


def test_empty_sentences_are_passed_over(tmp_path, model):
    full = "the\tD\ndog\tN\n\n" * 5
    plain = read_sequences(written(tmp_path, full), None)
    with_empty = read_sequences(written(tmp_path, "\n\n" + full.replace("\n\n", "\n\n# empty\n\n\n")), None)
    assert with_empty.X.equals(plain.X) and np.array_equal(with_empty.y, plain.y)
    labelled = label_sentences(model, read_conll(written(tmp_path, "\nthe\t?\ndog\t?\n\n\n\na\t?\n\n")))
    assert [sentence["1"] for sentence in labelled] == [["D", "N"], ["D"]]


def test_labels_that_the_model_does_not_know_are_replaced_with_a_word(tmp_path, model, recwarn):
    label_sentences(model, read_conll(written(tmp_path, "the\tD\ndog\t_\n\n".replace("D", "_"))))
    assert not recwarn.list
    with pytest.warns(UserWarning, match="column '1' holds the label 'ART', which the model does not know"):
        labelled = label_sentences(model, read_conll(written(tmp_path, "the\tART\ndog\tN\n")))
    assert labelled[0]["1"] == ["D", "N"]


def test_foreign_models_and_sentences_without_the_words_are_refused(tmp_path, model):
    tree = "1\tdog\tdog\tNOUN\tNN\t_\t0\troot\t_\t_\n"
    with pytest.raises(
        TreatiseError, match=r"^the sentences lack the column '0' that the model reads; they have id, form"
    ):
        label_sentences(model, read_conll(written(tmp_path, tree)))
    with pytest.raises(TreatiseError, match="no word to label"):
        label_sentences(model, [])
    save_model(CRF(), tmp_path / "other.skops", metadata={"task": "binary"})
    with pytest.raises(TreatiseError, match="labels no sequences"):
        label_sentences(load_model(tmp_path / "other.skops"), read_conll(written(tmp_path, "the\tD\n")))
