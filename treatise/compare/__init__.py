"""The main job: compare what the papers would do with a table."""
