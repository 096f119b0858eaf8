"""Networks: link prediction, signed graphs, the quality of graph clusterings."""
