"""``treatise fit`` and ``treatise predict``: one method, one model file."""

import sys
import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from treatise._core.errors import TreatiseError
from treatise._core.files import replacing
from treatise.cli._compare import Data, Group, Header, Seed, Target, Task
from treatise.cli._console import Json, counted, print_json, remark, say

if TYPE_CHECKING:
    from treatise.compare.inputs import Part


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
    """Fit one method to a table or to sequences and save it."""
    from treatise.compare import fit_method, parse_setting
    from treatise.io import save_model
    from treatise.report.record import to_plain

    params = dict(parse_setting(text) for text in setting or ())
    pipeline, about, given = fit_method(
        method, data, target, task=task, params=params, header=header, seed=seed, group=group
    )
    save_model(pipeline, output, metadata=about)
    data_as_read = given.describe()
    if as_json:
        print_json({"model": str(output), **about, "data": to_plain(data_as_read)})
        return
    rows = f"{counted(data_as_read.rows, 'row')} of {data_as_read.name}"
    say(f"{about['label']} fitted to {rows} ({data_as_read.question})")
    say(f"Model: {output}")


def predict(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL", help="A model file of `treatise compare`, `treatise fit` or `treatise stream`."
        ),
    ],
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="New data of the kind that the model was fitted to: a table, sentences in CoNLL columns, a table of "
            "sequences, or files of examples.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The file to write; standard output if not given."),
    ] = None,
    header: Header = None,
    as_json: Json = False,
) -> None:
    """Predict new data with a saved model, in the format of their kind.

    A table gets a CSV file of predictions, and sequences come back with their labels filled in. ``label`` is another
    name of this command.
    """
    from treatise.compare.inputs import served_kind
    from treatise.io import load_model

    if output is not None and output.exists() and Path(data).exists() and output.samefile(data):
        raise TreatiseError(f"--output {output} is the file that is read; choose another, so that nothing is lost")
    loaded = load_model(model)
    with warnings.catch_warnings(record=True) as remarks:
        warnings.simplefilter("always", UserWarning)
        parts = served_kind(loaded).predict(loaded, data, header=header)
        if output is not None:
            with replacing(output) as temporary, temporary.open("wb") as sink:
                last, counts = _write(parts, sink)
            answer = {**counts, **last.about, "output": str(output)}
        elif as_json:
            found = list(parts)
            last, counts = found[-1], _sum(part.counts for part in found)
            answer = {**counts, **last.about, "predictions": [row for part in found for row in part.rows()]}
        else:
            _write(parts, sys.stdout.buffer)
    if as_json:
        print_json(answer)
        return
    for word in remarks:
        remark(str(word.message))
    if output is not None:
        remark(f"{last.said(counts, loaded.metadata.get('label', 'the model'))} written to {output}")


def _write(parts: "Iterable[Part]", sink: BinaryIO) -> "tuple[Part, dict[str, int]]":
    """Write one part after another; returns the last one, and how many of what was written."""
    counts: Counter[str] = Counter()
    for part in parts:
        # By way of Python: a pipe that the reader closed is then told as such.
        sink.write(part.text(first=not counts).encode())
        counts.update(part.counts)
    return part, dict(counts)


def _sum(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total)
