"""What saved models make of new data, in the format of their kind."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl

from treatise._core.errors import TreatiseError
from treatise.compare.output import without_formulas
from treatise.datasets import load_table
from treatise.io import ModelFile

if TYPE_CHECKING:
    from treatise.compare.inputs.answers import Score
    from treatise.compare.own_metric import OwnMetric
    from treatise.io import Table


class Part(ABC):
    """Some of the predictions for new data: a piece of the file that is written."""

    @property
    @abstractmethod
    def counts(self) -> dict[str, int]:
        """How many of what the part holds, the largest unit first: ``{"rows": 100}``."""

    @property
    @abstractmethod
    def about(self) -> dict[str, Any]:
        """What a machine is told besides, the same for all parts: ``{"columns": [...]}``."""

    @abstractmethod
    def text(self, first: bool) -> str:
        """The piece of the file; the first one brings the header, if the format has one."""

    @abstractmethod
    def rows(self) -> list[dict[str, Any]]:
        """The predictions as plain data."""

    @abstractmethod
    def said(self, counts: dict[str, int], label: str) -> str:
        """So many predictions of a model in words, the beginning of a sentence."""

    def without_formulas(self) -> "Part":
        """The same for a spreadsheet, which takes some text for formulas; as it is where none reads the format."""
        return self


class Served(ABC):
    """A kind of data that saved models predict."""

    kind: ClassVar[str]
    """Its name, in run records and in the metadata of model files."""
    wishes: ClassVar[frozenset[str]] = frozenset()
    """What :meth:`predict` may be told besides (``keep``, ``threshold``), and ``score`` where :meth:`score` judges."""

    @classmethod
    def serves(cls, model: ModelFile) -> bool:
        """Whether a model file predicts data of this kind: its metadata say so."""
        return model.metadata.get("kind") == cls.kind

    @classmethod
    @abstractmethod
    def predict(cls, model: ModelFile, source: str, *, header: bool | None = None) -> Iterator[Part]:
        """Read new data and predict them, a part at a time; there is at least one part.

        What the data lack that the model needs is a ``TreatiseError`` that names it. A word that the user should
        hear though the work goes on is a ``UserWarning``.
        """

    @classmethod
    def answer(
        cls, model: ModelFile, table: "Table", *, keep: Sequence[str] = (), threshold: float | None = None
    ) -> pl.DataFrame:
        """Predictions for a table in memory; a kind that is no table says so."""
        raise TreatiseError(f"this model predicts {cls.kind}, not the rows of a table")

    @classmethod
    def score(
        cls, model: ModelFile, source: str, *, header: bool | None = None, threshold: float | None = None
    ) -> "Score":
        """How good the predictions of labelled data are; a kind that cannot tell says so."""
        if "score" not in cls.wishes:
            raise TreatiseError(f"--score judges predictions of tables; this model predicts {cls.kind}")
        return cls.score_rows(model, load_table(source, header=header), threshold=threshold)

    @classmethod
    def score_rows(
        cls, model: ModelFile, table: "Table", *, threshold: float | None = None, own: "OwnMetric | None" = None
    ) -> "Score":
        """The same for a table in memory, with a measure of the user's besides."""
        raise TreatiseError(f"only predictions of tables are judged so far; this model predicts {cls.kind}")


@dataclass(frozen=True)
class TablePart(Part):
    """Predictions as a table: a value or label for each row, and probabilities if there are any."""

    frame: pl.DataFrame

    @property
    def counts(self) -> dict[str, int]:
        """The rows."""
        return {"rows": self.frame.height}

    @property
    def about(self) -> dict[str, Any]:
        """The names of the columns."""
        return {"columns": self.frame.columns}

    def text(self, first: bool) -> str:
        """As CSV."""
        return self.frame.write_csv(include_header=first)

    def without_formulas(self) -> "TablePart":
        """The same with an apostrophe before text that a spreadsheet would take for a formula and run."""
        return TablePart(without_formulas(self.frame))

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each row."""
        return self.frame.to_dicts()

    def said(self, counts: dict[str, int], label: str) -> str:
        """``150 predictions of LogisticRegression``."""
        number = counts["rows"]
        return f"{number} prediction{'s' * (number != 1)} of {label}"
