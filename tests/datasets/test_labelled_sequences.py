"""Labelled sequences: the generator of high-order labels, handwritten words, the treebank."""

import numpy as np
import pytest

from treatise._core.errors import TreatiseError
from treatise.datasets import load_english_treebank, load_handwritten_words


def test_handwritten_words(real_data):
    real_data("sequences/ocr_taskar.mat")
    training, test = load_handwritten_words()
    assert (len(training.images), len(test.images)) == (626, 6251)
    assert sum(map(len, training.letters)) + sum(map(len, test.letters)) == 52152
    assert "".join(training.letters[0]) == "ommanding"
    assert training.images[0].shape == (9, 128) and set(np.unique(training.images[0])) == {0.0, 1.0}


def test_the_treebank_has_two_parts(real_data):
    real_data("ud/en_ewt-ud-test.conllu")
    sentences = load_english_treebank("test")
    assert len(sentences) == 2077 and len({tag for s in sentences for tag in s["upos"]}) == 17
    with pytest.raises(TreatiseError, match="no part 'train'"):
        load_english_treebank("train")
