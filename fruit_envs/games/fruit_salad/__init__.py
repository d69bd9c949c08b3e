"""Fruit Salad: slap the bowl when it holds enough of the fruit that the dice ask for; remember what lies in it."""

from fruit_envs.faces.functions import face_functions

raw_env, env, raw_parallel_env, parallel_env = face_functions("fruit_salad", __name__)
