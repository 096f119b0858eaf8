"""LIBSVM text: a label and the features that are not zero on each line."""

import numpy as np
import polars as pl
from scipy import sparse

from treatise._core.errors import TreatiseError
from treatise.io.tables import libsvm_loops as loops


def read_libsvm(text: bytes) -> tuple[pl.DataFrame, sparse.csr_matrix, tuple[str, ...]]:
    """Labels (a frame with the column ``"label"``), features, and notes."""
    data = np.frombuffer(text, np.uint8)
    n_lines, n_pairs = text.count(b"\n") + 1, text.count(b":")
    labels, values = np.empty(n_lines), np.empty(n_pairs)
    indptr, indices = np.zeros(n_lines + 1, np.int64), np.empty(n_pairs, np.int64)
    # Pages of these that are never written are never taken from the system.
    open_at, open_past, open_slot = (np.empty(n_lines + n_pairs, np.int64) for _ in range(3))
    status, line, first, past, rows, filled, opened, queries = loops.parse(
        data, labels, indptr, indices, values, open_at, open_past, open_slot
    )
    if status != loops.FINE:
        _refuse(status, line, text[first:past].decode(errors="replace"))
    if rows == 0:
        raise TreatiseError("there are comments but no rows")
    numbers = _numbers(text, open_at[:opened], open_past[:opened])
    slots = open_slot[:opened]
    values[slots[slots >= 0]] = numbers[slots >= 0]
    labels[-1 - slots[slots < 0]] = numbers[slots < 0]
    # Files that number their features from 0 have one with the number 0, as scikit-learn also takes it.
    base = 0 if filled and indices[:filled].min() == 0 else 1
    width = int(indices[:filled].max()) + 1 - base if filled else 0
    kind = np.int32 if filled < np.iinfo(np.int32).max else np.int64
    matrix = sparse.csr_matrix(
        (values[:filled].copy(), (indices[:filled] - base).astype(kind), indptr[: rows + 1].astype(kind)),
        shape=(rows, width),
    )
    notes: tuple[str, ...] = () if base == 1 else ("features are numbered from 0",)
    if queries:
        notes += (f"the query numbers (qid) of {queries} rows were left out",)
    return pl.DataFrame({"label": _whole(labels[:rows])}), matrix, notes


def _numbers(text: bytes, firsts: np.ndarray, pasts: np.ndarray) -> np.ndarray:
    """Numbers that the fast way left open, rounded correctly; ``inf`` and ``nan`` among them."""
    numbers = np.empty(len(firsts))
    for i, (first, past) in enumerate(zip(firsts.tolist(), pasts.tolist())):
        try:
            numbers[i] = float(text[first:past])
        except ValueError:
            line, token = text.count(b"\n", 0, first) + 1, text[first:past].decode(errors="replace")
            raise TreatiseError(f"line {line} holds {token!r} where a number belongs") from None
    return numbers


def _whole(labels: np.ndarray) -> np.ndarray:
    """Labels as integers where all are."""
    if np.all(np.abs(labels) < 2.0**53) and np.all(labels == np.rint(labels)):
        return labels.astype(np.int64)
    return labels


def _refuse(status: int, line: int, token: str) -> None:
    shown = repr(token if len(token) <= 40 else token[:40] + "...")
    raise TreatiseError(
        {
            loops.LABEL: f"line {line} begins with {shown}, which is no label (a number)",
            loops.SEVERAL_LABELS: f"line {line} has several labels ({shown}); one for each row is understood",
            loops.PAIR: f"line {line} holds {shown} where index:value belongs",
            loops.INDEX: f"line {line}: the index in {shown} is no whole number from 0 on",
            loops.LARGE: f"line {line}: the index in {shown} is too large; {loops.LARGEST_INDEX} is the last",
            loops.REPEATED: f"line {line} holds the index of {shown} twice",
            loops.DECREASING: f"line {line}: the index in {shown} is below the one before; indices must rise",
            loops.VALUE: f"line {line}: the value in {shown} is no number",
        }[status]
    )
