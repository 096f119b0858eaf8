"""Settings that an estimator's default is measured by: a few of its catalogue's search space."""

from collections.abc import Mapping
from typing import Any

from treatise.catalog import ComparisonEntry, SearchRange
from treatise.compare.contest.tuning import draw_settings

JOINT = 4
STEPS = 4


def settings_of(compare: ComparisonEntry, seed: int = 0) -> list[dict[str, Any]]:
    """What the catalogue settles, draws of all parameters together, and each parameter alone at a few values.

    One parameter alone, beside defaults, tells which default is at fault; draws find what several together are worth.
    """
    settled = {name: value for name, value in compare.params.items() if name != "random_state"}
    joint = [{**settled, **drawn} for drawn in draw_settings(compare.search, JOINT, seed)]
    alone = [{name: value} for name, value in settled.items()]
    alone += [{name: value} for name, values in compare.search.items() for value in spread(values)]
    every = [*([settled] if settled else []), *joint, *alone]
    return [setting for place, setting in enumerate(every) if setting not in every[:place]]


def spread(values: tuple[Any, ...] | SearchRange) -> tuple[Any, ...]:
    """The values of a list; of a range both ends and what divides it evenly."""
    if isinstance(values, tuple):
        return values
    places = [step / (STEPS - 1) for step in range(STEPS)]
    if values.log:
        found = [values.low * (values.high / values.low) ** place for place in places]
    else:
        found = [values.low + (values.high - values.low) * place for place in places]
    return tuple(round(value) if values.integer else float(f"{value:.3g}") for value in found)


def in_words(setting: Mapping[str, Any]) -> str:
    """A setting as a person writes it."""
    shown = (
        f"{name}={value:.3g}" if isinstance(value, float) else f"{name}={value!r}" for name, value in setting.items()
    )
    return ", ".join(shown) or "the default"
