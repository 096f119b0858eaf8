"""From a table as people keep it to a matrix of numbers, learnt inside each training fold, and on to a method.

One file for each kind of column: numbers, dates, categories, the means of the target that many categories have, text.
A new kind is a class beside these, a word in :func:`~treatise.compare.inputs.columns.kind_of`, and a line in
:mod:`~treatise.compare.inputs.encoding.table`.
"""

from treatise.compare.inputs.encoding.frames import as_frame
from treatise.compare.inputs.encoding.pipeline import Densify, NeverEmpty, Scale, Screen, table_pipeline
from treatise.compare.inputs.encoding.table import TableEncoder

__all__ = ["Densify", "NeverEmpty", "Scale", "Screen", "TableEncoder", "as_frame", "table_pipeline"]
