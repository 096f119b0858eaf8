"""The catalogue as pages: papers by family, and one page for each paper whose methods run."""

from collections import Counter
from pathlib import Path

from treatise.catalog import FAMILIES, Paper, load_catalogue
from treatise_pages.docstrings import first_line
from treatise_pages.rst import block, escaped, link, reference, table, title


def pages(docs: Path) -> dict[str, str]:
    papers = list(load_catalogue())
    written = {"_generated/by_family.inc": _by_family(papers)}
    for paper in papers:
        if is_running(paper):
            written[f"papers/{paper.id}.rst"] = _paper_page(paper)
    written["papers/index.rst"] = _papers_index([paper for paper in papers if is_running(paper)])
    return written


def is_running(paper: Paper) -> bool:
    """Whether anything of the paper can be run."""
    return paper.status in ("working", "partial")


def citation(paper: Paper) -> str:
    """The paper as a list of references gives it."""
    authors = escaped(", ".join(paper.authors))
    pages = "" if not paper.pages[:1].isdigit() else f", {paper.pages.replace('-', '–')}"
    return f"{authors}: *{escaped(paper.title)}*. {escaped(paper.journal)} ({paper.year}){pages}."


def family_counts() -> list[tuple[str, int, int]]:
    """Of each family: its name, how many of its papers run, how many papers it has."""
    papers = list(load_catalogue())
    every, running = Counter(p.family for p in papers), Counter(p.family for p in papers if is_running(p))
    return [(family, running[family], every[family]) for family in FAMILIES]


def _by_family(papers: list[Paper]) -> str:
    text = ""
    for family, running, count in family_counts():
        members = [paper for paper in papers if paper.family == family]
        if not members:
            continue
        text += f".. _family-{family}:\n\n" + title(family, "-")
        page = f" Reference: :doc:`/api/treatise.{family}`." if running else ""
        text += f"\n{running} of {count} papers run.{page}"
        rows = [[_entry(paper), escaped(paper.summary), paper.status] for paper in members]
        text += "\n\n" + table(["Paper", "What it gives", "Status"], rows, widths="40 50 10") + "\n"
    return text


def paper_link(paper: Paper) -> str:
    """The paper's title, with a link to its page where it has one."""
    return link(paper.title, f"/papers/{paper.id}") if is_running(paper) else f"*{escaped(paper.title)}*"


def _entry(paper: Paper) -> str:
    authors = escaped(", ".join(paper.authors))
    return f"{paper_link(paper)}\n\n{authors}. {escaped(paper.journal)} ({paper.year}). ``{paper.id}``"


def _paper_page(paper: Paper) -> str:
    text = title(escaped(paper.title)) + f"\n{citation(paper)}\n\n{escaped(paper.summary)}\n\n"
    facts = [("When", paper.when), ("Cost", paper.cost), ("Short of the paper", paper.note)]
    text += "".join(f":{name}: {escaped(value)}\n" for name, value in facts if value)
    text += f":Tasks: {', '.join(f':ref:`{task} <task-{task}>`' for task in paper.tasks)}\n"
    text += f":Status: {paper.status}\n:Id: ``{paper.id}``\n\n" + title("What you import", "-") + "\n"
    rows = [[reference(entry.path), first_line(entry.path)] for entry in paper.estimators]
    text += table(["Name", "What it is"], rows, widths="30 70")
    return text + "\n" + title("Evidence", "-") + "\n" + block(f"include:: /_generated/evidence/{paper.id}.inc")


def _papers_index(papers: list[Paper]) -> str:
    entries = "\n".join(paper.id for paper in papers)  # shown by the titles of their pages
    return title("Papers that run") + "\n" + block("toctree::", entries, maxdepth="1")
