"""Compiled code that serves any game: kernels and their addresses, chance, loops, masks."""
