"""Numbers as people write them: with a currency, a unit or a per cent sign, between thousands a mark, in brackets below
zero.

How the cells of a column are written is one decision, shown by a picture of a number such as ``$1,234.5`` or
``1 234,5 €``: what stands before it, the mark between thousands if there is one, the decimal sign, what stands behind.
"""

import re
from typing import NamedTuple

import polars as pl

_CURRENCY = r"(?:US\$|A\$|C\$|R\$|[$€£¥₹₽₺₩]|(?:USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|SEK|NOK|DKK|PLN|CZK|BRL|ZAR) ?)"
_UNIT = r"[\p{L}%‰°²³/$€£¥₹₽₺₩]{1,12}"
_BLANK, _QUOTE = "[ \u00a0\u2007\u2009\u202f]", "['’]"
_BODY = rf"(?:\d(?:[\d.,'’]|{_BLANK})*\d|\d|[.,]\d+)"
_SIGN = "[+\\-−]?"
NUMBER = rf"^(\()?{_SIGN}{_BLANK}?({_CURRENCY})?{_BLANK}?{_SIGN}({_BODY})(?:({_BLANK}?)({_UNIT}))?{_BLANK}?(\))?$"
"""A number with anything around it that a number may have."""
_PICTURE = re.compile(r"^(?P<before>\D*)1(?P<thousands>[., ']?)234(?P<decimal>[.,])5(?P<after>\D*)$")
DECIMAL_COMMA = "1234,5"
_ESCAPED = {".": r"\.", ",": ",", " ": _BLANK, "'": _QUOTE, "": ""}


class Picture(NamedTuple):
    """How the numbers of a column are written."""

    before: str
    thousands: str
    decimal: str
    after: str

    @classmethod
    def read(cls, picture: str) -> "Picture":
        """From a number that shows it."""
        found = _PICTURE.match(picture)
        if found is None:
            raise ValueError(f"{picture!r} is no picture of a number; write it as '$1,234.5' or '1 234,5 €'")
        return cls(**found.groupdict())

    def __str__(self) -> str:
        return f"{self.before}1{self.thousands}234{self.decimal}5{self.after}"


def picture_of(column: pl.Series, *, decimal_comma: bool = False) -> str | None:
    """The picture of all numbers of a column, or None where there is none that all of them have.

    A comma before three digits in every cell that has one divides thousands, unless ``decimal_comma`` says that it is
    the file's decimal sign; any other single comma is a decimal sign. Numbers with leading zeros are none.
    """
    parts = column.drop_nulls().unique().str.extract_groups(NUMBER).struct.unnest()
    parts.columns = ["open", "before", "body", "gap", "after", "close"]
    if parts.height == 0 or parts["body"].null_count():
        return None
    if not (parts["open"].is_null() == parts["close"].is_null()).all():
        return None
    before, after = parts["before"].fill_null(""), parts["after"].fill_null("")
    if before.n_unique() > 1 or after.n_unique() > 1:
        return None
    body = parts["body"].str.replace_all(_BLANK, " ").str.replace_all(_QUOTE, "'")
    marks = _marks(body, decimal_comma)
    if marks is None or body.str.contains(r"^0[\d]").any():
        return None
    behind = parts["gap"].fill_null("").max() + after[0] if after[0] else ""
    picture = Picture(before[0], *marks, re.sub(_BLANK, " ", behind))
    return str(picture) if body.str.contains(f"^{_body(picture)}$").all() else None


def plain_numbers(column: pl.Series, picture: str) -> pl.Series:
    """The column with its numbers as any reader takes them, ``-1234.5``; cells that have not the picture stay."""
    shown = Picture.read(picture)
    before, after = re.escape(shown.before.strip()), re.escape(shown.after.strip())
    around = f"{_BLANK}?"
    pattern = rf"^\(?{_SIGN}{around}(?:{before})?{around}{_SIGN}{_body(shown)}{around}(?:{after})?{around}\)?$"
    cell = pl.col(column.name)
    digits = cell.str.replace_all(f"[^0-9{shown.decimal}]", "").str.replace(shown.decimal, ".", literal=True)
    sign = pl.when(cell.str.contains(r"[(\-−]")).then(pl.lit("-")).otherwise(pl.lit(""))
    whole = cell.str.contains(pattern) & (cell.str.starts_with("(") == cell.str.ends_with(")"))
    plain = pl.when(whole).then(pl.concat_str(sign, digits)).otherwise(_pointed(cell, shown))
    return column.to_frame().select(plain.alias(column.name)).to_series()


def _pointed(cell: pl.Expr, picture: Picture) -> pl.Expr:
    """Numbers with an exponent, which has no picture of its own."""
    return cell.str.replace(r"^([+-]?\d*),(\d+[eE][+-]?\d+)$", "${1}.${2}") if str(picture) == DECIMAL_COMMA else cell


def _marks(body: pl.Series, decimal_comma: bool) -> tuple[str, str] | None:
    """The mark between thousands and the decimal sign."""
    commas, points = body.str.count_matches(",", literal=True), body.str.count_matches(".", literal=True)
    blanks, quotes = bool(body.str.contains(" ").any()), bool(body.str.contains("'").any())
    some_commas, some_points = bool((commas > 0).any()), bool((points > 0).any())
    if blanks or quotes:
        # Neither is a decimal sign, so that whichever of comma and point occurs is.
        if (blanks and quotes) or (some_commas and some_points):
            return None
        return (" " if blanks else "'"), ("," if some_commas else ".")
    if some_commas and some_points:
        both = body.filter((commas > 0) & (points > 0))
        if len(both) == 0:
            return None
        return (",", ".") if both.str.contains(r",.*\.").all() else (".", ",")
    if (points > 1).any():
        return ".", ","
    if not some_commas:
        return "", "."
    grouped = body.filter(commas > 0).str.contains(r"^[1-9]\d{0,2}(,\d{2,3})*,\d{3}$").all()
    return (",", ".") if grouped and not (decimal_comma and (commas <= 1).all()) else ("", ",")


def _body(picture: Picture) -> str:
    mark, point = _ESCAPED[picture.thousands], _ESCAPED[picture.decimal]
    # Two digits between commas: lakhs and crores.
    grouped = rf"\d{{1,3}}(?:{mark}\d{{{'2,3' if mark == ',' else '3'}}})*{mark}\d{{3}}|" if mark else ""
    return rf"(?:(?:{grouped}\d+)(?:{point}\d+)?|{point}\d+)"
