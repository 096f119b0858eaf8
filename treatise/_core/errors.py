"""Errors that speak to the person at the keyboard."""

_MOST_SAID, _LAST = 2000, 500


class TreatiseError(Exception):
    """Something the user can mend: the message says what was wrong and what would be right.

    What it quotes may come from a file that is one line of ten million letters; it is told without its middle.
    """

    def __str__(self) -> str:
        said = super().__str__()
        return said if len(said) <= _MOST_SAID else f"{said[: _MOST_SAID - _LAST - 5]} ... {said[-_LAST:]}"


class DataNotFoundError(TreatiseError):
    """A data file that the library does not ship is absent from the data home, or is not the expected one."""
