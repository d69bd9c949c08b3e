"""Fruity Fruit: trick taking in which tiles are laid on a shared board, whose fruit the winner of the trick takes."""

from fruit_envs.faces.functions import face_functions

raw_env, env, raw_parallel_env, parallel_env = face_functions("fruity_fruit", __name__)
