"""Reading tables in every usual format, and model files that are safe to load."""

from treatise.io._stream_rows import Chunk
from treatise.io._table import Table
from treatise.io.blocks import TableBlocks
from treatise.io.models import ModelFile, load_model, save_model
from treatise.io.streams import Stream
from treatise.io.tables import read_table

__all__ = ["Chunk", "ModelFile", "Stream", "Table", "TableBlocks", "load_model", "read_table", "save_model"]
