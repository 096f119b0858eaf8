"""The declarations that head a file of the KEEL repository: ``@relation``, ``@attribute``, ``@data``."""

import re

from treatise._core.errors import TreatiseError

_ATTRIBUTE = re.compile(r"@attribute\s+('[^']*'|\"[^\"]*\"|[^\s{\[]+)", re.IGNORECASE)


def split_keel(text: bytes) -> tuple[tuple[str, ...], bytes]:
    """The declared attributes' names, and the rows."""
    declared = re.search(rb"^[ \t]*@data[ \t\r]*$", text, re.IGNORECASE | re.MULTILINE)
    if not declared:
        raise TreatiseError("the declarations begin with @relation, but no line says @data")
    head = text[: declared.start()].decode()
    names = tuple(name.strip("'\"") for name in _ATTRIBUTE.findall(head))
    if not names:
        raise TreatiseError("no @attribute is declared before @data")
    rows = text[declared.end() :]
    if not rows.strip():
        raise TreatiseError("there is no row beneath @data")
    return names, rows
