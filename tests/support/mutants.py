"""Damaged files by the thousand: every reader gives a right kind of answer or one of the library's own errors.

``make fuzz`` makes 100 000 of each format, or as many as it is told, with every index of the compiled
loops checked where ``NUMBA_BOUNDSCHECK=1`` is set; the tests make fewer. A mutant that breaks out is kept in a file.
"""

import argparse
import bz2
import gzip
import io
import lzma
import random
import struct
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import polars as pl
from workbooks import CELLS, MAIN, packed

from treatise._core.errors import TreatiseError
from treatise.datasets import games_of_table, load_network, load_rankings, load_table
from treatise.io import Stream, read_bif, read_cassandra, read_conll, read_preflib, read_r_data, read_table
from treatise.optimize import SNES, load_search

# Bytes that mean something to one reader or another, and numbers at the ends of what fits.
WORDS = [
    b",", b";", b"\t", b" ", b"|", b":", b'"', b"'", b"\n", b"\r", b"\r\n", b"\n\n", b"#", b"@", b"{", b"}", b"(", b")",
    b"?", b"-", b".", b"e", b"0", b"1", b"\x00", b"\xff", b"\xe9", b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b", b"BZh9",
    b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"PAR1", b"PK\x03\x04", b"qid:1", b"nan", b"inf", b"1e999", b"-1",
    b"18446744073709551617", b"2147483648", b"/*", b"//", b"@data", b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff",
]  # fmt: skip


def mutant(whole: bytes, rng: random.Random) -> bytes:
    """A file with a few bytes put in, taken out, changed, doubled or moved, or its end cut off."""
    data = bytearray(whole)
    for _ in range(rng.randint(1, 4)):
        at, width = rng.randint(0, len(data)), rng.choice((1, 1, 2, 4, 16))
        change = rng.randrange(6)
        if change == 0:
            data[at:at] = rng.choice(WORDS)
        elif change == 1:
            del data[at : at + width]
        elif change == 2:
            data[at : at + width] = rng.randbytes(width)
        elif change == 3:
            data[at : at + 1] = rng.choice(WORDS)
        elif change == 4:
            data[at:at] = data[at : at + 4 * width]
        elif rng.random() < 0.3:
            del data[at:]
    return bytes(data)


def _parquet() -> bytes:
    sink = io.BytesIO()
    pl.DataFrame({"a": range(50), "b": [f"w{i % 3}" for i in range(50)]}).write_parquet(sink)
    return sink.getvalue()


def _r_data() -> bytes:
    """A data frame with numbers, a factor and text; a matrix; a range that R wrote as a recipe."""

    def text(value: str) -> bytes:
        return struct.pack(">ii", 0x40009, len(value)) + value.encode()

    def vector(kind: int, body: bytes, **attributes: bytes) -> bytes:
        return (
            struct.pack(">i", kind | (0x200 if attributes else 0)) + body + (pairs(attributes) if attributes else b"")
        )

    def numbers(kind: int, form: str, *values: float, **attributes: bytes) -> bytes:
        return vector(kind, struct.pack(f">i{len(values)}{form}", len(values), *values), **attributes)

    def strings(*values: str) -> bytes:
        return vector(16, struct.pack(">i", len(values)) + b"".join(map(text, values)))

    def pairs(mapping: dict[str, bytes]) -> bytes:
        tagged = (struct.pack(">ii", 0x402, 1) + text(name) + value for name, value in mapping.items())
        return b"".join(tagged) + struct.pack(">i", 254)

    factor = numbers(13, "i", 1, 2, 1, levels=strings("lo", "hi"))
    columns = [numbers(14, "d", 1.5, 2.5, -1.0), factor, strings("a", "b", "c")]
    body = struct.pack(">i", len(columns)) + b"".join(columns)
    recipe = struct.pack(">i", 2) + struct.pack(">i", 1) + text("compact_intseq") + struct.pack(">i", 254)
    objects = {
        "table": vector(19, body, names=strings("x", "f", "s")),
        "matrix": numbers(14, "d", *range(6), dim=numbers(13, "i", 2, 3)),
        "range": struct.pack(">i", 238) + recipe + numbers(14, "d", 5, 1, 1) + struct.pack(">i", 254),
    }
    return b"RDX2\nX\n" + struct.pack(">iii", 2, 0x40101, 0x20300) + pairs(objects)


