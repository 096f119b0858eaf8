"""Single cells measured by flow cytometry (Sachs and others, 2005)."""

from typing import NamedTuple

import numpy as np

from treatise.datasets._home import locate
from treatise.io import read_table


class CellSignals(NamedTuple):
    """Amounts of eleven proteins and lipids in single cells, their names, and the textbook's arcs (parent, child)."""

    X: np.ndarray
    names: tuple[str, ...]
    arcs: tuple[tuple[int, int], ...]


GENERAL_STIMULATION = 1755
"""Cells under general stimulation, which come first in the file: 853 with anti-CD3/CD28, 902 with ICAM-2 added."""

TEXTBOOK = {
    "pkc": "pka raf mek jnk p38", "pka": "raf mek erk akt jnk p38", "raf": "mek", "mek": "erk", "erk": "akt",
    "plc": "pip2 pkc", "pip3": "plc pip2 akt", "pip2": "pkc",
}  # fmt: skip
"""Effects of each signal in the network that Sachs and others take for known: 20 arcs."""

NAMES = {"praf": "raf", "pmek": "mek", "plcg": "plc", "p44/42": "erk", "pakts473": "akt", "pjnk": "jnk"}


def load_cell_signals(*, general: bool = True) -> CellSignals:
    """Flow cytometry of the signalling network of T cells (Sachs and others, 2005).

    Parameters
    ----------
    general : bool, default=True
        Only the 1755 cells without specific intervention; False gives all 7466.

    Returns
    -------
    data : CellSignals
    """
    table = read_table(locate("graphical/cyto_full_data.csv"), header=True).frame
    X, names = table.to_numpy(), [NAMES.get(name, name.lower()) for name in table.columns]
    arcs = tuple(
        (names.index(cause), names.index(effect)) for cause, effects in TEXTBOOK.items() for effect in effects.split()
    )
    return CellSignals(X[:GENERAL_STIMULATION] if general else X, tuple(names), arcs)
