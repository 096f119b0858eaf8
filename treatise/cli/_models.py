"""``treatise fit`` and ``treatise predict``: one method, one model file."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from treatise._core.files import replacing
from treatise.cli._compare import Data, Header, Seed, Target, Task
from treatise.cli._console import Json, counted, print_json, remark, say


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
    as_json: Json = False,
) -> None:
    """Fit one method to a table and save it."""
    from treatise.compare import fit_method, parse_setting
    from treatise.io import save_model

    params = dict(parse_setting(text) for text in setting or ())
    pipeline, about, problem = fit_method(method, data, target, task=task, params=params, header=header, seed=seed)
    save_model(pipeline, output, metadata=about)
    if as_json:
        print_json({"model": str(output), **about, "data": problem.describe()})
        return
    rows = f"{counted(problem.n_rows, 'row')} of {problem.name}"
    say(f"{about['label']} fitted to {rows} ({problem.task}, target {problem.target!r})")
    say(f"Model: {output}")


def predict(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A model file of `treatise fit` or `treatise compare`.")
    ],
    data: Annotated[str, typer.Argument(metavar="DATA", help="A table with the columns that the model knows.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The CSV file to write; standard output if not given."),
    ] = None,
    header: Header = None,
    as_json: Json = False,
) -> None:
    """Predict every row of a table with a saved model."""
    from treatise.compare import predict_table
    from treatise.datasets import load_table
    from treatise.io import load_model

    loaded = load_model(model)
    predictions = predict_table(loaded, load_table(data, header=header))
    if output is not None:
        with replacing(output) as temporary:
            predictions.write_csv(temporary)
    if as_json:
        written = {"predictions": predictions.to_dicts()} if output is None else {"output": str(output)}
        print_json({"rows": predictions.height, "columns": predictions.columns, **written})
    elif output is None:
        predictions.write_csv(sys.stdout.buffer)
    else:
        remark(f"{counted(predictions.height, 'prediction')} of {loaded.metadata['label']} written to {output}")
