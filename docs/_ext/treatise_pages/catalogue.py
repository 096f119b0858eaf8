"""The catalogue as pages: by task, by family, and one page for each paper whose methods run."""

from collections import Counter
from pathlib import Path

from treatise.catalog import FAMILIES, Paper, load_catalogue
from treatise.catalog._schema import TASKS
from treatise_pages.rst import block, escaped, folded, reference, table, title

# What a person would say; a task without an entry is shown by its own name.
TITLES = {
    "binary": "Predict one of two classes", "multiclass": "Predict one of several classes",
    "regression": "Predict a number", "multilabel": "Predict several labels at once",
    "multitask": "Learn several related tasks together", "survival": "Predict the time to an event",
    "ranking": "Put things in order", "preference": "Combine preferences", "anomaly": "Find the unusual",
    "clustering": "Find groups", "density": "Model a distribution", "topics": "Find topics in documents",
    "semisupervised": "Learn from few labels and many rows without", "active": "Choose which labels to ask for",
    "private": "Learn without giving away single rows", "structure": "Learn who depends on whom",
    "inference": "Infer hidden variables of a known model", "sequence": "Label sequences",
    "structured": "Predict trees, alignments and other structures", "time-series": "Work with time series",
    "feature-selection": "Choose features", "decomposition": "Take a matrix apart",
    "source-separation": "Separate mixed signals", "dimension-reduction": "Reduce dimensions",
    "metric": "Learn a distance or similarity", "kernel": "Choose or combine kernels",
    "online": "Learn from a stream, one example at a time", "experts": "Follow expert advice",
    "network": "Work with networks", "reinforcement": "Learn to act", "optimisation": "Optimise a black box",
    "design": "Design experiments", "estimation": "Estimate entropies, divergences and dependence",
    "diagnostics": "Judge a learner or an experiment", "image": "Work with images", "text": "Work with text",
}  # fmt: skip
SHOWN = 5  # names of a paper that a table lists before it says how many more there are


def pages(docs: Path) -> dict[str, str]:
    papers = list(load_catalogue())
    written = {"_generated/by_task.inc": _by_task(papers), "_generated/by_family.inc": _by_family(papers)}
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


def _by_task(papers: list[Paper]) -> str:
    text = ""
    tasks = [task for task in TASKS if any(task in paper.tasks for paper in papers)]
    # What can be used now comes first; the order within stays the catalogue's.
    for task in sorted(tasks, key=lambda t: not any(is_running(p) for p in papers if t in p.tasks)):
        working = [p for p in papers if task in p.tasks and is_running(p)]
        planned = [p for p in papers if task in p.tasks and not is_running(p)]
        text += f".. _task-{task}:\n\n" + title(TITLES.get(task, task.capitalize()), "-") + "\n"
        if working:
            rows = [[_methods(p), escaped(p.when), escaped(p.cost), f":doc:`{p.id} </papers/{p.id}>`"] for p in working]
            text += table(["Method", "When", "Cost", "Paper"], rows, widths="22 46 22 10") + "\n"
        if planned:
            items = "\n".join(f"- **{escaped(p.title)}** ({p.id}). {escaped(p.when)}" for p in planned)
            text += folded(f"{len(planned)} planned" if working else f"{len(planned)} planned, none working yet", items)
            text += "\n"
    return text


def _methods(paper: Paper) -> str:
    names = [reference(estimator.path) for estimator in paper.estimators[:SHOWN]]
    left = len(paper.estimators) - len(names)
    return ", ".join(names) + (f" and {left} more" if left else "")


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


def _entry(paper: Paper) -> str:
    link = f":doc:`{paper.id} </papers/{paper.id}>`" if is_running(paper) else paper.id
    return f"{link}\n\n{citation(paper)}"


def _paper_page(paper: Paper) -> str:
    text = title(escaped(paper.title)) + f"\n{citation(paper)}\n\n{escaped(paper.summary)}\n\n"
    facts = [("When", paper.when), ("Cost", paper.cost), ("Short of the paper", paper.note)]
    text += "".join(f":{name}: {escaped(value)}\n" for name, value in facts if value)
    text += f":Tasks: {', '.join(f':ref:`{task} <task-{task}>`' for task in paper.tasks)}\n"
    text += f":Status: {paper.status}\n\n" + title("What you import", "-") + "\n"
    text += block("autosummary::", "\n".join(f"~{e.path}" for e in paper.estimators), nosignatures="")
    return text + "\n" + title("Evidence", "-") + "\n" + block(f"include:: /_generated/evidence/{paper.id}.inc")


def _papers_index(papers: list[Paper]) -> str:
    entries = "\n".join(f"{paper.id} <{paper.id}>" for paper in papers)
    return title("Papers that run") + "\n" + block("toctree::", entries, maxdepth="1")
