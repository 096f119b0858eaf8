"""``treatise fit`` and ``treatise predict``: one method, one model file."""

import sys
import warnings
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from treatise._core.errors import TreatiseError
from treatise._core.files import replacing
from treatise.cli._compare import Bag, Data, Event, Group, Header, Seed, Targets, Task, Time
from treatise.cli._console import Column, Json, Spreadsheet, counted, interval, print_json, print_table, remark, say

if TYPE_CHECKING:
    from treatise.compare.inputs import Part
    from treatise.compare.inputs.answers import Score


def fit(
    method: Annotated[
        str, typer.Argument(metavar="METHOD", help="An estimator's name, or the id of a paper with one.")
    ],
    data: Data,
    target: Targets = None,
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
    time: Time = None,
    event: Event = None,
    bag: Bag = None,
    as_json: Json = False,
) -> None:
    """Fit one method to a table or to sequences and save it."""
    from treatise.compare import fit_method, parse_setting
    from treatise.io import save_model
    from treatise.report.record import to_plain

    params = dict(parse_setting(text) for text in setting or ())
    pipeline, about, given = fit_method(
        method,
        data,
        target,
        task=task,
        params=params,
        header=header,
        seed=seed,
        group=group,
        time=time,
        event=event,
        bag=bag,
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
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="A column of the table to carry through, or 'all'; may be repeated."),
    ] = None,
    score: Annotated[
        bool, typer.Option("--score", help="Judge a labelled table, and print every measure of the task.")
    ] = False,
    threshold: Annotated[
        float | None,
        typer.Option(help="For two classes: the probability of the rarer from which on a row is said to be of it."),
    ] = None,
    interval: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="For amounts: add columns lower and upper, between which they lie with this probability, such as 0.9.",
        ),
    ] = None,
    spreadsheet: Spreadsheet = False,
    header: Header = None,
    as_json: Json = False,
) -> None:
    """Predict new data with a saved model, in the format of their kind.

    A table gets a CSV file of predictions, each with a probability or score, and sequences come back with their labels
    filled in. Labels and columns are written as they are, also such as begin with =, which a spreadsheet would run:
    for data from strangers there is --spreadsheet. ``label`` is another name of this command.
    """
    from treatise.compare.early import refuse_early

    refuse_early(data, (), others=(model,))
    if threshold is not None and not 0.0 < threshold < 1.0:
        raise TreatiseError(f"a threshold of {threshold:g} is no probability; give one between 0 and 1, such as 0.3")
    if interval is not None and not 0.0 < interval < 1.0:
        raise TreatiseError(f"an interval of {interval:g} is no probability; give one between 0 and 1, such as 0.9")
    from treatise.compare.inputs import served_kind
    from treatise.io import load_model

    if output is not None and output.exists() and Path(data).exists() and output.samefile(data):
        raise TreatiseError(f"--output {output} is the file that is read; choose another, so that nothing is lost")
    loaded = load_model(model)
    kind = served_kind(loaded)
    wishes = {"keep": keep or None, "threshold": threshold, "interval": interval, "score": score or None}
    wishes = {name: wish for name, wish in wishes.items() if wish is not None}
    for name in wishes:
        if name not in kind.wishes:
            raise TreatiseError(f"--{name} is for models of tables; this one predicts {kind.kind}")
    wishes.pop("score", None)
    with warnings.catch_warnings(record=True) as remarks:
        warnings.simplefilter("always", UserWarning)
        if score:
            judged = kind.score(loaded, data, header=header, threshold=threshold)
            if output is None:
                _print_score(judged, remarks, as_json=as_json)
                return
        parts = kind.predict(loaded, data, header=header, **wishes)
        if spreadsheet:
            parts = (part.without_formulas() for part in parts)
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
        print_json(answer | (_plain_score(judged) if score else {}))
        return
    if score:
        _print_score(judged, remarks, as_json=False)
    else:
        _pass_on(remarks)
    if output is not None:
        remark(f"{last.said(counts, loaded.metadata.get('label', 'the model'))} written to {output}")


def _pass_on(remarks: "list[warnings.WarningMessage]") -> None:
    """Every word once."""
    for word in dict.fromkeys(str(each.message) for each in remarks):
        remark(word)


def _print_score(judged: "Score", remarks: "list[warnings.WarningMessage]", *, as_json: bool) -> None:
    if as_json:
        print_json(_plain_score(judged))
        return
    _pass_on(remarks)
    say(f"{judged.source}: {counted(judged.rows, 'row')} judged")
    columns = [Column("measure"), Column("score", right=True), Column("95 % interval", wrap=False)]
    rows = [[m.metric.label, f"{m.score:.4f}", interval(m.low, m.high)] for m in judged.measurements]
    print_table(columns, rows)


def _plain_score(judged: "Score") -> dict[str, Any]:
    """The measures as data."""
    measures = {m.metric.name: {"score": m.score, "low": m.low, "high": m.high} for m in judged.measurements}
    return {"source": judged.source, "judged": judged.rows, "measures": measures}


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
