"""Sequences whose positions are to be labelled: sentences in columns, or a table of them."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.pipeline import Pipeline

from treatise._core.errors import TreatiseError
from treatise.compare.candidates import Candidate
from treatise.compare.inputs.base import HeldOut, Input, Request, written_usage
from treatise.compare.inputs.rows import RowsInput
from treatise.compare.inputs.sentences import label_sentences, read_sentences, tokens
from treatise.compare.inputs.sequence_tables import SENTENCE, is_table, label_table, read_sequence_table
from treatise.compare.inputs.served import Part, TablePart
from treatise.compare.metrics import METRICS, Predictions, judge_sequences
from treatise.io import ModelFile, Sentence, read_conll, read_table
from treatise.io.conll import conll_lines
from treatise.io.source import is_sentences
from treatise.report.record import Metric, ModelUse

SEQUENCE_METRICS = tuple(METRICS[name] for name in ("accuracy", "sentence_accuracy", "f1"))


@dataclass(frozen=True)
class SequenceInput(RowsInput):
    """Sequences whose positions have labels: a row for each word or position, and whole sequences in one fold.

    The first column of ``X`` is the number of the row's sequence; ``groups`` numbers the different ones.
    """

    kind: ClassVar[str] = "sequences"

    @classmethod
    def accepts(cls, request: Request) -> bool:
        """Files in CoNLL columns by their name, and whatever the user calls sequences."""
        if request.task == "sequence":
            return True
        source = request.source
        return isinstance(source, str | os.PathLike) and is_sentences(Path(source))

    @classmethod
    def read(cls, request: Request) -> Self:
        """Sentences in columns, or a table of sequences."""
        data = request.source
        if not isinstance(data, str | os.PathLike):
            raise TreatiseError("sequences are read from CoNLL, CoNLL-U or CSV files; give the path of one")
        foreign = {
            "--by-time": request.time, "--weight": request.weight, "--threshold": request.threshold,
            "--ordered": request.ordered or None,
        }  # fmt: skip
        for option, given in foreign.items():
            if given is not None:
                raise TreatiseError(f"{option} is for tables; sequences are divided whole, and all their words count")
        if request.own is not None:
            names = ", ".join(metric.name for metric in SEQUENCE_METRICS)
            raise TreatiseError(f"metric {request.own.metric.name!r} is not for sequences; choose one of {names}")
        if is_table(data):
            found = read_sequence_table(data, request.target, request.group, request.header)
        else:
            found = read_sentences(data, request.target)
        return cls(**found, task="sequence", source=os.fspath(data))

    @property
    def features(self) -> list[str]:
        """The columns that predict; the number of a word's sentence only holds words together."""
        return [name for name in self.X.columns if name != SENTENCE]

    @property
    def task_words(self) -> str:
        """The task as the page names it."""
        return f"labels of sequences, {len(self.classes):,} labels"

    def sample(self, rows: int, seed: int) -> Input:
        """Whole sequences, of about so many rows together."""
        assert self.groups is not None
        order = np.random.default_rng(seed).permutation(int(self.groups.max()) + 1)
        sizes = np.bincount(self.groups)[order]
        kept = order[: max(2, int(np.searchsorted(np.cumsum(sizes), rows)) + 1)]
        return self.part(np.flatnonzero(np.isin(self.groups, kept)))

    def pipeline(self, candidate: Candidate, params: Mapping[str, Any], seed: int) -> Pipeline:
        """Features of each word and its neighbours, and the learner of sequences or a classifier of words."""
        # Imported here: comparisons of tables need none of the sequence learners, nor do their processes.
        from treatise.sequence import SequenceTagger

        return Pipeline([("tagger", SequenceTagger(candidate.method(seed).set_params(**params)))])

    def apply(self, model: Pipeline, X: Any) -> Predictions:
        """The labels."""
        return Predictions(np.asarray(model.predict(X)))

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """Labels that are right, sequences that are right as a whole, and the mean F1 of the labels."""
        return SEQUENCE_METRICS

    def judge(self, held_out: HeldOut, found: Predictions) -> dict[str, float | None]:
        """By word and by whole sequence."""
        return judge_sequences(held_out.actual, found.values, held_out.X[SENTENCE].to_numpy())

    def merits(self, metric: Metric, held_out: HeldOut, found: Predictions) -> np.ndarray:
        """What each word adds; of the accuracy of whole sequences, each word its share of its sequence."""
        if metric.name != "sentence_accuracy":
            return super().merits(metric, held_out, found)
        _, number, words = np.unique(held_out.X[SENTENCE].to_numpy(), return_inverse=True, return_counts=True)
        wrong = np.bincount(number, held_out.actual != found.values)
        return ((wrong == 0) * len(number) / (len(words) * words))[number]

    def usage(self, model: str) -> ModelUse:
        """A file of the same form, its labels filled in."""
        if is_table(self.source):
            what, read, new, out = "label_table", "read_table", "new.csv", "labelled.csv"
        else:
            what, read, new, out = "label_sentences", "read_conll", "new.conllu", "labelled.conllu"
        lines = [
            f"from treatise.compare import {what}",
            f"from treatise.io import load_model, {read}",
            "",
            "model = load_model(MODEL)",
            f'print({what}(model, {read}("{new}")))',
        ]
        return written_usage(lines, f"treatise label MODEL {new} -o {out}", model)

    @classmethod
    def predict(cls, model: ModelFile, source: str, *, header: bool | None = None) -> Iterator[Part]:
        """The file in its own columns, with the labels filled in."""
        if is_table(source):
            yield LabelledTable(label_table(model, read_table(source, header=header)), model.metadata["target"])
        else:
            yield LabelledSentences(label_sentences(model, read_conll(source)), model.metadata["target"])


@dataclass(frozen=True)
class LabelledSentences(Part):
    """Sentences in CoNLL columns of which one was filled in."""

    sentences: list[Sentence]
    target: str

    @property
    def counts(self) -> dict[str, int]:
        """Sentences and words."""
        return {"sentences": len(self.sentences), "words": sum(len(sentence) for sentence in self.sentences)}

    @property
    def about(self) -> dict[str, Any]:
        """The column that was filled in."""
        return {"column": self.target}

    def text(self, first: bool) -> str:
        """As CoNLL."""
        return "".join(conll_lines(self.sentences))

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each word, with the number of its sentence."""
        return tokens(self.sentences, list(self.sentences[0].columns)).to_dicts()

    def said(self, counts: dict[str, int], label: str) -> str:
        """``6 words of 2 sentences, labelled by CRF,``."""
        words, sentences = counts["words"], counts["sentences"]
        of = f"{sentences} sentence{'s' * (sentences != 1)}"
        return f"{words} word{'s' * (words != 1)} of {of}, labelled by {label},"


@dataclass(frozen=True)
class LabelledTable(TablePart):
    """A table of sequences of which one column was filled in."""

    target: str

    @property
    def about(self) -> dict[str, Any]:
        """The column that was filled in."""
        return {"column": self.target}

    def said(self, counts: dict[str, int], label: str) -> str:
        """``72 rows, labelled by CRF,``."""
        return f"{counts['rows']} row{'s' * (counts['rows'] != 1)}, labelled by {label},"
