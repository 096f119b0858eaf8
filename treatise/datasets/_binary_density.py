"""Binary tables on which densities and Markov networks are compared, divided as in the literature."""

import numpy as np
import polars as pl

from treatise.datasets._home import locate
from treatise.io import read_table

DENSITY_TABLES = ("nltcs", "plants", "baudio", "jester", "accidents", "dna")


def load_binary_density(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A binary table in its usual three parts: rows to learn from, to tune on, and to test on.

    Parameters
    ----------
    name : {"nltcs", "plants", "baudio", "jester", "accidents", "dna"}
        16 abilities of old people, plants found in 69 places, listeners of 100 artists, likers of 100 jokes, 111
        circumstances of traffic accidents, 180 bits of gene sequences.

    Returns
    -------
    train, valid, test : ndarray of uint8 of shape (n_rows, n_columns)
        Zeros and ones.
    """
    if name not in DENSITY_TABLES:
        raise ValueError(f"{name!r} is not among the binary tables: {', '.join(DENSITY_TABLES)}")
    train, valid, test = (_read(name, part) for part in ("train", "valid", "test"))
    return train, valid, test


def _read(name: str, part: str) -> np.ndarray:
    return read_table(locate(f"density/{name}.{part}.data.gz"), header=False).frame.cast(pl.UInt8).to_numpy()
