"""One file, written in every usual way, is the same to every command and function that takes a file."""

import bz2
import functools
import gzip
import io
import json
import lzma

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from typer.testing import CliRunner

from treatise._core.errors import TreatiseError
from treatise.cli import app
from treatise.compare import compare_methods
from treatise.compare.inputs import Request, read_input
from treatise.datasets import load_table
from treatise.io import Stream, TableBlocks, load_model, read_conll, read_table
from treatise.io.source import MISSING

NAMES = ("x", "z", "town", "y")
rng = np.random.default_rng(0)
X = np.round(rng.normal(size=24), 2)
ROWS = [
    (None if i == 5 else float(x), float(np.round(x + e, 2)), ("Málaga", "Rome", "Oslo")[i % 3], int(x > 0))
    for i, (x, e) in enumerate(zip(X, rng.normal(size=24)))
]


def text(delimiter=",", *, missing="", point=".", header=True, end="\n", quote=""):
    """The table as text."""

    def cell(value):
        if value is None:
            return missing
        return f"{quote}{value}{quote}" if isinstance(value, str) else str(value).replace(".", point)

    lines = [delimiter.join(NAMES)] if header else []
    return "".join(line + end for line in lines + [delimiter.join(map(cell, row)) for row in ROWS])


def zstandard(data):
    return pytest.importorskip("pyarrow").compress(data, codec="zstd", asbytes=True)


def money():
    """The numbers with a currency, brackets for a minus."""

    def cell(value):
        if not isinstance(value, float):
            return "" if value is None else str(value)
        return f"(${-value})" if value < 0 else f"${value}"

    return "".join(",".join(map(cell, row)) + "\n" for row in [NAMES, *ROWS])


ORANGE = "\t".join(NAMES) + "\nc\tcontinuous\ts\tc\n\t\t\tclass\n"
ORANGE_PREFIXES = "C#x\tC#z\ttown\tcC#y\n"
KEEL = "@relation towns\n" + "".join(f"@attribute {name} real\n" for name in NAMES) + "@data\n"
WAYS = {
    **{f"missing {word}": ("t.csv", text(missing=word)) for word in MISSING[1:]},
    "tabs": ("t.tsv", text("\t")),
    "tabs by content": ("t.txt", text("\t")),
    "semicolons": ("t.csv", text(";")),
    "decimal comma": ("t.csv", text(";", point=",")),
    "bars": ("t.txt", text("|")),
    "blanks": ("t.txt", text("  ", missing="NA")),
    "blanks around": ("t.csv", text(" , ")),
    "blank lines": ("t.csv", text().replace("Rome,0\n", "Rome,0\n\n")),
    "quotes": ("t.csv", text(quote='"')),
    "KEEL": ("t.dat", KEEL + text(missing="<null>", header=False)),
    "Orange": ("t.tab", ORANGE + text("\t", header=False)),
    "Orange's prefixes": ("t.tab", ORANGE_PREFIXES + text("\t", header=False)),
    "money": ("t.csv", money()),
    "mark": ("t.csv", b"\xef\xbb\xbf" + text().encode()),
    "line ends of Windows": ("t.csv", text(end="\r\n")),
    "line ends of old": ("t.csv", text(end="\r")),
    "Latin-1": ("t.csv", text().encode("latin-1")),
    "gzip": ("t.csv.gz", gzip.compress(text().encode())),
    "bzip2": ("t.csv.bz2", bz2.compress(text().encode())),
    "xz": ("t.csv.xz", lzma.compress(text().encode())),
    "Zstandard": ("t.csv.zst", zstandard),
}


def run(*words):
    """What a command prints, in this process."""
    answer = CliRunner().invoke(app, [str(word) for word in words])
    if answer.exit_code:
        raise TreatiseError(answer.stderr)
    return answer.stdout


def by_read_table(path, folder):
    return read_table(path).frame


def by_load_table(path, folder):
    return load_table(path).frame


def by_blocks(path, folder):
    return pl.concat(block.frame for block in TableBlocks(path))


def by_stream(path, folder):
    chunks = [(c.indptr.copy(), c.indices.copy(), c.values.copy(), c.labels.copy()) for c in Stream(path, target="y")]
    return pl.DataFrame({str(i): [array.tolist() for array in part] for i, part in enumerate(zip(*chunks))})


def by_stream_command(path, folder):
    run("stream", path, "--target", "y", "--bits", 8, "--no-cache", "--json", "-o", folder / "s.skops")
    return pl.DataFrame({"weight": load_model(folder / "s.skops").model.coef_.ravel()})


def by_fit_command(path, folder):
    run("fit", "LogisticRegression", path, "--target", "y", "--json", "-o", folder / "m.skops")
    plain = folder / "plain.csv"
    plain.write_text(text(), encoding="utf-8")
    return pl.read_csv(io.StringIO(run("predict", folder / "m.skops", plain)))


def by_predict_command(path, folder):
    return pl.read_csv(io.StringIO(run("predict", fitted(folder.parent), path)))


def by_graph_command(path, folder):
    told = json.loads(
        run("graph", path, "--columns", "x,z", "--drop-missing", "--subsamples", 0, "--json", "-o", folder)
    )
    return pl.DataFrame({"told": [json.dumps([told["columns"], told["edges"], told["notes"]])]})


def by_compare(path, folder):
    data = read_input(Request(path, "y", output=folder / "run"))
    return data.X.with_columns(y=pl.Series(data.y))


ENTRIES = (
    by_read_table, by_load_table, by_blocks, by_stream, by_stream_command, by_fit_command, by_predict_command,
    by_graph_command, by_compare,
)  # fmt: skip


