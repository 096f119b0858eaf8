"""Reading tables in every usual format, and model files that are safe to load."""

from treatise.io._table import Table
from treatise.io.models import ModelFile, load_model, save_model
from treatise.io.tables import read_table

__all__ = ["ModelFile", "Table", "load_model", "read_table", "save_model"]
