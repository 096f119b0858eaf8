"""Errors that speak to the person at the keyboard."""


class TreatiseError(Exception):
    """Something the user can mend: the message says what was wrong and what would be right."""


class DataNotFoundError(TreatiseError):
    """A data file that the library does not ship is absent from the data home, or is not the expected one."""
