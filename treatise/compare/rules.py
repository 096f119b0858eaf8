"""The rules of a comparison that its user may set."""

from dataclasses import dataclass

from treatise._core.errors import TreatiseError

PREFERENCES = ("balanced", "accuracy", "speed", "simple")


@dataclass(frozen=True)
class Rules:
    """What the user asks of a comparison beside its data and metric.

    Parameters
    ----------
    margin : float, default=0.01
        Differences up to this share of the way from guessing to the best method do not matter.
    prefer : {"balanced", "accuracy", "speed", "simple"}, default="balanced"
        Which of the equivalent methods is recommended; the last two take no blend where rows do not tell.
    folds : int or None, default=None
        Folds of a repeat; None takes five, or fewer where there are few rows.
    include, exclude : tuple of str
        Names of methods, families or groups that take part, or do not.
    keep : int, default=1
        Number of models that are fitted to all rows and saved: the recommended one, the best of the other kind, blend
        or single method, and then those that come next.
    """

    margin: float = 0.01
    prefer: str = "balanced"
    folds: int | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    keep: int = 1

    def __post_init__(self) -> None:
        if not 0.0 <= self.margin < 1.0:
            raise TreatiseError(f"a margin of {self.margin:g} is no share of the way to the best; give 0 to 1")
        if self.prefer not in PREFERENCES:
            raise TreatiseError(f"prefer {self.prefer!r} is unknown; choose one of {', '.join(PREFERENCES)}")
        if self.folds is not None and self.folds < 2:
            raise TreatiseError(f"{self.folds} folds leave nothing to judge on; give at least 2")
        if self.keep < 1:
            raise TreatiseError(f"keeping {self.keep} models leaves none; give at least 1")
