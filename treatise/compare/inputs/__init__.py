"""The kinds of data that methods are compared on: one class each, with the interface of :class:`Input`.

A new kind is a new file here and a place in ``KINDS``; nothing else asks what kind it has.
"""

from treatise._core.errors import TreatiseError
from treatise.compare.inputs.bags import BagsInput
from treatise.compare.inputs.base import Explanation, FoldPredictions, HeldOut, Input, Request, Size
from treatise.compare.inputs.blocks import BlockInput
from treatise.compare.inputs.examples import ExampleFiles
from treatise.compare.inputs.grouped_table import GroupedTableInput
from treatise.compare.inputs.groups import GroupsInput
from treatise.compare.inputs.sequence_groups import SequenceGroupsInput
from treatise.compare.inputs.sequences import SequenceInput
from treatise.compare.inputs.served import Part, Served
from treatise.compare.inputs.survival import SurvivalInput
from treatise.compare.inputs.table import TableInput
from treatise.compare.inputs.targets import TargetsInput
from treatise.io import ModelFile

__all__ = [
    "KINDS",
    "Explanation",
    "FoldPredictions",
    "HeldOut",
    "Input",
    "Part",
    "Request",
    "Served",
    "Size",
    "read_input",
    "served_kind",
]

KINDS: list[type[Input]] = [
    BagsInput,
    SequenceGroupsInput,
    GroupsInput,
    SurvivalInput,
    TargetsInput,
    SequenceInput,
    BlockInput,
    GroupedTableInput,
    TableInput,
]
"""Every kind of input, asked in this order whether it takes a source."""

PREDICTED: list[type[Served]] = [ExampleFiles]
"""What saved models predict though no comparison reads it."""


def read_input(request: Request) -> Input:
    """The source of a request, read by the first kind that takes it."""
    return next(kind for kind in KINDS if kind.accepts(request)).read(request)


def served_kind(model: ModelFile) -> type[Served]:
    """The kind of data that a model file predicts."""
    for kind in (*KINDS, *PREDICTED):
        if kind.serves(model):
            return kind
    raise TreatiseError(
        "the model file does not say what it predicts; those of `treatise compare`, `treatise fit` and "
        "`treatise stream` do"
    )
