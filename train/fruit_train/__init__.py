"""Training scripts for fruit_envs."""
