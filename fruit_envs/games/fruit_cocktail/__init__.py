"""Fruit Cocktail: draft fruit cards whose worth the table decides; some tiles are hidden, and you may have peeked."""

from fruit_envs.faces.functions import face_functions

raw_env, env, raw_parallel_env, parallel_env = face_functions("fruit_cocktail", __name__)
