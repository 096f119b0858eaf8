"""The stages of a designed search: screening, steepest ascent, further rounds, a second-order surface."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from treatise.optimize import stepwise_regression
from treatise.search.designs.factorial import Design, axial_points, central_composite, fractional_factorial
from treatise.search.designs.result import DesignedRun, DesignedSearchResult, Screening
from treatise.search.designs.surface import quadratic_terms, steepest_ascent, surface_of

MOST_STEPS = 60
"""Steps of one ascent: beyond, the response grows without end."""
SHRINK = 0.5
"""By how much each round looks closer than the one before."""
FEW_VALUES = 6
"""Whole numbers of a range with fewer steps are tried at its ends."""
FEWEST_LEFT = 2
"""Runs beyond those that a model of all factors needs, with which a screening starts from that model."""
CLOSEST = 0.05
"""Half-width, in coded levels, below which no surface is fitted any more."""


class SearchSpent(Exception):
    """No further run may be made."""


@dataclass(frozen=True)
class Plan:
    """What a search does, in numbers; :func:`designed_search` tells what each is."""

    design: Any = "auto"
    step: float = 0.5
    patience: int = 3
    rounds: int = 1
    second_order: Any = False
    f_in: float = 4.0
    f_out: float = 3.9
    start: str = "auto"
    spread: float = 0.5
    reach: float = 1.0
    include_default: bool = True
    max_runs: int | None = None

    def __post_init__(self):
        if not self.step > 0:
            raise ValueError(f"step={self.step} must be above 0")
        for name, least in (("patience", 1), ("rounds", 0)):
            if getattr(self, name) < least:
                raise ValueError(f"{name}={getattr(self, name)} must be {least} or more")
        if not 0 < self.f_out < self.f_in:
            raise ValueError(f"f_in={self.f_in} must be above f_out={self.f_out}, and both above 0")
        if self.start not in ("auto", "all", "none"):
            raise ValueError(f"start={self.start!r} is not known; choose 'auto', 'all' or 'none'")
        if not 0 < self.spread <= 1:
            raise ValueError(f"spread={self.spread} must be above 0 and at most 1, the levels themselves")
        if not self.reach >= 1:
            raise ValueError(f"reach={self.reach} must be 1, the levels themselves, or more")
        if self.second_order not in (False, True, "sequential"):
            raise ValueError(f"second_order={self.second_order!r} is not known; choose False, True or 'sequential'")
        if self.max_runs is not None and self.max_runs < 1:
            raise ValueError(f"max_runs={self.max_runs} allows no run; give 1 or more")


class Engine:
    """A search under way: evaluates settings through ``evaluate(settings, stage, note)``, which calls
    ``note(place, value)`` for each.

    Points are coded, one coordinate for each factor; NaN stands for the default.
    """

    def __init__(self, factors, evaluate, plan):
        self.factors, self.evaluate, self.plan = factors, evaluate, plan
        self.names, self.k = tuple(factors), len(factors)
        every = list(factors.values())
        limits = np.array([factor.coded_limits for factor in every])
        self.low, self.high = np.maximum(limits[:, 0], -plan.reach), np.minimum(limits[:, 1], plan.reach)
        # Of few whole numbers or choices the ends themselves are tried: what lies between them would round to one.
        self.spread = np.array([1.0 if f.integer and f.high - f.low < FEW_VALUES else plan.spread for f in every])
        self.runs: list[DesignedRun] = []
        self.seen: dict[tuple, float] = {}
        self.models: list[Screening] = []
        self.relevant: list[int] = []
        self.active: list[int] = []
        self.surface, self.surface_centre, self.message, self.round = None, (), "", 0

    def search(self):
        """All stages, until they are done or no run is left."""
        try:
            self._search()
        except SearchSpent as spent:
            self.message = str(spent)
        return self.result()

    def _search(self):
        if self.plan.include_default:
            self.visit(np.full((1, self.k), np.nan), "default")
        self.round = 1
        model = self._screen()
        self.relevant = sorted(model.selected, key=lambda j: -abs(model.coef[j]))
        self.active = self.relevant
        if not self.relevant:
            self.message = "no factor's effect stands out: all keep their defaults"
        centre, coef, span = np.full(self.k, np.nan), model.coef / self.spread, 1.0
        centre[self.relevant] = np.clip(0.0, self.low, self.high)[self.relevant]
        for number in range(1, self.plan.rounds + 1):
            if not coef.any():
                break
            self.round = number
            before = self._best_value()
            self._ascend(coef, centre, self.plan.step * span)
            self.message = f"{self.plan.patience} runs in a row were no higher"
            if number > 1 and self._best_value() <= before:
                break
            if number < self.plan.rounds:
                span *= SHRINK
                self.round = number + 1
                centre = self._centre(span)
                coef = self._first_order(centre, span)
        if self.plan.second_order:
            # Where no main effect stands out, a top between the levels may hide them all (Section 4.3, question 1).
            self.active = self.relevant or list(range(self.k))
            self._second_order(span * SHRINK)

    def visit(self, points, stage):
        """The responses at coded points; those seen before are not run again."""
        settings = [self.setting(point) for point in points]
        keys = [tuple(map(repr, setting.values())) for setting in settings]
        fresh = [i for i in dict.fromkeys(keys.index(key) for key in keys) if keys[i] not in self.seen]
        most, short = self.plan.max_runs, False
        if most is not None and len(self.runs) + len(fresh) > most:
            fresh, short = fresh[: most - len(self.runs)], True
        if fresh:
            self.evaluate([settings[i] for i in fresh], stage, lambda place, value: self._note(
                stage, points[fresh[place]], settings[fresh[place]], keys[fresh[place]], value
            ))  # fmt: skip
        if short:
            raise SearchSpent(f"the limit of {most} runs is reached")
        values = np.array([self.seen[key] for key in keys])
        return np.where(np.isnan(values), self._worst(), values)

    def setting(self, point):
        """Values of the factors at a coded point."""
        return {
            name: factor.usual if np.isnan(x) else factor.at(float(x))
            for (name, factor), x in zip(self.factors.items(), point)
        }

    def _note(self, stage, point, setting, key, value):
        value = float(value)
        if value == np.inf:
            raise ValueError(f"the function is infinite at {setting}; it must have a finite maximum")
        self.seen[key] = value if np.isfinite(value) else np.nan
        coded = [
            self.factors[name].coded(setting[name]) if np.isnan(x) else float(x) for name, x in zip(setting, point)
        ]
        self.runs.append(DesignedRun(stage, self.round, tuple(coded), setting, self.seen[key]))

    def _worst(self):
        """What a failed run counts: the worst that was seen."""
        values = np.array([run.value for run in self.runs])
        if np.isnan(values).all():
            raise ValueError(f"all {len(values)} runs failed or gave NaN; the first setting was {self.runs[0].setting}")
        return float(np.nanmin(values))

    def _screen(self):
        design = design_for(self.plan.design, self.k)
        responses = self.visit(design.matrix * self.spread, "screening")
        left = design.n_runs - self.k - 1
        everything = self.plan.start == "all" or (self.plan.start == "auto" and left >= FEWEST_LEFT)
        # Two runs of a single factor leave no error to judge it by: it is kept.
        kept = design.n_runs < 3 or (everything and left < 1)
        return self._model(self.names, design, responses, everything or kept, "forward" if kept else "both")

    def _model(self, names, design, responses, everything, direction):
        model = stepwise_regression(
            design.matrix, responses, f_in=self.plan.f_in, f_out=self.plan.f_out,
            start=range(len(names)) if everything else (), direction=direction,
        )  # fmt: skip
        self.models.append(Screening(tuple(names), design, responses, model))
        return model

    def _ascend(self, coef, centre, step):
        """Step O2: along the gradient until ``patience`` runs in a row are no higher than the best before."""
        moving = np.flatnonzero(coef)
        path = np.repeat(centre[np.newaxis], MOST_STEPS + 1, axis=0)
        path[:, moving] = steepest_ascent(coef[moving], step=step, n_steps=MOST_STEPS, start=centre[moving])
        path = np.clip(path, self.low, self.high)
        settings = [tuple(map(repr, self.setting(point).values())) for point in path]
        path = path[[0, *(i for i in range(1, len(path)) if settings[i] != settings[i - 1])]]
        best, idle, place = -np.inf, 0, 0
        while idle < self.plan.patience and place < len(path):
            # However they turn out, this many steps will be asked for: they can be run side by side.
            sure = self.plan.patience - idle + (place == 0)
            for value in self.visit(path[place : place + sure], "ascent"):
                idle = 0 if value > best else idle + 1
                best = max(best, value)
            place += sure

    def _best_value(self):
        return float(np.nanmax([run.value for run in self.runs]))

    def _best_run(self):
        """The best run whose active factors all have coded levels."""
        offers = [run for run in self.runs if np.isfinite([run.coded[j] for j in self.active]).all()]
        return max(offers, key=lambda run: -np.inf if np.isnan(run.value) else run.value)

    def _centre(self, span):
        """The best point so far, moved inwards as far as a design of this half-width needs."""
        best, centre = self._best_run(), np.full(self.k, np.nan)
        for j, name in enumerate(self.names):
            level = best.coded[j]
            if j in self.active:
                half = min(span, (self.high[j] - self.low[j]) / 2)
                centre[j] = np.clip(level, self.low[j] + half, self.high[j] - half)
            elif repr(best.setting[name]) != repr(self.factors[name].usual):
                centre[j] = level
        return centre

    def _first_order(self, centre, span):
        """Step O3: a new first-order model of the active factors around the best point; its coefficients."""
        design = fractional_factorial(len(self.active))
        responses = self.visit(self._around(centre, design.matrix, span), "first order")
        # These factors were found to matter: too few runs to judge them again, enough to point uphill.
        model = self._model([self.names[j] for j in self.active], design, responses, True, "forward")
        coef = np.zeros(self.k)
        coef[self.active] = model.coef
        return coef

    def _around(self, centre, matrix, span):
        points = np.repeat(centre[np.newaxis], len(matrix), axis=0)
        points[:, self.active] = centre[self.active] + span * matrix
        return np.clip(points, self.low, self.high)

    def _second_order(self, span):
        """Step O4: a second-order surface around the best point, and the run at its top."""
        centre, r = self._centre(span), len(self.active)
        if self.plan.second_order == "sequential":
            matrix = np.vstack([axial_points(r), np.zeros((1, r))])
        else:
            matrix = central_composite(r, alpha="faced").matrix
        self.visit(self._around(centre, matrix, span), "second order")
        idle = 0
        while idle < self.plan.patience and span > CLOSEST:
            before = self._best_run()
            top = self._top(np.array(before.coded)[self.active], span)
            if top is None:
                break
            centre = self._centre(span)
            point = centre.copy()
            point[self.active] = top
            value = self.visit(point[np.newaxis], "second order")[0]
            higher = value > before.value
            idle = 0 if higher else idle + 1
            span = span if higher else span * SHRINK
            if self.plan.second_order is True:
                break
        self.message = "the second-order surface has no higher point nearby"

    def _top(self, best, span):
        """The highest point, near the best one, of the surface through all runs; None where no surface fits."""
        usable = [run for run in self.runs if np.isfinite([run.coded[j] for j in self.active]).all()]
        X = np.array([[run.coded[j] for j in self.active] for run in usable]) - best
        y = np.array([run.value for run in usable])
        y = np.where(np.isnan(y), self._worst(), y)
        near = np.abs(X).max(axis=1) <= 2.0 * max(span, CLOSEST) + 1e-9
        if near.sum() < len(self.active) + 3:
            near[:] = True
        terms, columns = quadratic_terms(X[near])
        model = stepwise_regression(columns, y[near], f_in=self.plan.f_in, f_out=self.plan.f_out)
        if not model.selected:
            return None
        self.surface = surface_of(terms, model.coef, model.intercept, len(self.active), model.r2, int(near.sum()))
        self.surface_centre = tuple(best.tolist())
        low = np.maximum(self.low[self.active] - best, -span)
        high = np.minimum(self.high[self.active] - best, span)
        return best + self.surface.highest(low, np.maximum(low, high))[0]

    def result(self):
        """What was found so far."""
        if not self.runs:
            raise ValueError("the search ended before its first run")
        self._worst()  # says what is wrong where every run failed
        values = np.array([run.value for run in self.runs])
        best = self.runs[int(np.nanargmax(values))]
        ties = [run.setting for run in self.runs if run.value == best.value]
        relevant = tuple(self.names[j] for j in self.relevant)
        fitted = tuple(self.names[j] for j in self.active) if self.surface else ()
        return DesignedSearchResult(
            best_setting=dict(best.setting), best_value=best.value, best_from=best.stage, best_settings=ties,
            relevant=relevant, screening=self.models[0] if self.models else None, runs=tuple(self.runs),
            models=tuple(self.models), surface=self.surface, surface_factors=fitted,
            surface_centre=self.surface_centre,
            message=self.message, factors=dict(self.factors),
        )  # fmt: skip


def design_for(wanted, k):
    """The screening design that a user asks for."""
    if isinstance(wanted, Design):
        if wanted.matrix.shape[1] != k:
            raise ValueError(f"the design has {wanted.matrix.shape[1]} columns for {k} factors; give one with {k}")
        return wanted
    if isinstance(wanted, str) and wanted == "auto":
        halvings = k - math.ceil(math.log2(k + 1 + FEWEST_LEFT))
        return fractional_factorial(k, p=max(halvings, 0))
    if isinstance(wanted, str) and wanted == "minimal":
        return fractional_factorial(k)
    if isinstance(wanted, str) and wanted == "full":
        return fractional_factorial(k, p=0)
    if isinstance(wanted, int) and wanted >= 3:
        return fractional_factorial(k, resolution=wanted)
    raise ValueError(
        f"design={wanted!r} is not known; choose 'auto', 'minimal', 'full', a resolution of 3 or more, or a Design"
    )
