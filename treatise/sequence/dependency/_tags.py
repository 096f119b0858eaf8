"""Sentences of tags as users hold them, laid one after another."""

from treatise.sequence._observed_sequences import observe


def tags_of(sentences):
    """The tags of a list of sentences; a text in a sentence's place is refused rather than read letter by letter."""
    if isinstance(sentences, str):
        raise ValueError(f"sentences is the text {sentences!r}; give a list of sentences, each a list of tags")
    listed = list(sentences)
    for i, sentence in enumerate(listed):
        if isinstance(sentence, (str, bytes)) or not hasattr(sentence, "__len__"):
            raise ValueError(
                f"sentences[{i}] is {sentence!r}; a sentence is a list of tags, so that one sentence is given as "
                "[['NOUN', 'VERB']]"
            )
    return observe(listed, None, item_ndim=0, name="sentences")
