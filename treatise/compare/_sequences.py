"""Sentences in columns as a prediction problem: a row for each word, and whole sentences in one fold."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from treatise._core.errors import TreatiseError
from treatise.compare._problem import SENTENCE, Problem
from treatise.io import ModelFile, Sentence, read_conll

SUFFIXES = (".conllu", ".conll")


def is_sequences(data: Any, task: str | None) -> bool:
    """Whether a file of sentences is meant."""
    if task == "sequence":
        return True
    return isinstance(data, str | os.PathLike) and any(suffix in SUFFIXES for suffix in Path(data).suffixes)


def read_sequences(data: Any, target: str | int | None) -> Problem:
    """A problem from a CoNLL file: its words, the labels to predict, and the sentence of each word.

    Of a treebank only the word forms are used: the other annotations would tell the label. Of other files every column
    is used but the target, which is the last where none is named.
    """
    if not isinstance(data, str | os.PathLike):
        raise TreatiseError("sequences are read from CoNLL or CoNLL-U files; give the path of one")
    sentences = [sentence for sentence in read_conll(data) if len(sentence)]
    if len(sentences) < 4:
        raise TreatiseError(f"{data} holds {len(sentences)} sentences; a comparison needs at least 4")
    names = list(sentences[0].columns)
    chosen = _target(names, target)
    frame = tokens(sentences, _inputs(names, chosen))
    y = np.concatenate([np.asarray(sentence[chosen], str) for sentence in sentences])
    groups = frame[SENTENCE].to_numpy()
    notes = [f"{len(sentences)} sentences of {len(y)} words; the words of a sentence are always in one fold"]
    if "upos" in names:
        notes.append("only the words are used: the other columns of a treebank would tell the label")
    return Problem(Path(data).stem, chosen, "sequence", frame, y, groups, [], notes, tuple(names))


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
    columns = [name for name in about["columns"] if name != SENTENCE]
    labels = np.asarray(model.model.predict(tokens(filled, columns)))
    ends = np.cumsum([len(sentence) for sentence in filled])[:-1]
    return [
        Sentence({**sentence.columns, about["target"]: [str(label) for label in own]}, sentence.comments, sentence.line)
        for sentence, own in zip(filled, np.split(labels, ends))
    ]


def _target(names: list[str], target: str | int | None) -> str:
    if target is None:
        return "upos" if "upos" in names else names[-1]
    if isinstance(target, int) or str(target).lstrip("-").isdigit():
        number = int(target)
        if str(number) in names:
            return str(number)
        if not -len(names) <= number < len(names):
            raise TreatiseError(f"there is no column {number}; the file has {len(names)}")
        return names[number]
    if target not in names:
        raise TreatiseError(f"there is no column {target!r}; the file has {', '.join(names)}")
    return str(target)


def _inputs(names: list[str], target: str) -> list[str]:
    if "upos" in names:
        return ["form"]
    return [name for name in names if name != target]
