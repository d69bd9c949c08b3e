"""Fruitoplay: everybody plays a card at once; the closest to the target wins, and two that are equally close cancel."""

from fruit_envs.faces.functions import face_functions

raw_env, env, raw_parallel_env, parallel_env = face_functions("fruitoplay", __name__)