def _search() -> bytes:
    """A search in the midst of a generation."""
    search = SNES([1.0, 2.0], popsize=4, random_state=0)
    search.ask()
    with tempfile.TemporaryDirectory() as folder:
        search.save(path := Path(folder) / "search.npz")
        return path.read_bytes()


CSV = b'id,"the name",x\n1,"a, ""b""",0.5\n\n2,two words,-1e3\n3,"two\nlines",?\r\n4, five ,007\n5,x,2020-01-02\n'
LIBSVM = b"# head\n+1 1:0.5 3:2 10:-1e-3\n-1 qid:2 2:1\n-1\n+1 1:12345678901234567890 # end\n"
VW = b"1 |ad shoes:0.5 12 |page:2 sport news\n-1 2.5 'tag|ad cars |page finance\n0 |a b:1e3 :2\n"
KEEL = b"@relation t\n@attribute x real [0.0, 9.0]\n@attribute 'the y' {a, b}\n@data\n1.5, a\n2.5, b\n<null>, a\n"
ORANGE = b"name\tsize\tkind\nstring\tcontinuous\tdiscrete\nmeta\t\tclass\nfig\t1.5\ta\nplum\t2\tb\npear\t?\ta\n"
CONLL = b"# text = He sees\n1\tHe\the\tPRON\tPRP\t_\t2\tnsubj\t_\t_\n2\tsees\tsee\tVERB\tVBZ\t_\t0\troot\t_\t_\n\n"
COLUMNS = b"-DOCSTART- O\n\nHe PRP B-NP\nreckons VBZ B-VP\n\nNo UH O\n"
BIF = (
    b"network n {\n}\nvariable r {\n  type discrete [ 2 ] { y, n };\n}\n"
    b"variable g {\n  type discrete [ 2 ] { w, d };\n}\n"
    b"probability ( r ) {\n  table 0.2, 0.8;\n}\nprobability ( g | r ) {\n  (y) 0.9, 0.1;\n  (n) 0.3, 0.7;\n}\n"
)
PREFLIB = (
    b"# TITLE: lunch\n# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: soup\n# ALTERNATIVE NAME 2: rice\n"
    b"# ALTERNATIVE NAME 3: fish\n4: 2,1,3\n1: 3,{1,2}\n2: 1\n"
)
POMDP = (
    b"# door\ndiscount: 0.95\nvalues: cost\nstates: left right\nactions: listen open\nobservations: 2\n"
    b"start include: left\nT: listen identity\nT: open : * reset\nT: open : left : right 0\nO: listen\n"
    b"0.85 0.15\n0.15 0.85\nO: open uniform\nR: * : * : * : * 1\nR: open : left\n1 2 3 4\nR: open : 1 : 0 5 6\n"
)


LINKS = b"source,target,weight,time\nann,bob,1,2020-01-02\nbob,cy,2.5,2020-02-03\ncy,ann,-1,2020-03-04\nann,cy,1,\n"
GML = (
    b'graph [\n directed 0\n node [\n id 0\n label "a"\n ]\n node [\n id 1\n label "b"\n ]\n'
    b" edge [\n source 0\n target 1\n weight 2.5\n ]\n]\n"
)
GRAPHML = (
    b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="w" for="edge" attr.name="weight" '
    b'attr.type="double"/><graph edgedefault="undirected"><node id="a"/><node id="b"/>'
    b'<edge source="a" target="b"><data key="w">2.5</data></edge></graph></graphml>'
)
GAMES = b"time,winner,loser\n2020-01-02,ann,bob\n2020-01-03,bob,cy\n2020-01-04,cy,ann\n"
VOTES = b"wine,ann,bob\nred,1,2\nwhite,2,1\nrose,3,\n"


SHEET = f'<worksheet xmlns="{MAIN}"><sheetData>{CELLS}</sheetData></worksheet>'.encode()


class Format(NamedTuple):
    """A file that is right, its name, and what reads it."""

    whole: bytes
    name: str
    read: Callable[[Path], object]


def streamed(path: Path, **options: object) -> None:
    """All examples of a file, as they are learned from."""
    for chunk in Stream(path, bits=10, **options):  # type: ignore[arg-type]
        assert len(chunk.indices) == chunk.indptr[-1]
        assert not len(chunk.indices) or 0 <= chunk.indices.min() <= chunk.indices.max() < 1024


