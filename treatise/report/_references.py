"""A method's reference as BibTeX."""

import re
import unicodedata

from treatise.report.record import MethodRecord, PaperRecord

SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    sign: "\\" + sign for sign in "&%$#_{}"
}
# Baselines come from this library; its authors ask to be cited so.
SCIKIT_LEARN = PaperRecord(
    id="scikit-learn",
    title="Scikit-learn: Machine Learning in Python",
    authors=(
        "Fabian Pedregosa", "Gaël Varoquaux", "Alexandre Gramfort", "Vincent Michel", "Bertrand Thirion",
        "Olivier Grisel", "Mathieu Blondel", "Peter Prettenhofer", "Ron Weiss", "Vincent Dubourg", "Jake Vanderplas",
        "Alexandre Passos", "David Cournapeau", "Matthieu Brucher", "Matthieu Perrot", "Édouard Duchesnay",
    ),
    journal="JMLR 12",
    year=2011,
    pages="2825-2830",
    when="",
    cost="",
)  # fmt: skip


def reference(method: MethodRecord) -> PaperRecord | None:
    """What to cite for a method: its paper, or the library that a baseline comes from."""
    if method.paper is not None:
        return method.paper
    return SCIKIT_LEARN if method.estimator.startswith("sklearn.") else None


def bibtex(paper: PaperRecord) -> str:
    """An entry for a bibliography; signs that TeX would take for commands are escaped."""
    fields = {"author": " and ".join(map(_escaped, paper.authors)), "title": f"{{{_escaped(paper.title)}}}"}
    volume = re.fullmatch(r"(.*\S)\s+(\d+)", paper.journal)
    kind, _, school = paper.journal.partition(",")
    if kind.strip().lower() == "phd thesis":
        entry, fields["school"] = "phdthesis", _escaped(school.strip())
    else:
        entry = "article"
        name = volume[1] if volume else paper.journal
        fields["journal"] = {"JMLR": "Journal of Machine Learning Research"}.get(name, _escaped(name))
        if volume:
            fields["volume"] = volume[2]
        if re.fullmatch(r"\d+-\d+", paper.pages):
            fields["pages"] = paper.pages.replace("-", "--")
    fields["year"] = str(paper.year)
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@{entry}{{{_key(paper)},", *lines, "}"])


def _key(paper: PaperRecord) -> str:
    """The first author's last name, the year, and the first long word of the title, in plain letters."""
    name = paper.authors[0].split()[-1:] if paper.authors else []
    word = next((word for word in re.findall(r"\w+", paper.title) if len(word) > 3), "")
    text = unicodedata.normalize("NFKD", "".join(name) + str(paper.year) + word)
    return re.sub(r"[^A-Za-z0-9]", "", text).lower()


def _escaped(text: str) -> str:
    return "".join(SPECIAL.get(sign, sign) for sign in " ".join(text.split()))
