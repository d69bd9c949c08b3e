"""Baseline agents for Fruitoplay."""
