"""Baseline agents for Fruit Cocktail."""
