"""A fitted model as a comparison leaves it: predicts data frames by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from treatise._core.errors import TreatiseError
from treatise.compare.inputs import served_kind
from treatise.compare.inputs.answers import Score
from treatise.compare.inputs.encoding import as_frame
from treatise.io import ModelFile, Table


@dataclass(frozen=True)
class FittedModel(ModelFile):
    """A model of tables with what its file says of it.

    Parameters
    ----------
    model, metadata, version
        As :func:`treatise.io.load_model` gives them.

    Examples
    --------
    >>> import polars as pl
    >>> from treatise.compare import FittedModel, fit_method
    >>> from treatise.datasets import load_table
    >>> pipeline, about, _ = fit_method("LogisticRegression", "iris")
    >>> model = FittedModel(pipeline, about, "")
    >>> flowers = load_table("iris").frame
    >>> model.predict(flowers[:2])["prediction"].to_list()
    ['setosa', 'setosa']
    >>> model.score(flowers).measurements[0].score > 0.9
    True
    """

    def predict(
        self, frame: Any, *, keep: Sequence[str] = (), threshold: float | None = None, interval: float | None = None
    ) -> Any:
        """A prediction for each row, and the probability or score of each class.

        Parameters
        ----------
        frame : polars.DataFrame, pandas.DataFrame or Table
            With the columns that the model was fitted with, in any order; others are left alone.
        keep : sequence of str
            Columns of ``frame`` to carry through; ``["all"]`` for all of them.
        threshold : float or None
            The probability from which on a row is of the rarer of two classes; None takes the model's own.
        interval : float or None
            For amounts: the probability with which they lie between two columns more, ``lower`` and ``upper``.

        Returns
        -------
        data frame
            Of the library that ``frame`` came from; pandas frames keep their index.
        """
        kind = served_kind(self)
        if interval is not None and "interval" not in kind.wishes:
            raise TreatiseError(f"intervals are for models of tables; this one predicts {kind.kind}")
        wishes = {} if interval is None else {"interval": interval}
        answer = kind.answer(self, _table(frame), keep=keep, threshold=threshold, **wishes)
        return answer.to_pandas().set_axis(frame.index) if hasattr(frame, "iloc") else answer

    def score(self, frame: Any, *, threshold: float | None = None) -> Score:
        """How good the predictions of labelled rows are: every measure of the task, each with a 95 % interval.

        Parameters
        ----------
        frame : polars.DataFrame, pandas.DataFrame or Table
            With the model's columns and the target.
        threshold : float or None
            As for :meth:`predict`.

        Returns
        -------
        Score
        """
        return served_kind(self).score_rows(self, _table(frame), threshold=threshold)


def _table(frame: Any) -> Table:
    return frame if isinstance(frame, Table) else Table("the data frame", pl.DataFrame(as_frame(frame)), True, ())
