"""``treatise predict``, and ``treatise label`` as another name of it, with models of sequences: a column is filled."""

import json

import polars as pl
import pytest
from sklearn.pipeline import Pipeline

from treatise.compare.inputs.served import TablePart
from treatise.io import read_conll, save_model
from treatise.sequence import SequenceTagger

TEXT = "the\tD\ndog\tN\nbarks\tV\n\na\tD\ncat\tN\nsleeps\tV\n\n"


@pytest.fixture
def model(tmp_path):
    """A model file of a tagger of words, and a file of sentences without labels."""
    words = pl.DataFrame({"sentence": [0, 0, 0, 1, 1, 1], "0": ["the", "dog", "barks", "a", "cat", "sleeps"]})
    fitted = Pipeline([("method", SequenceTagger(word="0").fit(words, list("DNVDNV")))])
    about = {"kind": "sequences", "label": "CRF", "task": "sequence", "target": "1", "columns": ["sentence", "0"]}
    save_model(fitted, tmp_path / "model.skops", metadata=about)
    source = tmp_path / "in.conll"
    source.write_text(TEXT.replace("\tD", "\t?").replace("\tN", "\t?").replace("\tV", "\t?"), encoding="utf-8")
    return tmp_path / "model.skops"


@pytest.mark.parametrize("command", ["label", "predict"])
def test_the_column_is_filled_and_it_is_said_how_much(command, invoke, model, tmp_path):
    source, out = tmp_path / "in.conll", tmp_path / "out.conll"
    answer = invoke(command, str(model), str(source), "-o", str(out), "--json")
    assert answer.exit_code == 0
    assert json.loads(answer.stdout) == {"sentences": 2, "words": 6, "column": "1", "output": str(out)}
    assert [sentence["1"] for sentence in read_conll(out)] == [list("DNV"), list("DNV")]
    assert out.read_text(encoding="utf-8") == TEXT
    said = invoke(command, str(model), str(source), "-o", str(out)).stderr
    assert said == f"6 words of 2 sentences, labelled by CRF, written to {out}\n"
    # Without a file the same columns go to standard output.
    assert invoke(command, str(model), str(source)).stdout == TEXT
    told = json.loads(invoke(command, str(model), str(source), "--json").stdout)
    assert told["words"] == 6 and told["predictions"][1] == {"sentence": 0, "0": "dog", "1": "N"}
    refused = invoke(command, str(model), str(tmp_path / "absent.conll"), "-o", str(out))
    assert refused.exit_code == 1
    before = source.read_bytes()
    refused = invoke(command, str(model), str(source), "-o", str(source))
    assert refused.exit_code == 1 and "is the file that is read" in refused.stderr and source.read_bytes() == before


def test_a_word_on_labels_that_the_model_does_not_know_is_passed_on(invoke, model, tmp_path):
    about = {"kind": "sequences", "label": "CRF", "task": "sequence", "target": "1", "columns": ["sentence", "0"]}
    words = pl.DataFrame({"sentence": [0, 0, 0], "0": ["the", "dog", "barks"]})
    fitted = Pipeline([("method", SequenceTagger(word="0").fit(words, list("DNV")))])
    save_model(fitted, model, metadata={**about, "classes": ["D", "N", "V"]})
    (tmp_path / "in.conll").write_text(TEXT.replace("\tV", "\tVERB"), encoding="utf-8")
    answer = invoke("predict", str(model), str(tmp_path / "in.conll"), "-o", str(tmp_path / "out.conll"))
    assert answer.exit_code == 0
    assert answer.stderr.startswith("column '1' holds the label 'VERB', which the model does not know")


def test_a_table_of_sequences_is_fitted_and_labelled_by_its_group_column(invoke, tmp_path):
    rows = [(word, place, "low" if (word + place) % 2 else "high") for word in range(12) for place in range(6)]
    frame = pl.DataFrame(rows, schema=["word", "x", "level"], orient="row")
    frame.write_csv(tmp_path / "letters.csv")
    model, out = tmp_path / "model.skops", tmp_path / "out.csv"
    fitted = invoke(
        "fit", "CRF", str(tmp_path / "letters.csv"), "--task", "sequence", "--target", "level", "--group", "word",
        "--output", str(model),
    )  # fmt: skip
    assert fitted.exit_code == 0, fitted.stderr
    answer = invoke("label", str(model), str(tmp_path / "letters.csv"), "-o", str(out), "--json")
    assert answer.exit_code == 0, answer.stderr
    assert json.loads(answer.stdout)["rows"] == 72
    labelled = pl.read_csv(out)
    assert labelled.columns == ["word", "x", "level"]
    # In a table that is no sequence, a group keeps rows together and predicts nothing.
    fitted = invoke(
        "fit", "DummyClassifier", str(tmp_path / "letters.csv"), "--target", "level", "--group", "word", "-o",
        str(model), "--json",
    )  # fmt: skip
    assert fitted.exit_code == 0 and json.loads(fitted.stdout)["columns"] == ["x"]


def test_text_that_a_spreadsheet_would_run_is_guarded_where_that_is_asked_for():
    frame = pl.DataFrame({"=a": ["=1+1", "@x", "-1", "+1.5", "-1+1", "plain", None], "b": [1.0, -2.0] + [0.0] * 5})
    part = TablePart(frame)
    assert part.text(first=True).startswith("=a,b\n=1+1,1.0\n")
    guarded = part.without_formulas().frame
    assert guarded.columns == ["'=a", "b"]
    assert guarded["'=a"].to_list() == ["'=1+1", "'@x", "-1", "+1.5", "'-1+1", "plain", None]
    assert guarded["b"].to_list() == frame["b"].to_list()


def test_a_table_with_formulas_for_labels_is_predicted_for_a_spreadsheet(invoke, tmp_path):
    rows = "".join(f"{i % 7},{i % 5},{'=one' if i % 7 > 3 else 'two'}\n" for i in range(60))
    (tmp_path / "data.csv").write_text("x,z,y\n" + rows)
    data, model = str(tmp_path / "data.csv"), str(tmp_path / "m.skops")
    made = invoke("fit", "OnlinePerceptron", data, "--target", "y", "--output", model)
    assert made.exit_code == 0, made.output
    plain, guarded = invoke("predict", model, data), invoke("predict", model, data, "--spreadsheet")
    assert "=one" in plain.output
    assert guarded.output == plain.output.replace("\n=one", "\n'=one")


def test_a_model_file_that_does_not_say_what_it_predicts_is_refused(invoke, tmp_path):
    save_model(SequenceTagger(), tmp_path / "model.skops", metadata={"label": "mine"})
    (tmp_path / "new.csv").write_text("a,b\n1,2\n")
    refused = invoke("predict", str(tmp_path / "model.skops"), str(tmp_path / "new.csv"))
    assert refused.exit_code == 1 and "does not say what it predicts" in refused.stderr
