"""Solvers that did not come to their end: what a command says of them instead of printing their warnings."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from sklearn.exceptions import ConvergenceWarning


@contextmanager
def watched_solvers() -> Iterator[list[str]]:
    """Keep warnings from the terminal; afterwards the list holds, each once, what solvers said that did not converge.

    Of a warning of many lines it is the first.
    """
    words: list[str] = []
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ConvergenceWarning)
        try:
            yield words
        finally:
            heads = (str(warning.message).strip().partition("\n")[0].rstrip(" .:") for warning in told)
            words += dict.fromkeys(heads)
