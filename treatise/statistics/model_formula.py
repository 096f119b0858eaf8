"""Model formulas with random effects, such as ``"ticks ~ year + height + (1 + year | brood)"``, into matrices."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

_FUNCTIONS = {"log": np.log, "log1p": np.log1p, "exp": np.exp, "sqrt": np.sqrt, "square": np.square}
_NAME = r"[A-Za-z_.][\w.]*"
_VARIABLE = re.compile(rf"(?:(?P<function>{'|'.join(_FUNCTIONS)}|C)\(\s*(?P<inner>{_NAME})\s*\)|(?P<plain>{_NAME}))$")

Variables = tuple[str, ...]


@dataclass(frozen=True)
class RandomPart:
    """The effects in one pair of parentheses.

    Attributes
    ----------
    group : tuple of str
        Variables whose combinations are the groups.
    intercept : bool
        Whether the level of the response varies among the groups.
    terms : tuple of tuple of str
        Slopes that vary.
    correlated : bool
        Whether intercept and slopes have one covariance matrix (``|``) or variances alone (``||``).
    """

    group: Variables
    intercept: bool
    terms: tuple[Variables, ...]
    correlated: bool


@dataclass(frozen=True)
class ModelFormula:
    """A parsed formula.

    Attributes
    ----------
    response : str
        The variable on the left.
    failures : str or None
        The second variable of ``cbind(successes, failures)``.
    intercept : bool
        Whether there is a constant.
    terms : tuple of tuple of str
        Fixed effects; one of several variables is their interaction.
    offsets : tuple of str
        Variables with a known coefficient of one.
    random : tuple of RandomPart
        Random effects.
    """

    response: str
    failures: str | None
    intercept: bool
    terms: tuple[Variables, ...]
    offsets: Variables
    random: tuple[RandomPart, ...]


def parse_formula(text: str) -> ModelFormula:
    """Read a formula in the notation of R's lme4.

    Parameters
    ----------
    text : str
        ``response ~ terms``. Terms are joined by ``+``: a column, ``log(x)`` (also log1p, exp, sqrt, square), ``C(x)``
        for numbers that name categories, ``a:b`` for an interaction and ``a*b`` for it with both columns, ``0`` for no
        constant, ``offset(log(x))``, and random effects ``(1 + x | group)``, with ``||`` for variances alone and
        ``a:b`` or ``a/b`` for crossed and nested groups. The response may be ``cbind(successes, failures)``.

    Returns
    -------
    formula : ModelFormula

    Examples
    --------
    >>> from treatise.statistics import parse_formula
    >>> formula = parse_formula("y ~ x + log(size) + (1 + x | herd)")
    >>> formula.terms
    (('x',), ('log(size)',))
    >>> formula.random[0].group, formula.random[0].terms
    (('herd',), (('x',),))
    """
    if text.count("~") != 1:
        raise ValueError(f"{text!r} is no formula; write the response, '~' and the terms, as 'y ~ x + (1 | group)'")
    left, right = (part.strip() for part in text.split("~"))
    response, failures = _response(left)
    intercept = True
    terms: list[Variables] = []
    offsets: list[str] = []
    random: list[RandomPart] = []
    for sign, part in _split(right):
        if part in ("0", "1"):
            intercept = (part == "1") == (sign == "+")
        elif sign == "-":
            raise ValueError(f"'- {part}' is not understood; only the constant can be taken out, by '- 1' or '+ 0'")
        elif part.startswith("("):
            random.extend(_random_parts(part))
        elif match := re.fullmatch(r"offset\((.*)\)", part):
            offsets.append(_variable(match[1].strip()))
        else:
            terms.extend(term for term in _products(part) if term not in terms)
    return ModelFormula(response, failures, intercept, tuple(terms), tuple(offsets), tuple(random))


def _response(left: str) -> tuple[str, str | None]:
    if match := re.fullmatch(r"cbind\((.*),(.*)\)", left):
        return _variable(match[1].strip()), _variable(match[2].strip())
    return _variable(left), None


def _split(text: str) -> Iterator[tuple[str, str]]:
    """Signs and terms at the top level of parentheses."""
    depth, sign, start = 0, "+", 0
    for place, letter in enumerate(text + "+"):
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
        if depth == 0 and letter in "+-":
            part = text[start:place].strip()
            if part:
                yield sign, part
            elif place != start or (letter == "+" and place == len(text)):
                raise ValueError(f"a term is missing in {text!r}")
            sign, start = letter, place + 1
    if depth != 0:
        raise ValueError(f"the parentheses in {text!r} do not match")


def _variable(text: str) -> str:
    if not _VARIABLE.match(text):
        raise ValueError(
            f"{text!r} is not understood; a variable is a column's name, C(name), or one of "
            f"{', '.join(f'{name}(name)' for name in _FUNCTIONS)}"
        )
    return text.replace(" ", "")


def _products(part: str) -> list[Variables]:
    """``a*b`` as both variables and their interaction."""
    factors = [tuple(_variable(v.strip()) for v in factor.split(":")) for factor in part.split("*")]
    found: list[Variables] = []
    for factor in factors:
        found += [factor, *(term + factor for term in found)]
    return sorted(found, key=len)


def _random_parts(part: str) -> list[RandomPart]:
    match = re.fullmatch(r"\((.*?)(\|\|?)(.*)\)", part)
    if not match:
        raise ValueError(f"{part!r} is not understood; random effects are written (1 + x | group)")
    intercept, terms = True, []
    for sign, term in _split(match[1].strip()):
        if term in ("0", "1"):
            intercept = (term == "1") == (sign == "+")
        else:
            terms.extend(_products(term))
    if not (intercept or terms):
        raise ValueError(f"{part!r} has no effect that varies")
    levels = [tuple(_variable(v.strip()) for v in level.split(":")) for level in match[3].split("/")]
    nested = [sum(levels[: depth + 1], ()) for depth in range(len(levels))]
    return [RandomPart(group, intercept, tuple(terms), match[2] == "|") for group in nested]


class FormulaColumns:
    """What a formula makes of a table; categories are those of the table it was made for.

    Parameters
    ----------
    data : mapping, or pandas or polars DataFrame
        Columns by name.
    categories : dict of str to ndarray
        The categories of each variable that names some; filled as variables are met where ``learn``.
    learn : bool
        Whether new categories are noted rather than refused.
    """

    def __init__(self, data: Any, categories: dict[str, np.ndarray], *, learn: bool) -> None:
        self.data, self.categories, self.learn = data, categories, learn

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        first = next(iter(self.data), None) if isinstance(self.data, Mapping) else next(iter(self.data.columns), None)
        if first is None:
            raise ValueError("the data have no columns")
        return len(self.data[first])

    def has(self, variable: str) -> bool:
        """Whether the table has the column of a variable."""
        match = _VARIABLE.match(variable)
        assert match is not None
        names = self.data if isinstance(self.data, Mapping) else self.data.columns
        return (match["inner"] or match["plain"]) in names

    def raw(self, name: str) -> np.ndarray:
        """A column as it stands, without holes."""
        if not self.has(name):
            names = self.data if isinstance(self.data, Mapping) else self.data.columns
            raise ValueError(f"the data have no column {name!r}; the columns are {', '.join(map(str, names))}")
        values = np.asarray(self.data[name])
        missing = np.array([v is None or v != v for v in values]) if values.dtype.kind in "OfmM" else np.zeros(1, bool)
        if missing.any():
            raise ValueError(f"column {name!r} has {missing.sum()} missing values; drop or fill those rows")
        return values

    def numbers(self, variable: str) -> np.ndarray:
        """The values of a variable that must be a number."""
        match = _VARIABLE.match(variable)
        assert match is not None
        name = match["inner"] or match["plain"]
        values = self.raw(name)
        if values.dtype.kind not in "iufb":
            raise ValueError(f"column {name!r} holds {values[0]!r}, where numbers are needed")
        values = values.astype(np.float64)
        if match["function"] in _FUNCTIONS:
            with np.errstate(all="ignore"):
                values = _FUNCTIONS[match["function"]](values)
        if not np.isfinite(values).all():
            raise ValueError(f"{variable} is not finite for {np.sum(~np.isfinite(values))} rows")
        return values

    def labels(self, variables: Variables) -> np.ndarray:
        """The combinations of some variables, as words or numbers."""
        parts = []
        for variable in variables:
            match = _VARIABLE.match(variable)
            assert match is not None
            values = self.raw(match["inner"] or match["plain"])
            parts.append(values if values.dtype.kind in "iu" and len(variables) == 1 else values.astype(str))
        found = parts[0]
        for part in parts[1:]:
            found = np.char.add(np.char.add(found, ":"), part)
        return found

    def columns(self, variable: str, *, full: bool = False) -> tuple[list[str], np.ndarray]:
        """Names and columns of a variable: itself, or an indicator of every category but the first."""
        match = _VARIABLE.match(variable)
        assert match is not None
        name = match["inner"] or match["plain"]
        named = match["function"] == "C" or variable in self.categories
        if not named and (match["function"] or self.raw(name).dtype.kind in "iuf"):
            return [variable], self.numbers(variable)[:, None]
        values = self.raw(name).astype(str)
        if self.learn:
            self.categories.setdefault(variable, _ordered_categories(self.data, name, values))
        known = self.categories[variable]
        strange = set(values) - set(known)
        if strange:
            raise ValueError(f"{name} = {min(strange)} was not among the categories of the fit: {', '.join(known)}")
        kept = known if full else known[1:]
        return [f"{variable}[{category}]" for category in kept], (values[:, None] == kept).astype(np.float64)

    def matrix(self, terms: tuple[Variables, ...], *, intercept: bool) -> tuple[list[str], np.ndarray]:
        """Names and columns of all terms, without the constant."""
        names: list[str] = []
        blocks: list[np.ndarray] = []
        full = not intercept
        for term in terms:
            parts = []
            for variable in term:
                labels, values = self.columns(variable, full=full and len(term) == 1)
                if variable in self.categories:
                    full = full and len(term) != 1
                    if len(term) > 1 and (variable,) not in terms:
                        raise ValueError(
                            f"{':'.join(term)} needs the term {variable} beside it; write {'*'.join(term)}"
                        )
                parts.append((labels, values))
            labels, values = parts[0]
            for more_labels, more in parts[1:]:
                labels = [f"{a}:{b}" for a in labels for b in more_labels]
                values = (values[:, :, None] * more[:, None, :]).reshape(len(values), -1)
            names += labels
            blocks.append(values)
        return names, np.hstack(blocks) if blocks else np.empty((0, 0))


def _ordered_categories(data: Any, name: str, values: np.ndarray) -> np.ndarray:
    """The categories of a column: in the order that the table states, where it states one."""
    stated = getattr(getattr(data[name], "cat", None), "categories", None)
    present = np.unique(values)
    if stated is None:
        return present
    return np.array([str(category) for category in stated if str(category) in set(present)])
