"""Inline SVG, built as a tree so that every text is escaped by the serialiser.

Colours come from the page's style sheet through classes: the same drawing serves light and dark.
"""

from xml.etree.ElementTree import Element, SubElement, tostring

from markupsafe import Markup

Value = str | float


def drawing(width: Value, height: Value, label: str, class_: str, *, view: bool = True) -> Element:
    """The root of a drawing; with ``view`` it scales with the page, else its places are percentages."""
    root = Element("svg", {"class": class_, "role": "img", "aria-label": label})
    if view:
        root.set("viewBox", f"0 0 {width} {height}")
    root.set("width", str(width))
    root.set("height", str(height))
    return root


def add(parent: Element, tag: str, text: str | None = None, **attributes: Value) -> Element:
    """A child element; ``class_`` and ``text_anchor`` become ``class`` and ``text-anchor``."""
    child = SubElement(parent, tag, {_name(key): _text(value) for key, value in attributes.items()})
    child.text = text
    return child


def titled(parent: Element, title: str, class_: str = "") -> Element:
    """A group with a tooltip."""
    group = add(parent, "g", class_=class_) if class_ else add(parent, "g")
    add(group, "title", title)
    return group


def percent(place: float) -> str:
    """A place between 0 and 1 as a percentage."""
    return f"{100 * place:.2f}%"


def markup(root: Element) -> Markup:
    """The drawing as text that a template may insert."""
    return Markup(tostring(root, encoding="unicode"))


def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def _text(value: Value) -> str:
    return value if isinstance(value, str) else f"{value:.1f}".removesuffix(".0")
