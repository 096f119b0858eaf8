"""Which features to keep."""
