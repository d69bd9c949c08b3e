"""The games, each a package with files of the same names."""
