"""``treatise label``: the labels of sentences by a saved model."""

from pathlib import Path
from typing import Annotated

import typer

from treatise.cli._console import Json, counted, print_json, remark


def label(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A model file of `treatise compare` with --task sequence.")
    ],
    data: Annotated[str, typer.Argument(metavar="DATA", help="Sentences in CoNLL or CoNLL-U columns.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write, in the columns of DATA.")
    ],
    as_json: Json = False,
) -> None:
    """Label the words of a file's sentences with a saved model."""
    from treatise.compare import label_sentences
    from treatise.io import load_model, read_conll, write_conll

    loaded = load_model(model)
    sentences = label_sentences(loaded, read_conll(data))
    write_conll(output, sentences)
    words = sum(len(sentence) for sentence in sentences)
    if as_json:
        target = loaded.metadata["target"]
        print_json({"sentences": len(sentences), "words": words, "column": target, "output": str(output)})
    else:
        remark(f"{counted(words, 'word')} of {counted(len(sentences), 'sentence')} labelled and written to {output}")
