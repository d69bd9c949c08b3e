"""What a game says of itself: its catalogue entry, options, tables, observation blocks, its records' header."""
