"""What a designed search did and found."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treatise.optimize import StepwiseResult
from treatise.search.designs.factorial import Design
from treatise.search.designs.surface import SecondOrderModel


@dataclass(frozen=True)
class DesignedRun:
    """One run: why it was made, where, and what came of it."""

    stage: str
    """``"default"``, ``"screening"``, ``"ascent"``, ``"first order"`` or ``"second order"``."""
    round: int
    """Number of the first-order model that led to it, from 1; 0 for the run at the defaults."""
    coded: tuple[float, ...]
    """Coded level of each factor; NaN where a default is no number."""
    setting: dict[str, Any]
    value: float
    """NaN where the run failed."""


@dataclass(frozen=True)
class Screening:
    """A first-order experiment: its runs and the stepwise model of their responses."""

    names: tuple[str, ...]
    """Factors, in the order of the design's columns."""
    design: Design
    responses: np.ndarray
    model: StepwiseResult

    @property
    def relevant(self):
        """Factors that the model kept, the most important first."""
        order = sorted(self.model.selected, key=lambda j: -abs(self.model.coef[j]))
        return tuple(self.names[j] for j in order)

    @property
    def effects(self):
        """Of every factor, the mean response at its high level less that at its low level."""
        matrix = np.sign(self.design.matrix)
        return {name: float(2 * matrix[:, j] @ self.responses / len(matrix)) for j, name in enumerate(self.names)}


@dataclass(frozen=True)
class DesignedSearchResult:
    """The best setting, which factors mattered, and every run on the way."""

    best_setting: dict[str, Any]
    best_value: float
    best_from: str
    """Stage of the run that was best."""
    best_settings: list[dict[str, Any]]
    """All settings that reached the best value, which the paper takes as equally likely."""
    relevant: tuple[str, ...]
    """Factors that the screening kept, the most important first."""
    screening: Screening | None
    """None where the search ended before its first design was complete."""
    runs: tuple[DesignedRun, ...]
    models: tuple[Screening, ...] = ()
    """The screening and the first-order models of later rounds."""
    surface: SecondOrderModel | None = None
    """The second-order model that was fitted last, of the coded levels of ``surface_factors`` less
    ``surface_centre``."""
    surface_factors: tuple[str, ...] = ()
    surface_centre: tuple[float, ...] = ()
    message: str = ""
    factors: dict[str, Any] = field(default_factory=dict)

    @property
    def n_runs(self):
        """Runs that were made."""
        return len(self.runs)

    @property
    def path(self):
        """The runs along gradients, in their order."""
        return tuple(run for run in self.runs if run.stage == "ascent")