@functools.cache
def fitted(folder):
    """A model of the plain table."""
    plain = folder / "fitted.csv"
    plain.write_text(text(), encoding="utf-8")
    run("fit", "LogisticRegression", plain, "--target", "y", "--json", "-o", folder / "fitted.skops")
    return folder / "fitted.skops"


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """What an entry makes of the table as plain CSV; each entry is asked once."""
    folder = tmp_path_factory.mktemp("plain")
    path = folder / "t.csv"
    path.write_text(text(), encoding="utf-8")
    return functools.cache(lambda entry: entry(path, folder))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.__name__.removeprefix("by_"))
@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_write_a_table_is_read_alike(plain, tmp_path, entry, way):
    name, content = WAYS[way]
    content = content(text().encode()) if callable(content) else content
    (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    assert_frame_equal(entry(tmp_path / name, tmp_path), plain(entry))


VW = "1 |user ann age:3 |site news sport\n-1 |user bob age:4 |site news\n" * 4


@pytest.mark.parametrize("name", ["log.vw", "log.txt", "log.vw.gz"])
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.__name__.removeprefix("by_"))
def test_vowpal_wabbit_text_is_read_or_called_by_its_name(tmp_path, entry, name):
    path = tmp_path / name
    path.write_bytes(gzip.compress(VW.encode()) if name.endswith(".gz") else VW.encode())
    if entry in (by_stream, by_stream_command):
        assert entry(path, tmp_path).height
    else:
        with pytest.raises(TreatiseError) as error:
            compare_methods(path, "y", output=tmp_path / "run") if entry is by_compare else entry(path, tmp_path)
        assert "this is Vowpal Wabbit text" in " ".join(str(error.value).split())
        assert "treatise stream" in " ".join(str(error.value).split())


@pytest.mark.parametrize(
    "content",
    [
        "a|b|c\n1|2|3\n4|5|6\n", "1|2|3\n4|5|6\n", "1 | 2 | 3\n4 | 5 | 6\n", "3|new york\n4|old town\n",
        "name | town | n\nann | new york | 3\nbob | rome | 4\n", "|word\n|other\n",
    ],
)  # fmt: skip
def test_tables_with_bars_are_not_taken_for_vowpal_wabbit(tmp_path, content):
    (tmp_path / "t.txt").write_text(content)
    assert read_table(tmp_path / "t.txt").frame.width == content.splitlines()[0].count("|") + 1


def test_wide_text_is_read_whole_and_refused_in_blocks_by_name(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(text().encode("utf-16"))
    assert read_table(path).frame.height == len(ROWS)
    for in_blocks in (TableBlocks, lambda path: list(Stream(path, target="y"))):
        with pytest.raises(TreatiseError, match="UTF-16 text is not read in blocks; save it as UTF-8"):
            in_blocks(path)


@pytest.mark.parametrize("key", ["3", "-1", "y"])
def test_a_column_by_number_is_the_same_column_everywhere(tmp_path, key):
    path = tmp_path / "t.csv"
    path.write_text(text(), encoding="utf-8")
    assert read_table(path).column(key) == "y"
    named = [chunk.labels.tolist() for chunk in Stream(path, target="y")]
    assert [chunk.labels.tolist() for chunk in Stream(path, target=key)] == named


def test_an_absent_column_is_told_in_one_wording(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(text(), encoding="utf-8")
    sentences = tmp_path / "t.conll"
    sentences.write_text("a X\nb Y\n\n" * 5)
    by_name, by_number = "has no column 'label'; its columns: ", "has no column number 9: its"
    for key, words in (("label", by_name), ("9", by_number)):
        for ask in (
            lambda key: read_table(path).column(key),
            lambda key: list(Stream(path, target=key)),
            lambda key: compare_methods(path, key, output=tmp_path / "run"),
            lambda key: compare_methods(sentences, key, output=tmp_path / "run"),
            lambda key: read_conll(sentences)[0][key],
        ):
            with pytest.raises(TreatiseError, match=words):
                ask(key)


def test_a_table_without_header_is_streamed_with_its_first_row(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(text(header=False), encoding="utf-8")
    assert sum(len(chunk) for chunk in Stream(path, target="-1")) == read_table(path).n_rows == len(ROWS)


def test_words_over_words_are_a_header_where_the_user_names_one_of_them(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("town,y\n" + "".join(f"w{i},{'1' if i % 2 else 'x'}{i}\n" for i in range(6)))
    with pytest.raises(TreatiseError, match="line 2: column 'y' holds 'x0'"):
        list(Stream(path, target="y"))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress, zstandard])
def test_sentences_are_read_in_every_compression(tmp_path, pack):
    path = tmp_path / "bank.conllu.any"
    path.write_bytes(pack("\ufeff# a comment\nthe D\nhound Ñ\n\nno U\n".encode()))
    assert [sentence.rows() for sentence in read_conll(path)] == [[("the", "D"), ("hound", "Ñ")], [("no", "U")]]


def test_truth_is_a_number_in_text_and_in_parquet(tmp_path):
    frame = pl.DataFrame({"member": [True, False, None, True], "y": [1, 0, 1, 0]})
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    assert_frame_equal(by_stream(tmp_path / "t.csv", tmp_path), by_stream(tmp_path / "t.parquet", tmp_path))


def test_the_reports_own_lines_of_python_read_what_predict_reads(tmp_path, monkeypatch, capsys):
    from treatise.compare.inputs.table import table_usage

    model = fitted(tmp_path)
    (tmp_path / "new.csv").write_text(text(missing="?"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(compile(table_usage(model.name).python, "report", "exec"), {})
    assert "prediction" in capsys.readouterr().out
    frame = read_table("new.csv").frame
    expected = pl.read_csv(io.StringIO(run("predict", model, "new.csv")))["prediction"].to_list()
    assert load_model(model).model.predict(frame).tolist() == expected
