"""Reading tables in every usual format, sentences in columns, and model files that are safe to load."""

from treatise.io.bif import BIFNetwork, read_bif, write_bif
from treatise.io.cassandra import ProcessFile, read_cassandra, write_cassandra
from treatise.io.conll import CONLLU_COLUMNS, Sentence, iterate_conll, read_conll, write_conll
from treatise.io.models import ModelFile, load_model, save_model
from treatise.io.preflib import PrefLibRankings, is_preflib, read_preflib, write_preflib
from treatise.io.r_data import read_r_data
from treatise.io.streams import Chunk, Stream
from treatise.io.tables import Table, TableBlocks, read_table

__all__ = [
    "CONLLU_COLUMNS",
    "BIFNetwork",
    "Chunk",
    "ModelFile",
    "PrefLibRankings",
    "ProcessFile",
    "Sentence",
    "Stream",
    "Table",
    "TableBlocks",
    "is_preflib",
    "iterate_conll",
    "load_model",
    "read_bif",
    "read_cassandra",
    "read_conll",
    "read_preflib",
    "read_r_data",
    "read_table",
    "save_model",
    "write_bif",
    "write_cassandra",
    "write_conll",
    "write_preflib",
]
