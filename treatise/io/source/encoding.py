"""Telling text from other content, and bringing it to UTF-8 with plain line ends."""

import numpy as np

from treatise._core.errors import TreatiseError
from treatise._core.jit import compiled

UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_KINDS = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or an Excel workbook; unpack it, or save the sheet as CSV"),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word file; save the sheet as CSV"),
    (b"\x89HDF", "an HDF5 or MATLAB 7.3 file"),
    (b"MATLAB", "a MATLAB file"),
    (b"ARROW1", "an Arrow or Feather file; save it as Parquet"),
    (b"\x93NUMPY", "a NumPy array; save it as CSV"),
    (b"SQLite format 3", "an SQLite database"),
    (b"RDX", "an R data file; save it as CSV"),
    (b"\x7fELF", "a program"),
)
_BYTES_PER_STRAY = 10_000
_CONTROL = bytes(byte for byte in (*range(1, 32), 127) if not 9 <= byte <= 13)
_STRAYS_TO_BLANKS = bytes.maketrans(_CONTROL, b" " * len(_CONTROL))


def refuse_wide(head: bytes) -> None:
    """Raise for text that can only be read as a whole, where it is to be read in blocks."""
    if head.startswith(UTF16_MARKS):
        raise TreatiseError("UTF-16 text is not read in blocks; save it as UTF-8")


def plain_text(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The same text as UTF-8 without a mark at its start and with line feeds, and notes on what was done."""
    notes: tuple[str, ...] = ()
    if data.startswith(UTF16_MARKS):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeDecodeError:
            raise TreatiseError("the file begins like UTF-16 text but is not; save it as UTF-8") from None
        notes = ("the text is UTF-16",)
    data = data.removeprefix(b"\xef\xbb\xbf").rstrip(b"\x1a")
    data, strays = _without_strays(data)
    notes += strays
    if not data.isascii():
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            data = _from_windows(data, error.start)
            notes += ("the text is not UTF-8 and was read as Latin-1",)
    # The line feed after the last line may have been put there by the reader of blocks.
    if b"\r" in data and data.find(b"\n", 0, len(data) - 1) < 0:
        data = data.replace(b"\r", b"\n")
    if not data or data.isspace():
        raise TreatiseError("the file holds nothing but blanks" if data else "the file is empty")
    return data, notes


def _without_strays(data: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The text with blanks for a few stray control characters, such as mail and old programs leave in sentences.

    Raises for content that cannot be the text of a table, by name where its first bytes tell.
    """
    at, count, zeros = control_characters(np.frombuffer(data, np.uint8))
    if count == 0 and not data.startswith(b"%PDF-"):
        return data, ()
    for magic, kind in _KINDS:
        if data.startswith(magic):
            raise TreatiseError(f"this is no table but {kind}")
    if zeros or count * _BYTES_PER_STRAY > len(data):
        line = data.count(b"\n", 0, at) + 1
        raise TreatiseError(f"this is no text: line {line} holds the control character {data[at]:#04x}")
    return data.translate(_STRAYS_TO_BLANKS), (f"{count} control character{'s' * (count > 1)} became blanks",)


def _from_windows(data: bytes, start: int) -> bytes:
    """Latin-1 as everybody writes it: Windows' superset, which leaves five bytes undefined."""
    try:
        return data.decode("cp1252").encode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, start) + 1
        raise TreatiseError(
            f"this is neither UTF-8 (see line {line}) nor Latin-1 text (byte {data[error.start]:#04x}); "
            "save it as UTF-8"
        ) from None


@compiled
def control_characters(data: np.ndarray) -> tuple[int, int, bool]:
    """Position of the first control character that no table holds, or -1, how many there are, and whether a zero is.

    Tab, line feed, vertical tab, form feed and carriage return (9 to 13) may stand in text.
    """
    first, count, zeros = -1, 0, False
    for at in range(len(data)):
        byte = data[at]
        if (byte < 32 and not 9 <= byte <= 13) or byte == 127:
            first = at if first < 0 else first
            count += 1
            zeros |= byte == 0
    return first, count, zeros
