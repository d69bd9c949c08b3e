"""A game small enough to check by hand that uses what Fruit Cocktail does not: secret windows, phases, a cap.

Each seat holds a secret token; a deck of tokens lies face down. In a window all seats bid in secret (not what they bid
last time). The highest bid that nobody shares wins: its seat gives away two stones, one decision each, lays its token
open and draws another. Three windows won end the game; five windows in all cut it off. A stone is a point, and at the
end the token counts too.
"""

from fruit_envs.faces.functions import face_functions

raw_env, env, raw_parallel_env, parallel_env = face_functions("toy_windows", __name__)
