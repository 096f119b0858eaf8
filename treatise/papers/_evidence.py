"""What an experiment found: rows of five kinds, each with a verdict that follows from its numbers."""

import math
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Value = float | int | str | bool | None
# How many standard errors an estimate may lie from the truth.
DEVIATIONS = 3.0
# A tolerance of this share of a number or more takes too many others for it.
BLIND_SHARE = 0.5
# A tolerance of our own choice is no more of the number, or else a unit of the last digit with which it is written.
WIDEST_SHARE = 0.1


class Kind(StrEnum):
    """What a row is about; the kinds are counted apart."""

    PRINTED = "printed"  #: a number printed in the paper
    CLAIM = "claim"  #: a statement of the paper that is true or false here
    CHECK = "check"  #: of a theorem or a formula: ours against an exact value or a bound
    TIME = "time"  #: a time, or a ratio of times, that the paper prints: shown, and never decides
    OURS = "ours"  #: a number of ours or a peer's, without a verdict


class Verdict(StrEnum):
    """What follows from a row's numbers."""

    REACHED = "reached"
    MISSED = "not reached"
    UNCERTAIN = "too few draws to tell"
    NONE = ""


class Gap(NamedTuple):
    """Why a row is known not to be reached; no pardon: leaving the band for the worse fails."""

    reason: str
    """What was tried and what stands in the way; says "not known" where no run shows it."""
    band: float
    """How much worse than the value last seen the row may be, in its own unit; :attr:`Row.band` may be less."""
    shown_by: str = ""
    """Quantity of the check or claim, in the same experiment, that shows the reason."""


