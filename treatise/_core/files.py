"""Files that are written whole or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from treatise._core.errors import TreatiseError


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path in the same folder that takes the place of ``path`` when the block ends well.

    No reader ever sees half a file. When the block raises, the temporary file goes and ``path`` stays as it was.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        yield temporary
        with temporary.open("r+b") as stream:
            os.fsync(stream.fileno())
        temporary.replace(target)
    except OSError as error:
        raise TreatiseError(f"{target} cannot be written ({error.strerror or error})") from error
    finally:
        temporary.unlink(missing_ok=True)