def _read_sheet(path: Path) -> object:
    """A table from a workbook, of which the file is one sheet: damage must not end at the archive's checksums."""
    path.write_bytes(packed(path.read_bytes()))
    return read_table(path)


FORMATS = {
    "csv": Format(CSV, "data.csv", read_table),
    "unknown": Format(CSV, "data", read_table),
    "libsvm": Format(LIBSVM, "data.svm", read_table),
    "keel": Format(KEEL, "data.dat", read_table),
    "orange": Format(ORANGE, "data.tab", read_table),
    "parquet": Format(_parquet(), "data.parquet", read_table),
    "workbook": Format(SHEET, "book.xlsx", _read_sheet),
    "gzip": Format(gzip.compress(CSV, mtime=0), "data.csv.gz", read_table),
    "bzip2": Format(bz2.compress(CSV), "data.csv.bz2", read_table),
    "xz": Format(lzma.compress(CSV), "data.csv.xz", read_table),
    "zstandard": Format(b"\x28\xb5\x2f\xfd\x20\x10\x81\x00\x00a,b\n1,2\n3,4\n5,6\n", "data.csv.zst", read_table),
    "r": Format(_r_data(), "data.rda", read_r_data),
    "r, compressed": Format(gzip.compress(_r_data(), mtime=0), "data.rda", read_r_data),
    "bif": Format(BIF, "net.bif", read_bif),
    "pomdp": Format(POMDP, "door.pomdp", read_cassandra),
    "preflib": Format(PREFLIB, "votes.toi", read_preflib),
    "conllu": Format(2 * CONLL, "words.conllu", read_conll),
    "conll": Format(COLUMNS, "words.txt", read_conll),
    "links": Format(LINKS, "links.csv", load_network),
    "gml": Format(GML, "net.gml", load_network),
    "gml, compressed": Format(gzip.compress(GML, mtime=0), "net.gml.gz", load_network),
    "graphml": Format(GRAPHML, "net.graphml", load_network),
    "games": Format(GAMES, "games.csv", lambda path: games_of_table(load_table(path))),
    "rankings": Format(VOTES, "votes.csv", load_rankings),
    "search": Format(_search(), "search.npz", load_search),
    "stream of vw": Format(VW, "data.vw", streamed),
    "stream of libsvm": Format(LIBSVM, "data.svm", lambda path: streamed(path, format="libsvm")),
    "stream of csv": Format(b"y,x,w\n1,5,a\n0,6,b\n1,,c\n", "data.csv", lambda path: streamed(path, target="y")),
    "stream of gzip": Format(gzip.compress(VW, mtime=0), "data.vw.gz", streamed),
}  # fmt: skip


def broken_out(name: str, mutants: int, folder: Path, seed: int = 0) -> Iterator[tuple[bytes, BaseException]]:
    """Mutants of a format that raised anything but the library's own error, with what they raised."""
    given, rng = FORMATS[name], random.Random(f"{name} {seed}")
    path = folder / given.name
    path.write_bytes(given.whole)
    given.read(path)
    for _ in range(mutants):
        data = mutant(given.whole, rng)
        path.write_bytes(data)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                given.read(path)
        except TreatiseError as error:
            if not 10 <= len(str(error)) <= 2000 or str(error).count("\n") > 1:
                yield data, error
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # Polars' panics are no exceptions
            yield data, error


def main() -> int:
    """Make mutants of all formats, or of those that are named; the exit status says whether one broke out."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("formats", nargs="*", default=list(FORMATS), metavar="FORMAT")
    parser.add_argument("--mutants", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    wanted = parser.parse_args()
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted.formats:
            began = time.process_time()
            broken = list(islice(broken_out(name, wanted.mutants, Path(folder), wanted.seed), 20))
            spent = time.process_time() - began
            print(f"{name}: {len(broken)} of {wanted.mutants} broke out ({spent:.0f} s of the processor)", flush=True)
            for number, (data, error) in enumerate(broken):
                kept = Path(tempfile.gettempdir()) / f"mutant-{name.replace(' ', '-')}-{number}"
                kept.write_bytes(data)
                print(f"    {type(error).__name__}: {str(error)[:150]} [{kept}]", flush=True)
            found += len(broken)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
