"""Games in Python's hands: one game, its states, views and records."""
