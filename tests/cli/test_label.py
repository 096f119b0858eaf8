"""``treatise label``: a model of a comparison of sequences fills a column."""

import json

import polars as pl
from sklearn.pipeline import Pipeline

from treatise.io import read_conll, save_model
from treatise.sequence import SequenceTagger

TEXT = "the\tD\ndog\tN\nbarks\tV\n\na\tD\ncat\tN\nsleeps\tV\n\n"


def test_label_fills_the_column_and_says_how_much(invoke, tmp_path):
    words = pl.DataFrame({"sentence": [0, 0, 0, 1, 1, 1], "0": ["the", "dog", "barks", "a", "cat", "sleeps"]})
    model = Pipeline([("method", SequenceTagger(word="0").fit(words, list("DNVDNV")))])
    about = {"label": "CRF", "task": "sequence", "target": "1", "columns": ["sentence", "0"]}
    save_model(model, tmp_path / "model.skops", metadata=about)
    source, out = tmp_path / "in.conll", tmp_path / "out.conll"
    source.write_text(TEXT.replace("\tD", "\t?").replace("\tN", "\t?").replace("\tV", "\t?"), encoding="utf-8")
    answer = invoke("label", str(tmp_path / "model.skops"), str(source), "-o", str(out), "--json")
    assert answer.exit_code == 0
    assert json.loads(answer.stdout) == {"sentences": 2, "words": 6, "column": "1", "output": str(out)}
    assert [sentence["1"] for sentence in read_conll(out)] == [list("DNV"), list("DNV")]
    refused = invoke("label", str(tmp_path / "model.skops"), str(tmp_path / "absent.conll"), "-o", str(out))
    assert refused.exit_code == 1
    before = source.read_bytes()
    refused = invoke("label", str(tmp_path / "model.skops"), str(source), "-o", str(source))
    assert refused.exit_code == 1 and "is the file that is read" in refused.stderr and source.read_bytes() == before
    refused = invoke("predict", str(tmp_path / "model.skops"), str(source))
    assert refused.exit_code == 1 and "treatise label" in refused.stderr


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
    refused = invoke(
        "fit", "FCBF", str(tmp_path / "letters.csv"), "--target", "level", "--group", "word", "-o", str(model)
    )
    assert refused.exit_code == 1 and "--task sequence" in refused.stderr
