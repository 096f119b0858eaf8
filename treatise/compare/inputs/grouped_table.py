"""A table whose rows belong to groups that a column names: patients, schools, machines."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
from sklearn.pipeline import Pipeline

from treatise.compare.candidates import Candidate, all_candidates
from treatise.compare.inputs.base import HeldOut, Input, Request
from treatise.compare.inputs.columns import copies_of
from treatise.compare.inputs.encoding.groups import WithGroups, with_groups
from treatise.compare.inputs.rows import digest_of_rows
from treatise.compare.inputs.table import TableInput
from treatise.compare.inputs.target import are_counts
from treatise.report.record import DataRecord, Fact

FEWEST_KNOWN = 20
"""Rows in groups of two or more, without which nothing can be told of known groups."""


@dataclass(frozen=True)
class GroupedTableInput(TableInput):
    """A table in memory with a column to predict and one that names groups of rows.

    A fold holds out whole groups. The column is none of ``X``: it predicts nothing, but for the methods that learn from
    groups, which are shown it beside ``X``. With ``known``, a fold holds out single rows, and judges those of groups
    that have rows to learn from.
    """

    kind: ClassVar[str] = "grouped table"
    known: bool = False

    @classmethod
    def accepts(cls, request: Request) -> bool:
        """A table in which a column of groups is named."""
        return request.group is not None

    # ------------------------------------------------------------------ describing

    @property
    def column(self) -> str:
        """What names the groups."""
        assert self.roles.group is not None, "only a table with a column of groups is of this kind"
        return self.roles.group

    @property
    def judged_by(self) -> tuple[str, ...]:
        """The target, and the groups: what is said of a row may depend on whether its group is known."""
        return (*super().judged_by, self.column)

    def describe(self) -> DataRecord:
        """The rows, columns, classes and groups."""
        about, sizes = super().describe(), self.group_sizes
        aside = f"of {sizes.min():,} to {sizes.max():,} rows, told apart by {self.column}"
        return replace(about, facts=(about.facts[0], Fact("Groups", f"{len(sizes):,}", aside), *about.facts[1:]))

    @cached_property
    def sha256(self) -> str:
        """Of the file, or of the rows and their groups."""
        if Path(self.source).is_file():
            return super().sha256
        return digest_of_rows(self._beside(self.X, slice(None)), self.y)

    @cached_property
    def group_sizes(self) -> np.ndarray:
        """Rows of each group."""
        return np.unique(self.units, return_counts=True)[1]

    # ------------------------------------------------------------------ dividing

    @property
    def units(self) -> np.ndarray:
        """Rows of one group are not independent, however they are divided."""
        assert self.roles.groups is not None, "a column of groups numbers them"
        return self.roles.groups

    @property
    def known_groups(self) -> Input | None:
        """The same rows, to be held out singly; copies of a row stay in one fold."""
        if self.known or self.group_sizes[self.group_sizes > 1].sum() < FEWEST_KNOWN:
            return None
        return replace(self, groups=copies_of(self.X)[0], known=True)

    def divide(self, k: int, repeat: int, fold: int, seed: int) -> tuple[Input, HeldOut]:
        """Whole groups, or single rows of known ones; a model is shown the groups beside the columns."""
        training, held_out = super().divide(k, repeat, fold, seed)
        if self.known:
            learned = training.units
            assert learned is not None, "a part of groups has groups"
            held_out = held_out.take(np.flatnonzero(np.isin(self.units[held_out.numbers], learned)))
        return training, held_out.showing(self._beside(held_out.X, held_out.numbers))

    def _beside(self, X: pl.DataFrame, rows: np.ndarray | slice) -> pl.DataFrame:
        assert self.roles.names is not None, "a column of groups has names"
        return X.with_columns(self.roles.names[rows].alias(self.column))

    # ------------------------------------------------------------------ methods

    def candidates(self) -> list[Candidate]:
        """Every method of the task, and those that learn from groups where one has several rows."""
        found = super().candidates()
        if self.group_sizes.max() < 2:
            return found
        forms = [f"{self.task}-groups"]
        if self.task == "regression" and are_counts(self.y):
            forms.append("counts-groups")
        return found + [candidate for form in forms for candidate in all_candidates(form)]

    def suits(self, candidate: Candidate) -> bool:
        """As for any table; those that learn from groups too."""
        return candidate.compare.takes_groups or super().suits(candidate)

    def pipeline(self, candidate: Candidate, params: Mapping[str, Any], seed: int) -> Pipeline:
        """As for any table; a method that learns from groups is handed them apart."""
        made = super().pipeline(candidate, params, seed)
        if not candidate.compare.takes_groups:
            return made
        return with_groups(made, self.column, classes=self.task != "regression")

    def fit(self, pipeline: Pipeline) -> Pipeline:
        """Fit a pipeline to all rows, with their groups where it learns from them."""
        if not isinstance(pipeline[-1], WithGroups):
            return super().fit(pipeline)
        return pipeline.fit(self._beside(self.X, slice(None)), self.y)

    # ------------------------------------------------------------------ saved models

    def metadata(self, candidate: Candidate) -> dict[str, Any]:
        """The columns that the model reads, that of groups among them where it learns from them."""
        return super().metadata(candidate) | ({"group": self.column} if candidate.compare.takes_groups else {})
