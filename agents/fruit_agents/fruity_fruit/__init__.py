"""Baseline agents for Fruity Fruit."""
