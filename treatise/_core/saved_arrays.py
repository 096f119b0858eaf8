"""States of work in progress, saved by NumPy, that may come from a stranger."""

import os
import zipfile

import numpy as np


def load_arrays(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """The arrays of a file that ``np.savez`` wrote, which runs no code and fills no memory beyond its own size.

    Raises
    ------
    OSError, ValueError, zipfile.BadZipFile
        Where the file cannot be read, or is none that ``np.savez`` wrote.
    """
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
    # Members are stored as they are, so that a small file cannot unfold to fill the memory.
    stored = all(member.compress_type == zipfile.ZIP_STORED for member in members)
    if not stored or sum(member.file_size for member in members) > os.path.getsize(path):
        raise ValueError("it is compressed inside, as no saved state is")
    with np.load(path, allow_pickle=False) as held:
        return dict(held)
