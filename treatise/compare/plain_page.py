"""A page of one finding: a sentence or two, a picture and tables, in one file."""

import base64
from collections.abc import Iterable
from html import escape

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2em auto; padding: 0 1em; color: #222; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 2em; }
table { border-collapse: collapse; width: 100%; font-size: 14px; } th, td { text-align: left; padding: .2em .5em; }
th { border-bottom: 2px solid #888; } td { border-bottom: 1px solid #ddd; vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; } tr.no { color: #999; }
img { max-width: 100%; } .wide { overflow-x: auto; } @media (prefers-color-scheme: dark) {
body { background: #16181c; color: #ddd; } td { border-color: #333; } img { background: #fff; } }
"""


def plain_page(title: str, lead: str, picture: bytes, sections: dict[str, str], notes: Iterable[str]) -> str:
    """The page: a lead of words, a PNG, sections of HTML under their heads, and notes."""
    image = base64.b64encode(picture).decode()
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    parts = "".join(f"<h2>{escape(head)}</h2>{body}" for head, body in sections.items())
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><h1>{escape(title)}</h1><p>{escape(lead)}</p>"
        f'<img alt="{escape(title)}" src="data:image/png;base64,{image}">{parts}'
        f"<h2>About the data</h2><ul>{items or '<li>nothing was left out</li>'}</ul></body></html>"
    )


def html_table(heads: Iterable[tuple[str, bool]], rows: Iterable[Iterable[str]]) -> str:
    """A table of words; heads say whether a column has numbers, which stand to the right."""
    heads = list(heads)
    kinds = [' class="n"' if number else "" for _, number in heads]
    top = "".join(f"<th{kind}>{escape(head)}</th>" for kind, (head, _) in zip(kinds, heads, strict=True))
    lines = "".join(
        "<tr>" + "".join(f"<td{kind}>{escape(cell)}</td>" for kind, cell in zip(kinds, row, strict=True)) + "</tr>"
        for row in rows
    )
    return f'<div class="wide"><table><tr>{top}</tr>{lines}</table></div>'
