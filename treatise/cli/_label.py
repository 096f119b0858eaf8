"""``treatise label``: the labels of sentences by a saved model."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treatise._core.errors import TreatiseError
from treatise._core.files import replacing
from treatise.cli._compare import Header
from treatise.cli._console import Json, counted, print_json, remark

if TYPE_CHECKING:
    from treatise.io import ModelFile


def label(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A model file of `treatise compare` with --task sequence.")
    ],
    data: Annotated[str, typer.Argument(metavar="DATA", help="Sentences in CoNLL columns, or a table of sequences.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write, in the columns of DATA.")
    ],
    header: Header = None,
    as_json: Json = False,
) -> None:
    """Label the words of a file's sentences, or a table of sequences, with a saved model."""
    from treatise.compare import is_table
    from treatise.io import load_model

    if output.exists() and output.samefile(data):
        raise TreatiseError(f"--output {output} is the file that is read; choose another, so that nothing is lost")
    loaded = load_model(model)
    with warnings.catch_warnings(record=True) as words_on_labels:
        warnings.simplefilter("always", UserWarning)
        counts = _label_table(loaded, data, output, header) if is_table(data) else _label_conll(loaded, data, output)
    if as_json:
        print_json({**counts, "column": loaded.metadata["target"], "output": str(output)})
        return
    for word in words_on_labels:
        remark(str(word.message))
    what = " of ".join(counted(number, name.removesuffix("s")) for name, number in reversed(counts.items()))
    remark(f"{what} labelled and written to {output}")


def _label_conll(model: "ModelFile", data: str, output: Path) -> dict[str, int]:
    from treatise.compare import label_sentences
    from treatise.io import read_conll, write_conll

    sentences = label_sentences(model, read_conll(data))
    write_conll(output, sentences)
    return {"sentences": len(sentences), "words": sum(len(sentence) for sentence in sentences)}


def _label_table(model: "ModelFile", data: str, output: Path, header: bool | None) -> dict[str, int]:
    from treatise.compare import label_table
    from treatise.io import read_table

    table = label_table(model, read_table(data, header=header))
    with replacing(output) as temporary:
        table.write_csv(temporary)
    return {"rows": table.height}
