"""The page of what a network is made of."""

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
    sections = {what.capitalize(): _table(found.communities, "communities")}
    if found.next_links is not None:
        lead += f" {next_words(found)}" if facts["next AUC"] is not None else ""
        sections[f"Links of the next {facts['next unit']}, {facts['next period']}"] = _table(
            found.next_links, "next_links"
        )
    sections["Likely signs" if found.network.signed else "Likely links"] = _table(found.links, "links")
    if found.balance is not None:
        sections["Balance"] = _table(found.balance, "balance")
    return plain_page("What the network is made of", lead, picture, sections, found.notes)


def next_words(found: "NetworkFindings") -> str:
    """How far predicted links of the next period are to be trusted."""
    facts = found.facts
    return (
        f"From {facts['periods']} {facts['next unit']}s: links of the last one, foretold from those before, stood "
        f"above other pairs in {facts['next AUC']:.1%} of cases; by how often they came before, in "
        f"{facts['next AUC of sums']:.1%}."
    )


def _table(frame: pl.DataFrame, name: str) -> str:
    heads = [(column, dtype.is_numeric()) for column, dtype in frame.schema.items()]
    rows = ([_word(cell) for cell in row] for row in frame.head(MOST_ROWS).iter_rows())
    rest = frame.height - MOST_ROWS
    return html_table(heads, rows) + (f"<p>{rest:,} further rows are in {name}.csv.</p>" if rest > 0 else "")


def _word(cell: object) -> str:
    return "" if cell is None else f"{cell:.3f}" if isinstance(cell, float) else str(cell)
