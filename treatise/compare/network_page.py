"""The page of what a network is made of."""

from html import escape
from typing import TYPE_CHECKING

import polars as pl

from treatise.compare.plain_page import html_table, plain_page

if TYPE_CHECKING:
    from treatise.compare.network import NetworkFindings

MOST_ROWS = 200


def network_page(found: "NetworkFindings", picture: bytes) -> str:
    """A page that holds the picture, the communities, and links that are likely now and next."""
    what = "camps" if found.network.signed else "communities"
    facts = found.facts
    lead = f"{facts['nodes']:,} nodes and {facts['links']:,} links make {found.communities.height:,} {what}."
    sections = {what.capitalize(): _section(group_words(found), found.communities, "communities")}
    if found.next_links is not None:
        lead += f" {next_words(found)}" if facts["next AUC"] is not None else ""
        sections[f"Links of the next {facts['next unit']}, {facts['next period']}"] = _table(
            found.next_links, "next_links"
        )
    likely = "Likely signs" if found.network.signed else "Likely links"
    sections[likely] = _section(link_words(found), found.links, "links")
    if found.balance is not None:
        sections["Balance"] = _section(balance_words(found), found.balance, "balance")
    return plain_page("What the network is made of", lead, picture, sections, found.notes)


def group_words(found: "NetworkFindings") -> str:
    """How far the communities, or the camps, are to be trusted."""
    facts = found.facts
    if found.network.signed:
        against = facts["links against the camps"]
        return f"{facts['negative links']:.1%} of the links are negative; {against:.1%} are against the camps"
    chance = facts["modularity by chance"]
    return f"Modularity {facts['modularity']:.3f}; by chance, at the same degrees, at most {chance:.3f}"


def balance_words(found: "NetworkFindings") -> str:
    """How many triangles are balanced, beside chance; empty where there is no triangle."""
    triads = {} if found.balance is None else {row["pattern"]: row for row in found.balance.iter_rows(named=True)}
    whole = triads.get("balanced 3-cycles")
    if whole is None or whole["share"] is None:
        return ""
    return f"{whole['share']:.1%} of the triangles are balanced; with shuffled signs {whole['expected']:.1%}"


def link_words(found: "NetworkFindings") -> str:
    """How likely links, or signs, are told, and how far they are to be trusted; empty where that was not judged."""
    facts = found.facts
    if found.network.signed:
        if "held-out accuracy" not in facts:
            return ""
        return (
            f"Held-out signs told right: {facts['held-out accuracy']:.1%}; naming the more frequent sign "
            f"{facts['more frequent sign']:.1%}"
        )
    if not found.links.height:
        return ""
    auc = facts["held-out AUC"]
    judged = "" if auc is None else f"; held-out links stood above other pairs in {auc:.1%} of cases"
    return f"Likely links, by common neighbours ({facts['link score']}){judged}"


def next_words(found: "NetworkFindings") -> str:
    """How far predicted links of the next period are to be trusted."""
    facts = found.facts
    return (
        f"From {facts['periods']} {facts['next unit']}s: links of the last one, foretold from those before, stood "
        f"above other pairs in {facts['next AUC']:.1%} of cases; by how often they came before, in "
        f"{facts['next AUC of sums']:.1%}."
    )


def _section(words: str, frame: pl.DataFrame, name: str) -> str:
    return (f"<p>{escape(words)}.</p>" if words else "") + _table(frame, name)


def _table(frame: pl.DataFrame, name: str) -> str:
    heads = [(column, dtype.is_numeric()) for column, dtype in frame.schema.items()]
    rows = ([_word(cell) for cell in row] for row in frame.head(MOST_ROWS).iter_rows())
    rest = frame.height - MOST_ROWS
    return html_table(heads, rows) + (f"<p>{rest:,} further rows are in {name}.csv.</p>" if rest > 0 else "")


def _word(cell: object) -> str:
    return "" if cell is None else f"{cell:.3f}" if isinstance(cell, float) else str(cell)
