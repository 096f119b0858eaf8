"""The reference: one page for each public name of each public package, found through ``__all__``."""

import ast
import dataclasses
import inspect
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

from numpydoc.docscrape import NumpyDocString
from sphinx.pycode import ModuleAnalyzer

import treatise
from treatise.catalog import FAMILIES, Paper, load_catalogue
from treatise_pages.catalogue import citation, is_running
from treatise_pages.docstrings import first_line
from treatise_pages.rst import block, escaped, reference, table, title

GROUPS = {
    "The main job": ["compare", "report", "catalog", "papers"],
    "Families of methods": list(FAMILIES),
    "Data and files": ["datasets", "io"],
    "Machinery": ["statistics", "optimize", "kernels", "inference"],
}


def pages(docs: Path) -> dict[str, str]:
    packages = {name: getattr(treatise, name) for name in treatise.__all__}
    packages = {name: package for name, package in packages.items() if isinstance(package, ModuleType)}
    public = {name: package for name, package in packages.items() if getattr(package, "__all__", None)}
    written = {"api/index.rst": _index(public)}
    for package in public.values():
        written[f"api/{package.__name__}.rst"] = _package_page(package)
        for name in _own_names(package):
            written[f"api/{package.__name__}.{name}.rst"] = _name_page(package, name)
    return written


def _index(public: dict[str, ModuleType]) -> str:
    text = title("Reference")
    text += (
        "\nEverything public, by package. What is not listed here may change without notice.\n"
        "Families without a working method yet are left out; :doc:`/catalogue` lists them.\n\n"
    )
    grouped = {name for names in GROUPS.values() for name in names}
    groups = {**GROUPS, "More": [name for name in public if name not in grouped]}
    for heading, names in groups.items():
        present = [public[name] for name in names if name in public]
        if present:
            rows = [[f":doc:`{p.__name__}`", _first_line(p), str(len(p.__all__))] for p in present]
            header = ["Package", "What lives there", "Names"]
            text += title(heading, "-") + "\n" + table(header, rows, widths="24 64 12")
            text += "\n" + block("toctree::", "\n".join(package.__name__ for package in present), hidden="") + "\n"
    return text


def _first_line(package: ModuleType) -> str:
    return (package.__doc__ or "").strip().partition("\n\n")[0].replace("\n", " ")


def _package_page(package: ModuleType) -> str:
    name, own = package.__name__, _own_names(package)
    text = title(name) + f"\n{(package.__doc__ or '').strip()}\n\n.. currentmodule:: {name}\n\n"
    kinds = {kind: [n for n in own if _kind(getattr(package, n)) == kind] for kind in ("class", "function", "data")}
    headings = {"class": "Classes", "function": "Functions", "data": "Constants"}
    for kind, names in kinds.items():
        if names:
            rows = [[reference(f"{name}.{n}"), first_line(f"{name}.{n}")] for n in names]
            text += title(headings[kind], "-") + "\n" + table(["Name", "What it is"], rows, widths="30 70") + "\n"
    elsewhere = [n for n in package.__all__ if n not in own]
    if elsewhere:
        links = ", ".join(f":py:obj:`{_home(getattr(package, n))}.{n}`" for n in elsewhere)
        text += f"Also importable from here: {links}.\n\n"
    return text + block("toctree::", "\n".join(f"{name}.{n}" for n in own), hidden="")


def _own_names(package: ModuleType) -> list[str]:
    """The names that this package documents: those that no other public package is the home of."""
    return [n for n in package.__all__ if _home(getattr(package, n)) in (package.__name__, "")]


def _home(member: Any) -> str:
    """The public package that a class or function belongs to; empty for plain values."""
    module = getattr(member, "__module__", None) if _kind(member) != "data" else None
    return ".".join(module.split(".")[:2]) if module else ""


def _kind(member: Any) -> str:
    if inspect.isclass(member):
        return "class"
    return "function" if inspect.isroutine(member) or hasattr(member, "py_func") else "data"


def _name_page(package: ModuleType, name: str) -> str:
    member, path = getattr(package, name), f"{package.__name__}.{name}"
    text = title(escaped(name)) + f"\n.. currentmodule:: {package.__name__}\n\n"
    kind = _kind(member)
    if kind == "class":
        text += _class(member, name)
    elif kind == "function":
        text += block(f"autofunction:: {name}")
    else:
        text += block(f"py:data:: {name}", f"{_comment_of(package, name)}\n\nValue: ``{member!r}``")
    for paper in (p for p in load_catalogue() if any(e.path == path for e in p.estimators)):
        text += f"\n{_provenance(paper)}\n"
    if kind != "data":
        text += "\n" + block(f"minigallery:: {path}", **{"add-heading": "Pictures of it at work", "heading-level": "-"})
    return text


def _provenance(paper: Paper) -> str:
    page = f" :doc:`Its page </papers/{paper.id}>` has the evidence." if is_running(paper) else ""
    return block("seealso::", f"{citation(paper)}{page}")


def _class(member: type, name: str) -> str:
    text = block(f"autoclass:: {name}")
    documented = _documented(member)
    fields = [field for field in _fields(member) if field not in documented]
    if fields:
        text += "\n.. rubric:: Fields\n\n" + "".join(f"- ``{f}``: {_type_of(member, f)}\n" for f in fields)
    ours, theirs = _methods(member, documented)
    if ours:
        text += "\n.. rubric:: Methods\n\n"
        text += "\n".join(block(f"{directive}:: {name}.{method}") for method, directive in ours)
    if theirs:
        text += f"\nAs in every scikit-learn estimator: {', '.join(f'``{m}``' for m in theirs)}.\n"
    return text


def _documented(member: type) -> set[str]:
    """Parameters and attributes that the docstring of a class describes."""
    sections = NumpyDocString(inspect.getdoc(member) or "")
    items = (*sections["Parameters"], *sections["Attributes"])
    return {name for item in items for name in item.name.split(", ")}


def _fields(member: type) -> list[str]:
    fields = [f.name for f in dataclasses.fields(member)] if dataclasses.is_dataclass(member) else []
    return [name for name in (*fields, *getattr(member, "_fields", ())) if not name.startswith("_")]


def _type_of(member: type, field: str) -> str:
    kind = member.__annotations__.get(field, "")
    return escaped(kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind)))


def _methods(member: type, documented: set[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """Public methods and properties that Treatise defines, with their directives, and scikit-learn's by name."""
    ours, theirs = [], []
    for name in sorted(n for n in dir(member) if not n.startswith("_") and not n.endswith("_request")):
        if name in documented:
            continue
        owner = next((c for c in member.__mro__ if name in vars(c)), None)
        value = vars(owner)[name] if owner else None
        origin = owner.__module__.partition(".")[0] if owner else ""
        if origin == "sklearn" and callable(getattr(member, name)):
            theirs.append(name)
        elif origin == "treatise" and isinstance(value, property | cached_property):
            ours.append((name, "autoproperty"))
        elif origin == "treatise" and inspect.isroutine(value):
            ours.append((name, "automethod"))
    return ours, theirs


def _comment_of(package: ModuleType, name: str) -> str:
    """The docstring below a constant, in the module that the package imports it from."""
    tree = ast.parse(inspect.getsource(package))
    sources = {alias.name: node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
               for alias in node.names}  # fmt: skip
    comments = ModuleAnalyzer.for_module(sources.get(name, package.__name__)).find_attr_docs()
    return "\n".join(comments.get(("", name), []))