@dataclass(frozen=True)
class Row:
    """One quantity, beside what the paper or the theory says of it.

    Make one with :meth:`printed`, :meth:`printed_at_most`, :meth:`printed_at_least`, :meth:`claim`,
    :meth:`claim_positive`, :meth:`claim_not_negative`, :meth:`check`, :meth:`check_at_most`, :meth:`check_at_least`,
    :meth:`time` or :meth:`ours`.
    """

    kind: Kind
    quantity: str
    here: Value
    place: str = ""
    """Where the paper says so: ``"Table 2"``, ``"Figure 3"``, ``"p. 813"``."""
    expected: Value = None
    rule: str = ""
    """``"within"``, ``"exact"``, ``"at most"``, ``"at least"``, ``"above"`` or ``"not below"``; empty for ours."""
    within: float = 0.0
    why: str = ""
    standard_error: float | None = None
    effect: float | None = None
    gap: Gap | None = None
    last_seen: Value = None
    """What :func:`~treatise.papers.reproduce` has on record for a row with a gap."""

    @classmethod
    def printed(
        cls, quantity: str, place: str, published: Value, here: Value, *, within: float | None = None, why: str = "",
        standard_error: float | None = None, effect: float | None = None, gap: Gap | None = None,
    ) -> "Row":  # fmt: skip
        """A value printed at ``place``: the same, ``within`` a tolerance, or within three of its standard errors.

        Parameters
        ----------
        within : float or None, default=None
            Absolute tolerance, with ``why``: at most a tenth, or a unit of the last digit printed. None asks for the
            same value, or takes ``standard_error``.
        standard_error : float or None, default=None
            Of the difference, for a number estimated from draws.
        effect : float or None, default=None
            What the number tells apart, such as the difference between two methods. A tolerance that is no narrower
            cannot judge, and the verdict says so. None is half of the published number.
        """
        place = _place(quantity, place)
        return cls._near(Kind.PRINTED, quantity, place, published, here, within, why, standard_error, effect, gap)

    @classmethod
    def printed_at_most(
        cls, quantity: str, place: str, published: float, here: float, *, standard_error: float | None = None,
        gap: Gap | None = None,
    ) -> "Row":  # fmt: skip
        """A printed error or count that must not be exceeded."""
        place = _place(quantity, place)
        return cls._bounded(Kind.PRINTED, quantity, place, published, here, "at most", standard_error, gap)

    @classmethod
    def printed_at_least(
        cls, quantity: str, place: str, published: float, here: float, *, standard_error: float | None = None,
        gap: Gap | None = None,
    ) -> "Row":  # fmt: skip
        """A printed accuracy or bound from below that must be met."""
        place = _place(quantity, place)
        return cls._bounded(Kind.PRINTED, quantity, place, published, here, "at least", standard_error, gap)

    @classmethod
    def claim(cls, statement: str, place: str, holds: bool, *, gap: Gap | None = None) -> "Row":
        """A statement of the paper, and whether it holds here."""
        holds = bool(holds)
        place = _place(statement, place)
        return cls(Kind.CLAIM, statement, holds, place, True, "exact", gap=gap)

    @classmethod
    def claim_positive(
        cls, statement: str, place: str, here: float, *, standard_error: float, gap: Gap | None = None
    ) -> "Row":
        """A statement that holds if a quantity estimated from draws is above zero, as a difference of two errors."""
        place, error = _place(statement, place), float(standard_error)
        return cls(Kind.CLAIM, statement, float(here), place, 0.0, "above", standard_error=error, gap=gap)

    @classmethod
    def claim_not_negative(
        cls, statement: str, place: str, here: float, *, standard_error: float, gap: Gap | None = None
    ) -> "Row":
        """Like :meth:`claim_positive`, of a statement that also holds where all draws show no difference at all."""
        row = cls.claim_positive(statement, place, here, standard_error=standard_error, gap=gap)
        return replace(row, rule="not below")

    @classmethod
    def check(
        cls, quantity: str, expected: Value, here: Value, *, within: float | None = None, why: str = "",
        standard_error: float | None = None, gap: Gap | None = None,
    ) -> "Row":  # fmt: skip
        """A quantity that theory gives: the same, ``within`` a tolerance, or within three of its standard errors."""
        return cls._near(Kind.CHECK, quantity, "", expected, here, within, why, standard_error, None, gap)

    @classmethod
    def check_at_most(cls, quantity: str, bound: float, here: float, *, gap: Gap | None = None) -> "Row":
        """A quantity that theory, or a tolerance of ours, bounds from above."""
        return cls._bounded(Kind.CHECK, quantity, "", bound, here, "at most", None, gap)

    @classmethod
    def check_at_least(cls, quantity: str, bound: float, here: float, *, gap: Gap | None = None) -> "Row":
        """A quantity that theory, or a tolerance of ours, bounds from below."""
        return cls._bounded(Kind.CHECK, quantity, "", bound, here, "at least", None, gap)

    @classmethod
    def time(cls, quantity: str, place: str, published: float, here: float, *, rule: str = "at most") -> "Row":
        """A printed time ("at most") or speed-up ("at least"), beside CPU time after a warm-up; it never decides."""
        return cls._bounded(Kind.TIME, quantity, _place(quantity, place), published, here, rule, None, None)

    @classmethod
    def ours(cls, quantity: str, here: Value) -> "Row":
        """A number of ours or a peer's, or one that the paper shows without printing it."""
        return cls(Kind.OURS, quantity, _native(here))

    @classmethod
    def _near(
        cls, kind: Kind, quantity: str, place: str, expected: Value, here: Value, within: float | None, why: str,
        standard_error: float | None, effect: float | None, gap: Gap | None,
    ) -> "Row":  # fmt: skip
        expected, here = _native(expected), _native(here)
        if within is None and standard_error is None:
            return cls(kind, quantity, here, place, expected, "exact", gap=gap)
        if not (_is_number(expected) and _is_number(here)):
            raise TypeError(f"{quantity}: a tolerance is for numbers, not for {expected!r} and {here!r}")
        if (within is None) == (standard_error is None):
            raise ValueError(f"{quantity}: give a tolerance or a standard error, not both")
        if within is not None and not why:
            raise ValueError(f"{quantity}: a tolerance needs its reason; say why")
        if within is not None and within > (widest := _widest(expected)):
            raise ValueError(f"{quantity}: a tolerance of {within} takes too much of {expected}; at most {widest:g}")
        width = float(within if within is not None else DEVIATIONS * (standard_error or 0.0))
        reason = why if standard_error is None else "three standard errors" + (f" of {why}" if why else "")
        return cls(kind, quantity, here, place, expected, "within", width, reason, standard_error, effect, gap)

    @classmethod
    def _bounded(
        cls, kind: Kind, quantity: str, place: str, bound: float, here: float, rule: str,
        standard_error: float | None, gap: Gap | None,
    ) -> "Row":  # fmt: skip
        bound, here = float(bound) if isinstance(bound, float) else _native(bound), _native(here)
        return cls(kind, quantity, here, place, bound, rule, standard_error=standard_error, gap=gap)

    @property
    def verdict(self) -> Verdict:
        """What follows from the numbers."""
        expected, here = self.expected, self.here
        if not self.judged:
            return Verdict.NONE
        if self.rule == "exact":
            return _verdict(expected == here)
        if not (_is_number(expected) and _is_number(here)):
            return Verdict.MISSED
        if self.rule == "within":
            return _closeness(float(expected), float(here), self.within, self.effect)
        noise = DEVIATIONS * (self.standard_error or 0.0)
        if self.rule == "not below" and noise == 0:
            return _verdict(here >= 0)
        if self.rule in ("above", "not below"):
            return Verdict.UNCERTAIN if abs(here) <= noise else _verdict(here > 0)
        excess = _excess(self.rule, expected, here)
        return Verdict.UNCERTAIN if 0 < excess <= noise else _verdict(excess <= 0)

    @property
    def judged(self) -> bool:
        """Whether the row has a verdict at all."""
        return self.kind is not Kind.OURS

    @property
    def failed(self) -> bool:
        """Whether the row should have been reached and was not, or is worse than its gap allows."""
        if self.kind is Kind.TIME or self.verdict is not Verdict.MISSED:
            return False
        return self.gap is None or self.last_seen is None or self._is_worse()

    @property
    def promoted(self) -> bool:
        """Whether a row known not to be reached is reached now."""
        return self.gap is not None and self.verdict is Verdict.REACHED

    @property
    def band(self) -> float | None:
        """How much worse than the value last seen the row may be.

        That of its gap, where the row's own scale does not call for less: at most a tenth of the published number, half
        of the distance from it last seen, or the noise of the estimate, so that no band takes any value whatever.
        """
        if self.gap is None:
            return None
        if not (_is_number(self.expected) and _is_number(self.last_seen)):
            return 0.0
        noise = self.within if self.rule == "within" else DEVIATIONS * (self.standard_error or 0.0)
        distance = _excess(self.rule, self.expected, self.last_seen)
        return min(self.gap.band, max(0.1 * abs(self.expected), 0.5 * distance, noise))

    def _is_worse(self) -> bool:
        """Whether the row is further on the wrong side than the value last seen, by more than the band."""
        if not (_is_number(self.here) and _is_number(self.last_seen) and _is_number(self.expected)):
            return self.here != self.last_seen
        now, then = (_excess(self.rule, self.expected, value) for value in (self.here, self.last_seen))
        return not now - then <= (self.band or 0.0)  # so that NaN is worse

    @property
    def tolerance(self) -> str:
        """What the verdict allows, in words."""
        if self.rule == "within":
            return f"±{self.within:.3g} ({self.why})"
        return "" if self.kind is Kind.CLAIM else self.rule

    def plain(self) -> dict[str, Any]:
        """The row as plain data."""
        return {
            "kind": str(self.kind), "quantity": self.quantity, "place": self.place, "expected": self.expected,
            "here": self.here, "tolerance": self.tolerance, "standard_error": self.standard_error,
            "verdict": str(self.verdict), "failed": self.failed, "gap": self.gap.reason if self.gap else "",
            "shown_by": self.gap.shown_by if self.gap else "", "band": self.band,
            "last_seen": self.last_seen,
        }  # fmt: skip


