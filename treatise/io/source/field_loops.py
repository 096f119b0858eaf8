"""Fields and records of delimited text, byte by byte.

A field is bare or quoted; blanks around it, and carriage returns after it, are not part of it; inside
quotes anything goes and a doubled quote stands for one (RFC 4180). The delimiter ``BLANKS`` stands for any
run of blanks.
"""

import numpy as np

from treatise._core.jit import compiled

BLANKS = 32
_SPACE, _TAB, _FEED, _RETURN, _QUOTE = 32, 9, 10, 13, 34

BARE, QUOTED, BARE_WITH_QUOTE, OPEN_QUOTE, TEXT_AFTER_QUOTE = range(5)
FINE, RAGGED, UNCLOSED, TRAILING, TOO_LONG, UNTIDY = range(6)


@compiled
def next_field(data: np.ndarray, at: int, delimiter: int) -> tuple[int, int, int, int, bool]:
    """The field at ``at``: its first byte, the byte past its last, its kind, where the next one begins,
    and whether the record ended with it."""
    size = len(data)
    while at < size and (data[at] == _SPACE or (data[at] == _TAB and delimiter != _TAB)):
        at += 1
    kind = BARE
    first = past = at
    if at < size and data[at] == _QUOTE:
        kind = QUOTED
        at += 1
        first = at
        while at < size:
            if data[at] != _QUOTE:
                at += 1
            elif at + 1 < size and data[at + 1] == _QUOTE:
                at += 2
            else:
                break
        if at == size:
            return first, at, OPEN_QUOTE, at, True
        past = at
        at += 1
    while at < size:
        byte = data[at]
        if byte > _QUOTE and byte != delimiter and kind != QUOTED:
            at += 1
            past = at
            continue
        if byte == _FEED:
            return first, past, kind, at + 1, True
        if delimiter == BLANKS and (byte in (_SPACE, _TAB)):
            while at < size and (data[at] == _SPACE or data[at] == _TAB or data[at] == _RETURN):
                at += 1
            if at == size or data[at] == _FEED:
                return first, past, kind, min(at + 1, size), True
            return first, past, kind, at, False
        if byte == delimiter:
            return first, past, kind, at + 1, False
        if byte != _SPACE and byte != _TAB and byte != _RETURN:
            if kind == QUOTED:
                kind = TEXT_AFTER_QUOTE
            elif byte == _QUOTE and kind == BARE:
                kind = BARE_WITH_QUOTE
            past = at + 1
        at += 1
    return first, past, kind, at, True


@compiled
def count_fields(data: np.ndarray, delimiter: int, counts: np.ndarray) -> int:
    """Number of fields of each of the first ``len(counts)`` records into ``counts``; returns how many there were."""
    at, records, fields = 0, 0, 0
    while (at < len(data) or fields > 0) and records < len(counts):
        first, past, kind, at, ended = next_field(data, at, delimiter)
        fields += 1
        if ended:
            if not (fields == 1 and kind == BARE and first == past):
                counts[records] = fields
                records += 1
            fields = 0
    return records


@compiled
def rewrite(
    data: np.ndarray, delimiter: int, separator: int, longest: int, out: np.ndarray, padded: np.ndarray
) -> tuple[int, int, int, int, int, int, int]:
    """Write canonical records to ``out``: no blank lines, no blanks around fields, quotes where needed.

    ``padded`` counts for each field the bare ones that had blanks around them (row 0) and that had none (row 1), those
    of the first record left out. Returns a status, the line it concerns, the number of fields found there, the number
    of records and of fields in each, the bytes written, and those of the first record.
    """
    at, line, records, expected, fields, written, head = 0, 1, 0, 0, 0, 0, 0
    begun, begun_line = 0, 1
    while at < len(data) or fields > 0:
        start = at
        first, past, kind, at, ended = next_field(data, at, delimiter)
        if kind == OPEN_QUOTE:
            return UNCLOSED, line, fields, records, expected, written, head
        if kind == TEXT_AFTER_QUOTE:
            return TRAILING, line, fields, records, expected, written, head
        if at - begun > longest:
            return TOO_LONG, begun_line, fields, records, expected, written, head
        if ended and fields == 0 and kind == BARE and first == past:
            line += 1
            begun, begun_line = at, line
            continue
        if fields > 0:
            out[written] = separator
            written += 1
        if records > 0 and past > first and kind in (BARE, BARE_WITH_QUOTE) and fields < padded.shape[1]:
            blank = first > start or (past < len(data) and data[past] in (_SPACE, _TAB) and data[past] != delimiter)
            padded[0 if blank else 1, fields] += 1
        fields += 1
        if kind != BARE:
            out[written] = _QUOTE
            written += 1
        for i in range(first, past):
            out[written] = data[i]
            written += 1
            if kind != BARE:
                if kind == BARE_WITH_QUOTE and data[i] == _QUOTE:
                    out[written] = _QUOTE
                    written += 1
                line += data[i] == _FEED
        if kind != BARE:
            out[written] = _QUOTE
            written += 1
        if ended:
            out[written] = _FEED
            written += 1
            if records == 0:
                expected, head = fields, written
            elif fields != expected:
                return RAGGED, begun_line, fields, records, expected, written, head
            records += 1
            fields = 0
            line += 1
            begun, begun_line = at, line
    return FINE, line, fields, records, expected, written, head


@compiled
def survey(data: np.ndarray, delimiter: int, longest: int) -> tuple[int, int, int, int, int, int, int]:
    """Whether text without quotes is canonical as it stands; if so, whether its records agree.

    Returns the same as :func:`rewrite`, with the status ``UNTIDY`` where blanks or blank lines must go first.
    """
    line, expected, fields, begun, head, before = 1, 0, 1, 0, 0, _FEED
    for at in range(len(data)):
        byte = data[at]
        if byte > delimiter and byte > _SPACE:
            before = byte
            continue
        if byte == delimiter:
            if before in (_SPACE, _TAB, _RETURN):
                return UNTIDY, line, fields, line, expected, at, head
            fields += 1
        elif byte == _FEED:
            last = data[at - 2] if before == _RETURN and at - begun > 1 else before
            if at == begun or last in (_SPACE, _TAB, _RETURN):
                return UNTIDY, line, fields, line, expected, at, head
            if line == 1:
                expected, head = fields, at + 1
            elif fields != expected:
                return RAGGED, line, fields, line, expected, at, head
            if at - begun > longest:
                return TOO_LONG, line, fields, line, expected, at, head
            line += 1
            fields = 1
            begun = at + 1
        elif (byte in (_SPACE, _TAB)) and (before in (_FEED, delimiter)):
            return UNTIDY, line, fields, line, expected, at, head
        before = byte
    return FINE, line, fields, line - 1, expected, len(data), head
