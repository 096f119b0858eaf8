"""What a row need not say because it is written elsewhere: a docstring's first line, and a cost law in words."""

import re
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treatise.catalog._schema import ComparisonEntry, Cost

REFERENCE_ROWS, REFERENCE_COLUMNS = 10_000, 100
MOST_DOORS = 4  # packages that may hand a name on before its own file


def first_line_of(path: str) -> str | None:
    """First line of the docstring of a public name, read from the source without importing it."""
    module, _, name = path.rpartition(".")
    for _ in range(MOST_DOORS):
        text = _source(module)
        own = re.search(rf'^(?:class|def) {name}\b.*?^ +r?"""(.+?)(?:"""|\n\s*\n)', text, re.M | re.S)
        if own:
            return " ".join(own[1].split())
        came_from = re.search(rf"^from (\S+) import (?:\([^)]*\b{name}\b|[^(\n]*\b{name}\b)", text, re.M)
        if came_from is None:
            return None
        module = came_from[1]
    return None


@lru_cache(maxsize=256)
def _source(module: str) -> str:
    package, *folders, name = module.split(".")
    place: Traversable = files(package).joinpath(*folders)
    candidates = (place / name / "__init__.py", place / f"{name}.py")
    return next((file.read_text(encoding="utf-8") for file in candidates if file.is_file()), "")


def cost_in_words(compare: "ComparisonEntry") -> str:
    """The cost laws of an estimator as a sentence without its stop."""
    if not compare.is_measured:
        return "not measured yet"
    rows = f"{REFERENCE_ROWS:_}".replace("_", " ")
    if compare.tasks == ("sequence",):
        size, seconds = f"{rows} positions with 10 labels", compare.seconds.at(REFERENCE_ROWS, 1, 10)
    else:
        size = f"{rows} rows x {REFERENCE_COLUMNS} columns"
        seconds = compare.seconds.at(REFERENCE_ROWS, REFERENCE_COLUMNS)
    growth = f"grows with {sizes}" if (sizes := _sizes(compare.seconds)) else "whatever the size"
    memory = f"{_number(compare.bytes.scale)} {_sizes(compare.bytes)}".strip()
    return f"about {_number(seconds)} s at {size}; {growth}; memory {memory} bytes"


def _sizes(law: "Cost") -> str:
    powers = {name: getattr(law, name) for name in "npk"}
    return " ".join(name if power == 1 else f"{name}^{power:g}" for name, power in powers.items() if power)


def _number(value: float) -> str:
    if value >= 100:
        return f"{float(f'{value:.2g}'):_.0f}".replace("_", " ")
    return f"{value:.2g}"
