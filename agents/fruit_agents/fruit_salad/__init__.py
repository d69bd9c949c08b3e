"""Baseline agents for Fruit Salad."""
