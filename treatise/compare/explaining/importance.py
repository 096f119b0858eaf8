"""Which columns matter to the best methods, never missing in silence."""

from collections.abc import Mapping, Sequence

from treatise.report.explained import ColumnEffect, MethodImportance
from treatise.report.record import LeaderboardEntry


def importances(
    entries: Sequence[LeaderboardEntry], features: Sequence[str], effects: Mapping[str, Sequence[ColumnEffect] | str]
) -> tuple[MethodImportance, ...]:
    """What each column is worth to each method, or why that is not known.

    Parameters
    ----------
    entries : sequence of LeaderboardEntry
        The methods.
    features : sequence of str
        The columns that predict.
    effects : mapping
        By a method's key: the effects of its columns, or a sentence that says why there are none.

    Returns
    -------
    tuple of MethodImportance
        One for each method, in the order given.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from treatise.compare.explaining import importances
    >>> entry = SimpleNamespace(key="k", label="A method", form="tree")
    >>> importances([entry], ["a", "b"], {})[0].why_not
    'No time was left to shuffle the columns for A method; give the run a larger --budget.'
    """
    return tuple(_importance(entry, features, effects.get(entry.key, ())) for entry in entries)


def _importance(
    entry: LeaderboardEntry, features: Sequence[str], found: Sequence[ColumnEffect] | str
) -> MethodImportance:
    if isinstance(found, str):
        return MethodImportance(entry.key, entry.label, (), found)
    if entry.form == "blend" and not found:
        why = f"{entry.label} mixes what other methods predict; the columns were shuffled for those alone."
        return MethodImportance(entry.key, entry.label, (), why)
    if not features:
        return MethodImportance(entry.key, entry.label, (), "These data have no columns to shuffle.")
    columns = tuple(sorted(found, key=lambda effect: -effect.mean))
    why = ""
    if not columns:
        why = f"No time was left to shuffle the columns for {entry.label}; give the run a larger --budget."
    elif len(columns) < len(features):
        why = (
            f"Time was left for {len(columns):,} of the {len(features):,} columns; "
            "give the run a larger --budget for the others."
        )
    return MethodImportance(entry.key, entry.label, columns, why)
