"""``treatise fit`` and ``treatise predict``: one method, one model file."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from treatise._core.errors import TreatiseError
from treatise._core.files import replacing
from treatise.cli._compare import Data, Group, Header, Seed, Target, Task
from treatise.cli._console import Json, counted, print_json, remark, say

if TYPE_CHECKING:
    import polars as pl


def fit(
    method: Annotated[
        str, typer.Argument(metavar="METHOD", help="An estimator's name, or the id of a paper with one.")
    ],
    data: Data,
    target: Target = None,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The model file.")] = Path(
        "model.skops"
    ),
    setting: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter; may be repeated.")
    ] = None,
    task: Task = None,
    seed: Seed = 0,
    header: Header = None,
    group: Group = None,
    as_json: Json = False,
) -> None:
    """Fit one method to a table and save it."""
    from treatise.compare import fit_method, parse_setting
    from treatise.io import save_model

    params = dict(parse_setting(text) for text in setting or ())
    pipeline, about, problem = fit_method(
        method, data, target, task=task, params=params, header=header, seed=seed, group=group
    )
    save_model(pipeline, output, metadata=about)
    if as_json:
        print_json({"model": str(output), **about, "data": problem.describe()})
        return
    rows = f"{counted(problem.n_rows, 'row')} of {problem.name}"
    say(f"{about['label']} fitted to {rows} ({problem.task}, target {problem.target!r})")
    say(f"Model: {output}")


def predict(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL", help="A model file of `treatise fit`, `treatise compare` or `treatise stream`."
        ),
    ],
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="A table with the columns that the model knows; files as it was trained on, for a model of "
            "`treatise stream`.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The CSV file to write; standard output if not given."),
    ] = None,
    header: Header = None,
    as_json: Json = False,
) -> None:
    """Predict every row of a table, or of files of any size, with a saved model."""
    from treatise.compare import predict_table
    from treatise.datasets import load_table
    from treatise.io import load_model

    loaded = load_model(model)
    if loaded.metadata.get("task") == "sequence":
        raise TreatiseError(f"{model} labels sequences; use `treatise label` with it")
    if hasattr(loaded.model, "reading_"):
        parts = _streamed(loaded.model, data)
    else:
        parts = iter([predict_table(loaded, load_table(data, header=header))])
    if output is not None:
        with replacing(output) as temporary, temporary.open("wb") as sink:
            rows, columns = _write(parts, sink)
        if as_json:
            print_json({"rows": rows, "columns": columns, "output": str(output)})
        else:
            remark(f"{counted(rows, 'prediction')} of {loaded.metadata['label']} written to {output}")
    elif as_json:
        tables = list(parts)
        rows, columns = sum(table.height for table in tables), tables[0].columns
        print_json(
            {"rows": rows, "columns": columns, "predictions": [row for table in tables for row in table.to_dicts()]}
        )
    else:
        _write(parts, sys.stdout.buffer)


def _streamed(model: Any, data: str) -> "Iterator[pl.DataFrame]":
    """Predictions for files, a part at a time: neither the files nor the predictions are ever all in memory."""
    import polars as pl

    any_row = False
    for columns in model.predict_files(data):
        any_row = True
        yield pl.DataFrame(columns)
    if not any_row:
        raise TreatiseError(f"{data} holds no example")


def _write(parts: "Iterator[pl.DataFrame]", sink: BinaryIO) -> tuple[int, list[str]]:
    """Write one table after another under one header; returns the number of rows and the columns."""
    rows, columns = 0, list[str]()
    for part in parts:
        # By way of Python: a pipe that the reader closed is then told as such.
        sink.write(part.write_csv(include_header=not columns).encode())
        rows, columns = rows + part.height, part.columns
    return rows, columns