@dataclass(frozen=True)
class Evidence:
    """What an experiment found: its rows, its figure, and what of the paper it leaves out."""

    rows: list[Row]
    figure: "Figure | None" = None
    skipped: list[str] = field(default_factory=list)


def _closeness(expected: float, here: float, within: float, effect: float | None) -> Verdict:
    # A few rounding errors of slack: 0.95 - 0.94 is a little more than 0.01 in floating point.
    slack = 4 * math.ulp(max(abs(here), abs(expected))) if math.isfinite(here) else 0.0
    if not (math.isfinite(here) and abs(here - expected) <= within + slack):
        return Verdict.MISSED
    told_apart = BLIND_SHARE * abs(expected) if effect is None else effect
    blind = within >= told_apart and not (effect is None and expected == 0.0)
    return Verdict.UNCERTAIN if blind else Verdict.REACHED


def _excess(rule: str, expected: Any, here: Any) -> float:
    """How far a number lies on the wrong side; not above zero where it is reached."""
    if rule in ("at least", "above", "not below"):
        return expected - here
    return here - expected if rule == "at most" else abs(here - expected)


def _widest(expected: float) -> float:
    """The largest tolerance that may be chosen for a number, with a few rounding errors of slack; any about zero."""
    if not (expected and math.isfinite(expected)):
        return math.inf
    last_digit = float(Decimal(1).scaleb(int(Decimal(repr(expected)).as_tuple().exponent)))
    return max(WIDEST_SHARE * abs(expected), last_digit) * (1 + 1e-9)


def _verdict(reached: bool) -> Verdict:
    return Verdict.REACHED if reached else Verdict.MISSED


def _place(quantity: str, place: str) -> str:
    if not place:
        raise ValueError(f"{quantity}: say where the paper has it, such as 'Table 2' or 'p. 813'")
    return place


def _native(value: Any) -> Any:
    """A number of NumPy's as one of Python's."""
    return value.item() if hasattr(value, "item") else value


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
