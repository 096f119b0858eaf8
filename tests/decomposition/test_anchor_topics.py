"""Topics from anchor words on made-up collections with known anchors."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import nnls

from treatise.decomposition import AnchorTopics


def collection(n_documents=400, n_words=60, n_topics=4, length=120, seed=0):
    """Documents of mostly one topic; word k is the anchor of topic k, and frequent in it."""
    rng = np.random.default_rng(seed)
    topics = rng.dirichlet(np.ones(n_words), n_topics)
    topics[:, :n_topics] = 0.4 * np.eye(n_topics)
    topics /= topics.sum(axis=1, keepdims=True)
    shares = rng.dirichlet(np.full(n_topics, 0.1), n_documents)
    counts = np.array([rng.multinomial(length, row) for row in shares @ topics])
    return counts, shares


@pytest.mark.parametrize("method", ["er-spa", "spa", "xray"])
def test_anchors_and_groups_are_found(method):
    counts, shares = collection()
    model = AnchorTopics(4, method=method).fit(counts)
    np.testing.assert_array_equal(np.sort(model.anchor_words_), np.arange(4))
    groups = model.anchor_words_[model.labels_]
    sure = shares.max(axis=1) > 0.7
    assert np.mean(groups[sure] == shares.argmax(axis=1)[sure]) > 0.97


def test_topics_shares_and_weights_are_those_of_the_definition():
    counts, _ = collection(80, 30)
    counts[:, -1] = 1  # a word of all documents
    frequencies = np.log(80 / np.maximum((counts > 0).sum(axis=0), 1))
    A = counts * frequencies
    A /= A.sum(axis=1, keepdims=True)
    model = AnchorTopics(4, weighting="paper").fit(counts)
    expected = np.array([nnls(A[:, model.anchor_words_], column)[0] for column in A.T]).T
    np.testing.assert_allclose(model.components_, expected, atol=1e-9)
    np.testing.assert_allclose(model.components_[:, model.anchor_words_], np.eye(4), atol=1e-9)
    left, values, right = np.linalg.svd(A, full_matrices=False)
    nearest = (left[:, :4] * values[:4]) @ right[:4]
    np.testing.assert_allclose(model.doc_topic_, nearest[:, model.anchor_words_], atol=1e-10)
    plain = AnchorTopics(4, weighting="paper", low_rank=False).fit(counts)
    np.testing.assert_allclose(plain.doc_topic_, A[:, plain.anchor_words_], atol=1e-12)


def test_default_weights_are_those_of_scikit_learn():
    from sklearn.feature_extraction.text import TfidfTransformer

    counts, _ = collection(80, 30)
    ours = AnchorTopics(4).fit(counts)
    theirs = AnchorTopics(4, weighting=None).fit(TfidfTransformer().fit_transform(counts))
    np.testing.assert_allclose(ours.doc_topic_, theirs.doc_topic_, atol=1e-12)


def test_new_documents_are_placed_like_the_old():
    counts, _ = collection()
    model = AnchorTopics(4).fit(counts)
    np.testing.assert_allclose(model.transform(counts), model.doc_topic_, atol=1e-12)
    np.testing.assert_array_equal(model.predict(counts), model.labels_)
    np.testing.assert_array_equal(AnchorTopics(4).fit_predict(counts), model.labels_)
    # Twice as long a document says the same.
    np.testing.assert_allclose(model.transform(2 * counts), model.doc_topic_, atol=1e-12)


def test_sparse_counts_give_the_same():
    counts, _ = collection()
    dense, thin = AnchorTopics(4).fit(counts), AnchorTopics(4).fit(sparse.csc_array(counts))
    np.testing.assert_array_equal(thin.anchor_words_, dense.anchor_words_)
    np.testing.assert_allclose(thin.doc_topic_, dense.doc_topic_, atol=1e-9)


def test_top_words_begin_with_the_anchor():
    counts, _ = collection(80, 30)
    model = AnchorTopics(3).fit(counts)
    names = [f"word {i}" for i in range(30)]
    for topic, words in enumerate(model.top_words(4, names)):
        assert len(words) == 4 and words[0] == f"word {model.anchor_words_[topic]}"
        weights = [model.components_[topic, names.index(word)] for word in words[1:]]
        assert weights == sorted(weights, reverse=True)
    assert model.top_words(1)[0][0] == model.anchor_words_[0]
    with pytest.raises(ValueError, match="names has 2 entries; there are 30 words"):
        model.top_words(names=["a", "b"])


def test_bad_collections_are_refused_and_too_many_topics_told():
    with pytest.raises(ValueError, match="Negative values"):
        AnchorTopics(2).fit([[1.0, -1.0], [0.0, 2.0]])
    with pytest.raises(ValueError, match="no word of the 2 documents has a weight"):
        AnchorTopics(2, weighting="paper").fit([[1, 2], [3, 1]])
    with pytest.warns(UserWarning, match="n_topics=5 exceeds the 2 topics"):
        AnchorTopics(5).fit([[1, 0], [0, 1], [0, 2]])
    # An empty document belongs nowhere, and does not hurt.
    counts, _ = collection(50, 30)
    counts[3] = 0
    assert np.all(AnchorTopics(3).fit(counts).doc_topic_[3] == 0)
