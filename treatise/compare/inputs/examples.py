"""Files of examples in any format and of any size: what models of ``treatise stream`` predict."""

from collections.abc import Iterator
from typing import ClassVar

import polars as pl

from treatise._core.errors import TreatiseError
from treatise.compare.inputs.served import Part, Served, TablePart
from treatise.io import ModelFile


class ExampleFiles(Served):
    """Vowpal Wabbit text, LIBSVM text, CSV or Parquet as such a model was trained on, one file or many.

    No comparison reads them; their models are saved by ``treatise stream`` or after ``fit_files``.
    """

    kind: ClassVar[str] = "examples"

    @classmethod
    def serves(cls, model: ModelFile) -> bool:
        """A model that was fitted to files remembers how it read them."""
        return hasattr(model.model, "reading_")

    @classmethod
    def predict(cls, model: ModelFile, source: str, *, header: bool | None = None) -> Iterator[Part]:
        """A part at a time: neither the files nor the predictions are ever all in memory."""
        any_row = False
        for columns in model.model.predict_files(source):
            any_row = True
            yield TablePart(pl.DataFrame(columns))
        if not any_row:
            raise TreatiseError(f"{source} holds no example")
