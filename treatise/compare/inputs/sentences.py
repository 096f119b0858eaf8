"""Sentences in columns as a prediction problem: a row for each word, and whole sentences in one fold."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from treatise._core.errors import TreatiseError
from treatise.compare.inputs.sequence_tables import (
    SENTENCE,
    check_labels,
    check_number,
    distinct_sequences,
    warn_of_foreign_labels,
)
from treatise.io import ModelFile, Sentence, read_conll
from treatise.io.source import column_name, stem


def read_sentences(data: str | os.PathLike[str], target: str | int | None) -> dict[str, Any]:
    """What a file of sentences asks: its words, the labels to predict, and the sentence of each word.

    Of a treebank only the word forms are used: the other annotations would tell the label. Of other files every column
    is used but the target, which is the last where none is named.
    """
    sentences = [sentence for sentence in read_conll(data) if len(sentence)]
    check_number(data, len(sentences), "sentence")
    names = list(sentences[0].columns)
    usual = "upos" if "upos" in names else names[-1]
    chosen = usual if target is None else column_name(target, names, Path(data).name)
    inputs = _inputs(names, chosen)
    if not inputs:
        raise TreatiseError(f"{data} has the column {chosen!r} alone; labels are told from another, such as the words")
    frame = tokens(sentences, inputs)
    labels = pl.Series([label for sentence in sentences for label in sentence[chosen]])
    check_labels(labels, chosen)
    groups, copies = distinct_sequences(frame.select(inputs), frame[SENTENCE].to_numpy())
    notes = [
        f"{len(sentences)} sentences of {len(labels)} words; the words of a sentence are always in one fold",
        *copies,
    ]
    if "upos" in names:
        notes.append("only the words are used: the other columns of a treebank would tell the label")
    return {
        "name": stem(Path(data)), "target": chosen, "X": frame, "y": labels.to_numpy().astype(str), "groups": groups,
        "dropped": [], "notes": notes, "table_columns": tuple(names),
    }  # fmt: skip


def tokens(sentences: list[Sentence], columns: list[str]) -> pl.DataFrame:
    """The words of sentences as a table, with the number of their sentence."""
    lengths = [len(sentence) for sentence in sentences]
    values = {name: [value for sentence in sentences for value in sentence[name]] for name in columns}
    return pl.DataFrame({SENTENCE: np.repeat(np.arange(len(sentences)), lengths), **values})


def label_sentences(model: ModelFile, sentences: list[Sentence]) -> list[Sentence]:
    """Sentences with the column that a model labels filled in, or added at the end.

    Parameters
    ----------
    model : ModelFile
        As loaded from a file of a comparison of sequences.
    sentences : list of Sentence
        As read from a file; they are left as they are.

    Returns
    -------
    list of Sentence
    """
    about = model.metadata
    if about.get("task") != "sequence":
        raise TreatiseError("this model labels no sequences; `treatise compare --task sequence` makes one that does")
    filled = [sentence for sentence in sentences if len(sentence)]
    if not filled:
        raise TreatiseError("there is no word to label")
    columns, target = [name for name in about["columns"] if name != SENTENCE], about["target"]
    absent = [name for name in columns if name not in filled[0].columns]
    if absent:
        there = ", ".join(filled[0].columns)
        raise TreatiseError(f"the sentences lack the column {absent[0]!r} that the model reads; they have {there}")
    held = {label for sentence in filled for label in sentence.columns.get(target, ())}
    warn_of_foreign_labels(held, target, about.get("classes", []))
    labels = np.asarray(model.model.predict(tokens(filled, columns)))
    ends = np.cumsum([len(sentence) for sentence in filled])[:-1]
    return [
        Sentence({**sentence.columns, target: [str(label) for label in own]}, sentence.comments, sentence.line)
        for sentence, own in zip(filled, np.split(labels, ends))
    ]


def _inputs(names: list[str], target: str) -> list[str]:
    if "upos" in names:
        return ["form"]
    return [name for name in names if name != target]
