"""Maximise a function of a few factors by designed experiments."""

import numpy as np
from joblib import Parallel, delayed

from treatise._core.progress import progress
from treatise.search.designs.engine import Engine, Plan, SearchSpent
from treatise.search.designs.factors import read_factors


def designed_search(
    fun, factors, *, design="auto", step=0.5, patience=3, rounds=1, second_order="sequential", f_in=4.0, f_out=3.9,
    start="auto", spread=0.5, reach=1.0, include_default=True, max_runs=None, n_jobs=1, callback=None, verbose=None,
):  # fmt: skip
    """Find out which factors matter to a function, and values at which it is high, in few runs.

    Every factor has a range. A fraction of all combinations of low and high levels is run, stepwise regression keeps
    the factors whose effect stands out, and the search climbs along the gradient from the centre, the others at their
    defaults. Use it where a run is expensive and one wants to know what matters as well as where to go. A surface with
    several tops needs a global method; thousands of runs are better spent by :func:`minimize_nes`. With k factors the
    screening takes fewer than 2 k + 6 runs (a power of two), the climb a few more; own work is negligible.

    Parameters
    ----------
    fun : callable
        Takes a value of each factor by name and returns a number, the larger the better. NaN and minus infinity mark a
        run that failed, which counts as the worst seen.
    factors : dict
        For each name ``(low, high)``, with ``"log"`` or ``"int"`` or both behind them, a list of choices in a sensible
        order, or a :class:`Factor`.
    design : {"auto", "minimal", "full"}, int or Design, default="auto"
        Runs of the screening: as few as leave two to judge a linear model by, as few as it needs, all combinations, a
        fraction of at least this resolution, or a design of one's own.
    step : float, default=0.5
        Step of the climb, in coded levels (from the low to the high level it is 2).
    patience : int, default=3
        The climb ends when so many runs in a row are no higher than the best before them.
    rounds : int, default=1
        Climbs; before each but the first a new, smaller design is run around the best point. 0 screens only.
    second_order : {False, True, "sequential"}, default="sequential"
        Whether the end is a second-order surface around the best point: of a central composite design, with one run at
        its top; or of points on the axes and all runs nearby, fitted anew after each run at its top. It is of all
        factors where none stood out in the screening, as a top between the levels hides them.
    f_in, f_out : float, default=4.0 and 3.9
        Partial F with which a factor enters the model, and at or below which it leaves.
    start : {"auto", "all", "none"}, default="auto"
        Whether stepwise regression starts with all of them or none. Three equal effects in eight runs hide one another
        when they enter one by one; with few runs to spare, a model of all leaves no error to judge them by. "auto"
        starts with all where at least two runs are left for the error; the paper starts with none.
    spread : float, default=0.5
        Where the screening has its levels, in coded levels: 1 is at the ends of the ranges, as in the paper; less is
        inside, where settings are seldom absurd. Of choices and of few whole numbers the ends are taken.
    reach : float, default=1.0
        How far the climb may go, in coded levels: 1 stays between the levels, ``numpy.inf`` goes on until a factor's
        own limits, as in the paper.
    include_default : bool, default=True
        Whether the first run has all factors at their defaults, so that nothing worse is returned.
    max_runs : int or None, default=None
        Runs after which the search ends, whatever its stage.
    n_jobs : int, default=1
        Processes for runs that do not wait for one another. The runs are the same for any number.
    callback : callable or None, default=None
        Called after each run with the result so far; ends the search by raising StopIteration.
    verbose : bool or None, default=None
        None shows progress on a terminal.

    Returns
    -------
    DesignedSearchResult
        ``best_setting``, ``best_value``, ``best_from`` (the stage that found it), ``relevant`` factors, the
        ``screening`` with its model, all ``runs``, and a ``message`` on why the search ended.

    Examples
    --------
    >>> from treatise.search import designed_search
    >>> def yield_of(heat, time, stirring):
    ...     return 50 + 4 * heat / 10 - (heat - 70) ** 2 / 100 + 2 * time
    >>> factors = {"heat": (20, 60), "time": (1, 5), "stirring": (100, 300)}
    >>> found = designed_search(yield_of, factors)
    >>> found.relevant, found.n_runs, found.best_setting["time"]
    (('heat', 'time'), 23, 5.0)

    References
    ----------
    .. [1] Paper v12-0627, Section 4.3 (ScreenFrac and OptimiseRSM). The paper's own form has
       ``design="minimal"``, ``second_order=False``, ``start="none"``, ``spread=1``,
       ``reach=numpy.inf`` and ``include_default=False``, and returns the best
       run of the climb even if a run of the screening was better.
    """
    plan = Plan(
        design, step, patience, rounds, second_order, f_in, f_out, start, spread, reach, include_default, max_runs
    )
    found = read_factors(factors)
    expected = plan.max_runs or 2 * len(found) + 2 + plan.patience + 3
    with progress("Runs", expected, show=verbose) as advance, Parallel(n_jobs) as parallel:

        def evaluate(settings, stage, note):
            side_by_side = n_jobs != 1 and len(settings) > 1
            values = parallel(delayed(fun)(**s) for s in settings) if side_by_side else (fun(**s) for s in settings)
            for place, value in enumerate(values):
                note(place, _number(value, settings[place]))
                advance(1)
                if callback is not None:
                    try:
                        callback(engine.result())
                    except StopIteration:
                        raise SearchSpent("stopped by the callback") from None

        engine = Engine(found, evaluate, plan)
        try:
            return engine.search()
        except KeyboardInterrupt:
            if not engine.runs:
                raise
            engine.message = "interrupted from the keyboard"
            return engine.result()


def _number(value, setting):
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"the function returned {value!r} at {setting}; it must return a number") from None
    if number == np.inf:
        raise ValueError(f"the function is infinite at {setting}; it must have a finite maximum")
    return number
