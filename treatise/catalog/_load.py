"""Loading and searching the catalogue."""

import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from treatise._core.errors import TreatiseError
from treatise.catalog._schema import CatalogueError, EstimatorEntry, Paper, read_estimator, read_paper

FAMILIES = (
    "online", "linear", "svm", "kernel_methods", "metric", "graphical", "sequence", "bayesnet", "bayes",
    "decomposition", "cluster", "network", "ranking", "selection", "rl", "search", "ensemble", "information",
    "semisupervised", "theory", "applications",
)  # fmt: skip


class Catalogue:
    """All papers, in the order of their families."""

    def __init__(self, papers: list[Paper]) -> None:
        counts = Counter(paper.id for paper in papers)
        for paper in papers:
            if counts[paper.id] > 1:
                raise CatalogueError(f"{paper.family}/papers.toml: paper {paper.id!r} stands in the catalogue twice")
        self._papers = {paper.id: paper for paper in papers}

    def __iter__(self) -> Iterator[Paper]:
        return iter(self._papers.values())

    def __len__(self) -> int:
        return len(self._papers)

    def __getitem__(self, paper_id: str) -> Paper:
        if paper_id not in self._papers:
            raise TreatiseError(f"no paper has the id {paper_id!r}; `treatise list --all` shows all ids")
        return self._papers[paper_id]

    def search(self, words: str = "", *, task: str | None = None, family: str | None = None) -> list[Paper]:
        """Papers that hold every word, for the task and in the family if given."""
        wanted = words.lower().split()
        return [
            paper
            for paper in self
            if (task is None or task in paper.tasks)
            and (family is None or family == paper.family)
            and all(word in _text_of(paper) for word in wanted)
        ]

    def find(self, key: str) -> list[Paper]:
        """The paper with this id, else those with this estimator, else those that hold these words."""
        if key in self._papers:
            return [self._papers[key]]
        name = key.rpartition(".")[2].lower()
        named = [paper for paper in self if any(e.name.lower() == name for e in paper.estimators)]
        return named or self.search(key)


def _text_of(paper: Paper) -> str:
    parts = (paper.id, paper.title, *paper.authors, paper.family, *paper.tasks, paper.summary, paper.when)
    return " ".join((*parts, *(estimator.path for estimator in paper.estimators))).lower()


@lru_cache(maxsize=1)
def load_catalogue() -> Catalogue:
    """The whole catalogue, read from each family's ``papers.toml``."""
    papers = []
    for family in FAMILIES:
        source = files("treatise") / family / "papers.toml"
        if source.is_file():
            where = f"{family}/papers.toml"
            tables = _parse(source, where)
            rows = tables.pop("paper", [])
            if not isinstance(rows, list):
                raise CatalogueError(f"{where}: a row starts with [[paper]], not with [paper]")
            papers += [read_paper(table, family, where) for table in rows]
            if tables:
                raise CatalogueError(f"{where}: '{next(iter(tables))}' is no paper; rows start with [[paper]]")
    return Catalogue(papers)


def load_entries(source: Traversable) -> list[EstimatorEntry]:
    """Estimators outside the papers (baselines), from a TOML file of ``[[estimator]]`` tables."""
    tables = _parse(source, source.name).get("estimator", [])
    return [read_estimator(table, f"{source.name}, estimator {i}") for i, table in enumerate(tables, 1)]


def _parse(source: Traversable, where: str) -> dict:
    try:
        return tomllib.loads(source.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CatalogueError(f"{where} is no valid TOML in UTF-8: {error}") from error
