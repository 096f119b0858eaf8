"""What divides the fields of delimited text."""

from collections import Counter
from pathlib import Path

import numpy as np

from treatise.io.source import field_loops as loops
from treatise.io.source.content import endings
from treatise.io.source.values import is_number

DELIMITER_NAMES = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars", " ": "blanks"}
DELIMITERS = "".join(DELIMITER_NAMES)
"""What may divide fields; a blank stands for any run of blanks."""
SAMPLE_RECORDS = 200
_SAMPLE_BYTES = 1 << 18


def possible_delimiters(path: Path, format: str | None = None) -> str:
    """What may divide the fields of a file with this name, or of this format."""
    ends = endings(path)
    if format == "tsv" or (format is None and ends & {".tsv", ".tab"}):
        return "\t"
    # In a .csv file a blank is part of a name, not a delimiter.
    return DELIMITERS.replace(" ", "") if ".csv" in ends else DELIMITERS


def find_delimiter(text: bytes, delimiters: str = DELIMITERS) -> str:
    """The delimiter that divides the first records into equally many fields, with the cleanest cells."""
    sample = text[:_SAMPLE_BYTES].lstrip() or text.lstrip()[:_SAMPLE_BYTES]
    whole = len(text) <= _SAMPLE_BYTES
    data = np.frombuffer(sample, np.uint8)
    best, best_score = delimiters[0], (0.0, 0.0)
    for delimiter in delimiters:
        counts = np.empty(SAMPLE_RECORDS, np.int64)
        found = loops.count_fields(data, ord(delimiter), counts)
        # The last record of a sample may be cut.
        counts = counts[: found if whole or found in (1, SAMPLE_RECORDS) else found - 1]
        common, times = Counter(counts.tolist()).most_common(1)[0]
        # Blanks divide words, too: a first line of one word is no row of a table divided by blanks.
        if common == 1 or (delimiter == " " and counts[0] == 1):
            continue
        agreement = times / len(counts)
        score = (agreement, _cleanness(sample, delimiter, len(counts)))
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _cleanness(sample: bytes, delimiter: str, n_records: int) -> float:
    """Share of the cells in which no other delimiter is left, decimal commas aside."""
    clean = cells = 0
    others = [other for other in ",\t;|" if other != delimiter]
    for line in sample.decode("utf-8", "ignore").splitlines()[:n_records]:
        for cell in line.split() if delimiter == " " else line.split(delimiter):
            cell = cell.strip()
            number = delimiter == ";" and is_number(cell.replace(",", "."))
            cells += 1
            clean += number or cell.startswith('"') or not any(other in cell for other in others)
    return clean / max(cells, 1)
