"""Baseline agents, evaluation and the command line for fruit_envs."""
