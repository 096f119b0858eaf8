"""Skill ratings from games, preference aggregation and survival times."""
