"""Progress: one facade, so that long work everywhere shows itself alike, or not at all in a pipe."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress(description: str, total: int, *, show: bool | None = None) -> Iterator[Callable[[int], None]]:
    """Context whose value is called with the number of steps just done.

    Parameters
    ----------
    description : str
        What is being done, in a few words.
    total : int
        Number of steps.
    show : bool or None, default=None
        None draws the bar on a terminal and stays silent elsewhere.
    """
    if not (sys.stderr.isatty() if show is None else show):
        yield lambda steps: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(description, total=total)
        yield lambda steps: bar.advance(task, steps)
