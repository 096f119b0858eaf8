"""Pictures of a designed search: the effects of a screening, and the way to the best setting."""

import numpy as np

from treatise._core.figures import axes_for
from treatise.search.designs.result import DesignedSearchResult, Screening

KEPT, LEFT = "#1b6ca8", "#b8c4cc"
STAGES = {
    "default": ("#5f5f5f", "D"),
    "screening": ("#b8a04a", "s"),
    "ascent": ("#1b6ca8", "o"),
    "first order": ("#6a8f3c", "^"),
    "second order": ("#c8553d", "v"),
}


def plot_effects(search, *, ax=None):
    """Draw what each factor does to the response, from a screening.

    A bar is the mean response at the high level less that at the low level; those that stepwise regression kept are
    dark, with the partial F with which they entered.

    Parameters
    ----------
    search : Screening, DesignedSearchResult or fitted DesignedSearchCV
        What was screened.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from treatise.search import designed_search, plot_effects
    >>> found = designed_search(lambda heat, time: 2 * heat + 0 * time, {"heat": (0, 1), "time": (0, 1)})
    >>> ax = plot_effects(found)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['heat', 'time']
    """
    screening = search if isinstance(search, Screening) else _result_of(search).screening
    if screening is None:
        raise ValueError("the search ended before its screening was complete; there are no effects to draw")
    ax = axes_for(ax, figsize=(6, 0.9 + 0.35 * len(screening.names)))
    effects = screening.effects
    order = sorted(effects, key=lambda name: -abs(effects[name]))
    places = np.arange(len(order))[::-1]
    colours = [KEPT if name in screening.relevant else LEFT for name in order]
    ax.barh(places, [effects[name] for name in order], color=colours)
    ax.axvline(0.0, color="black", linewidth=0.8)
    entered = {screening.names[step.column]: step.f for step in screening.model.steps if step.action == "enter"}
    for place, name in zip(places, order):
        if name in entered:
            words = f"  F = {entered[name]:.3g}  "
            ax.annotate(words, (effects[name], place), va="center", ha="left" if effects[name] >= 0 else "right")
    ax.set_yticks(places, order)
    ax.margins(x=0.25)
    ax.set_xlabel("effect: response at the high level less that at the low level")
    ax.set_title(f"{len(screening.relevant)} of {len(order)} factors kept, {screening.design.n_runs} runs")
    return ax


def plot_search_path(search, *, ax=None):
    """Draw the response of every run of a designed search, by stage, and the best so far.

    Parameters
    ----------
    search : DesignedSearchResult or fitted DesignedSearchCV
        The search.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new figure.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> from treatise.search import designed_search, plot_search_path
    >>> found = designed_search(lambda heat, time: 2 * heat + 0 * time, {"heat": (0, 1), "time": (0, 1)})
    >>> plot_search_path(found).get_xlabel()
    'run'
    """
    result = _result_of(search)
    ax = axes_for(ax, figsize=(6, 4))
    values = np.array([run.value for run in result.runs])
    numbers = np.arange(1, len(values) + 1)
    ax.step(numbers, np.fmax.accumulate(values), where="post", color="black", linewidth=0.8, label="best so far")
    for stage, (colour, marker) in STAGES.items():
        here = np.array([run.stage == stage for run in result.runs])
        if here.any():
            ax.plot(numbers[here], values[here], marker, color=colour, label=stage)
    ax.set(xlabel="run", ylabel="response")
    ax.legend(frameon=False)
    return ax


def _result_of(search):
    result = getattr(search, "search_", search)
    if not isinstance(result, DesignedSearchResult):
        raise TypeError(f"{type(search).__name__} holds no designed search; give its result or a fitted search")
    return result
