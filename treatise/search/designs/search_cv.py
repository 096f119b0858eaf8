"""Tune an estimator by designed experiments: a drop-in for GridSearchCV that screens, then refines."""

from numbers import Integral, Real

import numpy as np
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils._param_validation import Interval, Options, StrOptions

from treatise.search.designs.engine import Engine, Plan, design_for
from treatise.search.designs.factorial import Design
from treatise.search.designs.factors import read_factors


class DesignedSearchCV(BaseSearchCV):
    """Find out which parameters of an estimator matter, and tune those, in few cross-validations.

    A fractional factorial design tries low and high values of all parameters, in about twice as many settings as there
    are parameters; stepwise regression keeps those whose effect on the score stands out; the search then climbs and
    refines among these and leaves the others as the estimator has them. Use it with three to a dozen parameters, most
    of them numbers, and a slow learner, above all if it matters *which* parameters count. With one or two parameters a
    grid is as good; where scores jump about, or the best lies in a corner that main effects do not point to, take a
    random search. Own work is negligible beside the fits; settings that do not wait for one another are fitted side by
    side.

    Parameters
    ----------
    estimator : estimator object
        What is tuned. Its own parameters are the first setting that is tried.
    factors : dict
        For each parameter ``(low, high)``, with ``"log"`` or ``"int"`` or both behind them, a list or array of choices
        in a sensible order, or a :class:`Factor`. Levels should be far apart. A list of one choice sets the parameter.
    design : {"auto", "minimal", "full"}, int or Design, default="auto"
        Settings of the screening: as few as leave two to judge a linear model by, as few as it needs, all combinations,
        a fraction of at least this resolution, or a design of one's own.
    step : float, default=0.5
        Step of the climb, in coded levels (from the low to the high level it is 2).
    patience : int, default=3
        The climb ends when so many settings in a row score no higher than the best before them.
    rounds : int, default=1
        Climbs; before each but the first a new, smaller design is run around the best setting. 0 screens only.
    second_order : {False, True, "sequential"}, default="sequential"
        Whether the end is a second-order surface around the best setting: of a central composite design, with one
        setting at its top; or of points on the axes and all settings nearby, fitted anew after each setting at its top.
        It is of all parameters where none stood out in the screening, as a top between the levels hides them.
    f_in, f_out : float, default=4.0 and 3.9
        Partial F with which a parameter enters the model of the scores, and at or below which it leaves. With 1.0 and
        0.9 more of them are kept: more settings are tried, and fewer that matter are missed.
    start : {"auto", "all", "none"}, default="auto"
        Whether stepwise regression starts with all of them or none. Three equal effects in eight runs hide one another
        when they enter one by one; with few runs to spare, a model of all leaves no error to judge them by. "auto"
        starts with all where at least two settings are left for the error; the paper starts with none.
    spread : float, default=0.5
        Where the screening has its levels, in coded levels: 1 is at the ends of the ranges, as in the paper; less is
        inside, where settings are seldom absurd. Of choices and of few whole numbers the ends are taken.
    reach : float, default=1.0
        How far the climb may go, in coded levels; 1 stays between the levels.
    max_runs : int or None, default=None
        Most settings that are tried.
    scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score, return_train_score
        As in :class:`sklearn.model_selection.GridSearchCV`. With several scores, ``refit`` names the one to climb.

    Attributes
    ----------
    relevant_factors_ : list of str
        Parameters that the screening kept, the most important first.
    screening_ : Screening
        Design, scores and stepwise model of the screening; for :func:`plot_effects`.
    search_ : DesignedSearchResult
        Every setting in its order, and why the search ended; for :func:`plot_search_path`.
    path_ : list of dict
        Settings of the climb with their scores.
    n_runs_ : int
        Settings that were tried.
    best_from_ : str
        Stage that found the best setting.
    best_params_, best_score_, best_index_, best_estimator_, cv_results_, scorer_, n_splits_, refit_time_, multimetric_
        As in :class:`sklearn.model_selection.GridSearchCV`; ``cv_results_`` has a column ``"stage"`` too.

    See Also
    --------
    designed_search : The same for any function.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from treatise.search import DesignedSearchCV
    >>> X, y = load_wine(return_X_y=True)
    >>> factors = {"max_depth": (1, 6, "int"), "min_samples_leaf": (1, 30, "int"), "ccp_alpha": (1e-4, 0.1, "log")}
    >>> search = DesignedSearchCV(DecisionTreeClassifier(random_state=0), factors, cv=3).fit(X, y)
    >>> search.relevant_factors_
    ['max_depth', 'min_samples_leaf']
    >>> bool(search.best_score_ > search.cv_results_["mean_test_score"][0])  # that of the estimator as it comes
    True

    References
    ----------
    .. [1] Paper v12-0627, Section 4.3. The paper's own form has ``design="minimal"``, ``second_order=False``,
       ``start="none"``, ``spread=1`` and ``reach=numpy.inf``.
    """

    _parameter_constraints: dict = {
        **BaseSearchCV._parameter_constraints,
        "factors": [dict],
        "design": [StrOptions({"auto", "minimal", "full"}), Interval(Integral, 3, None, closed="left"), Design],
        "step": [Interval(Real, 0, None, closed="neither")],
        "patience": [Interval(Integral, 1, None, closed="left")],
        "rounds": [Interval(Integral, 0, None, closed="left")],
        "second_order": ["boolean", StrOptions({"sequential"})],
        "f_in": [Interval(Real, 0, None, closed="neither")],
        "f_out": [Interval(Real, 0, None, closed="neither")],
        "start": [StrOptions({"auto", "all", "none"})],
        "spread": [Interval(Real, 0, 1, closed="right")],
        "reach": [Interval(Real, 1, None, closed="left"), Options(Real, {np.inf})],
        "max_runs": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self, estimator, factors, *, design="auto", step=0.5, patience=3, rounds=1, second_order="sequential",
        f_in=4.0, f_out=3.9, start="auto", spread=0.5, reach=1.0, max_runs=None, scoring=None, n_jobs=None,
        refit=True, cv=None, verbose=0, pre_dispatch="2*n_jobs", error_score=np.nan, return_train_score=False,
    ):  # fmt: skip
        super().__init__(
            estimator=estimator, scoring=scoring, n_jobs=n_jobs, refit=refit, cv=cv, verbose=verbose,
            pre_dispatch=pre_dispatch, error_score=error_score, return_train_score=return_train_score,
        )  # fmt: skip
        self.factors = factors
        self.design = design
        self.step = step
        self.patience = patience
        self.rounds = rounds
        self.second_order = second_order
        self.f_in = f_in
        self.f_out = f_out
        self.start = start
        self.spread = spread
        self.reach = reach
        self.max_runs = max_runs

    def _run_search(self, evaluate_candidates):
        plan = Plan(
            self.design, self.step, self.patience, self.rounds, self.second_order, self.f_in, self.f_out, self.start,
            self.spread, self.reach, True, self.max_runs,
        )  # fmt: skip
        fixed = {
            name: levels[0]
            for name, levels in self.factors.items()
            if isinstance(levels, (list, np.ndarray)) and len(levels) == 1
        }
        varied = {name: levels for name, levels in self.factors.items() if name not in fixed}
        if fixed and not varied:
            raise ValueError(f"factors {sorted(fixed)} have one choice each, which leaves nothing to search for")
        factors = read_factors(varied, self.estimator.get_params())
        unknown = {*factors, *fixed} - set(self.estimator.get_params())
        if unknown:
            raise ValueError(
                f"{type(self.estimator).__name__} has no parameter {sorted(unknown)[0]!r}; "
                "estimator.get_params() names those it has"
            )
        design_for(self.design, len(factors))
        tried = 0

        def evaluate(settings, stage, note):
            nonlocal tried
            candidates = [{**fixed, **setting} for setting in settings]
            results = evaluate_candidates(candidates, more_results={"stage": [stage] * len(settings)})
            scores = results[self._climbed(results)][tried:]
            tried += len(settings)
            for place, score in enumerate(scores):
                note(place, score)

        self.search_ = Engine(factors, evaluate, plan).search()
        self.screening_ = self.search_.screening
        self.relevant_factors_ = list(self.search_.relevant)
        self.path_ = [{**run.setting, "score": run.value} for run in self.search_.path]
        self.n_runs_ = self.search_.n_runs
        self.best_from_ = self.search_.best_from

    def _climbed(self, results):
        """The column of results that the search makes large."""
        if "mean_test_score" in results:
            return "mean_test_score"
        if isinstance(self.refit, str):
            return f"mean_test_{self.refit}"
        raise ValueError(
            f"refit={self.refit!r} does not say which of several scores to climb; give the name of one, as in "
            "scoring's keys"
        )
