"""Labels for sequences: hidden Markov decoding, conditional random fields, output-space search, grammars."""
