"""Reading tables and streams, and model files that are safe to load."""
