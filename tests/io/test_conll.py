"""Sentences in columns: CoNLL-U and the older formats, read and written; errors with their line."""

import gzip
import lzma

import pytest

from treatise._core.errors import TreatiseError
from treatise.io import CONLLU_COLUMNS, Sentence, iterate_conll, read_conll, write_conll

TREEBANK = """\
# sent_id = 1
# text = Don't go
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\tVB\t_\t3\taux\t_\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_
2.1\tyou\tyou\tPRON\tPRP\t_\t_\t_\t_\t_
3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_

# sent_id = 2
1\t#\t#\tSYM\t#\t_\t0\troot\t_\t_

"""


@pytest.fixture
def file(tmp_path):
    def write(content, name="a.conllu"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def test_a_treebank_gives_its_words(file):
    first, second = read_conll(file(TREEBANK))
    assert tuple(first.columns) == CONLLU_COLUMNS
    assert first["form"] == ["Do", "n't", "go"] and first["upos"] == ["AUX", "PART", "VERB"]
    assert first.comments == ("# sent_id = 1", "# text = Don't go")
    assert (first.line, second.line) == (4, 10)
    assert second["form"] == ["#"] and len(second) == 1
    assert first.rows()[0][:2] == ("1", "Do")


def test_older_formats_have_any_columns(file):
    text = "-DOCSTART- -X- O\n\nEU NNP I-ORG\nrejects VBZ O\n\n\n# # O\n. . O"
    a, b = read_conll(file(text), columns=("word", "pos", "ner"))
    assert a["ner"] == ["I-ORG", "O"] and b["word"] == ["#", "."]
    assert list(read_conll(file(text))[0].columns) == ["0", "1", "2"]


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
def test_compressed_files_windows_lines_and_marks(file, compress):
    content = b"\xef\xbb\xbf" + TREEBANK.replace("\n", "\r\n").encode()
    assert [s["form"] for s in read_conll(file(compress(content)))] == [["Do", "n't", "go"], ["#"]]


def test_what_is_written_is_read_again(file, tmp_path):
    sentences = read_conll(file(TREEBANK))
    write_conll(tmp_path / "again.conllu", iter(sentences))
    again = read_conll(tmp_path / "again.conllu")
    assert [(s.columns, s.comments) for s in again] == [(s.columns, s.comments) for s in sentences]
    kept = [line for line in TREEBANK.splitlines() if not line.startswith(("1-2", "2.1"))]
    assert (tmp_path / "again.conllu").read_text().splitlines() == kept


def test_reading_is_lazy(file):
    reader = iterate_conll(file(TREEBANK + "1\ttoo\tshort\n"))
    assert next(reader)["form"] == ["Do", "n't", "go"]
    next(reader)
    with pytest.raises(TreatiseError, match="line 12 has 3 columns where 10 are expected"):
        next(reader)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a b\nc d e\n", "line 2 has 3 columns where 2"),
        (b"a b\n\xff c\n", "line 2 is not UTF-8"),
        (b"", "empty"),
        ("\n\n", "no words"),
        ("x\t_\t_\t_\t_\t_\t_\t_\t_\t_\n", "begins with 'x'"),
        (gzip.compress(TREEBANK.encode(), mtime=0)[:-20], "cut short or damaged"),
    ],
)
def test_bad_files_are_named_with_the_line(file, content, message):
    with pytest.raises(TreatiseError, match=message) as caught:
        read_conll(file(content))
    assert "a.conllu" in str(caught.value)


def test_what_cannot_be_read_or_written_is_said(file, tmp_path):
    with pytest.raises(TreatiseError, match="no such file"):
        read_conll(tmp_path / "absent")
    with pytest.raises(TreatiseError, match="the sentence has no column 'tag'; its columns: 'id', 'form'"):
        read_conll(file(TREEBANK))[0]["tag"]
    with pytest.raises(TreatiseError, match="2 columns are named and the first word has 10"):
        read_conll(file(TREEBANK), columns=("a", "b"))
    with pytest.raises(TreatiseError, match="holds a cell that is empty"):
        write_conll(tmp_path / "b", [Sentence({"word": ["a\tb"]})])
    assert not (tmp_path / "b").exists()
    with pytest.raises(TreatiseError, match="sentence 2 has the columns b, the first a"):
        write_conll(tmp_path / "b", [Sentence({"a": ["x"]}), Sentence({"b": ["x"]})])


def test_the_english_web_treebank(real_data):
    sentences = read_conll(real_data("ud/en_ewt-ud-dev.conllu"))
    # As the treebank's own statistics count them.
    assert len(sentences) == 2001 and sum(map(len, sentences)) == 25147


def test_heads_are_places_of_words(file):
    first, second = read_conll(file(TREEBANK))
    assert first.heads() == [2, 2, -1] and second.heads() == [-1]
    with pytest.raises(TreatiseError, match="word 3 of the sentence at line 4 has the head '9'"):
        read_conll(file(TREEBANK.replace("VB\t_\t0", "VB\t_\t9")))[0].heads()
    with pytest.raises(TreatiseError, match="line 4 has 0 roots"):
        read_conll(file(TREEBANK.replace("VB\t_\t0", "VB\t_\t1")))[0].heads()


def sentence(tags, heads):
    numbers = [str(i + 1) for i in range(len(tags))]
    return Sentence({"id": numbers, "upos": list(tags), "head": [str(h + 1) for h in heads]})


def test_dropped_words_hand_their_dependents_up():
    # a <- b(P) <- c, and d on c: without b, a hangs on c.
    shorter = sentence("aPcd", [1, 2, -1, 2]).without("P")
    assert shorter["upos"] == ["a", "c", "d"] and shorter["id"] == ["1", "2", "3"]
    assert shorter.heads() == [1, -1, 1]
    # A dropped root: its first dependent takes its place.
    assert sentence("aPcd", [1, -1, 1, 2]).without("P").heads() == [-1, 0, 1]
    assert sentence("aP", [1, -1]).without("P", "a")["upos"] == []
    assert sentence("ab", [-1, 0]).without("P").columns == sentence("ab", [-1, 0]).columns
    # Two dropped words that hang on one another are no tree, and do not go on for ever.
    with pytest.raises(TreatiseError, match="go in a circle"):
        sentence("aPPr", [1, 2, 1, -1]).without("P")
