"""pgx on the CPU: batches under `vmap`, 32 steps in one compiled loop with the random policy inside it."""

from __future__ import annotations

import os
from typing import Any

os.environ["JAX_PLATFORMS"] = "cpu"
# One thread: these flags, and the one core that the runner leaves.
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import jax.numpy as jnp
import pgx
from pgx.experimental import auto_reset

from serve import serve
from timing import SEED, Workload, until

STEPS = 32


def play(env: Any, batch: int) -> Workload:
    step = jax.vmap(auto_reset(env.step, env.init))

    def one(carry: Any, _: None) -> tuple[Any, None]:
        state, key, seen = carry
        key, policy, chance = jax.random.split(key, 3)
        mask = state.legal_action_mask
        nth = jax.random.randint(policy, (batch,), 0, jnp.maximum(mask.sum(-1), 1))
        action = jnp.argmax(jnp.cumsum(mask, -1) > nth[:, None], -1)
        state = step(state, action, jax.random.split(chance, batch))
        # Summed, or the compiler would leave out what nobody reads.
        return (state, key, seen + state.observation.sum(dtype=jnp.float32)), None

    many = jax.jit(lambda carry: jax.lax.scan(one, carry, None, length=STEPS)[0])
    held = [(initial(env, batch), jax.random.PRNGKey(SEED), jnp.float32(0))]

    def chunk() -> int:
        held[0] = jax.block_until_ready(many(held[0]))
        return STEPS * batch

    return lambda seconds: until(seconds, chunk)


def initial(env: Any, batch: int) -> Any:
    return jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(SEED), batch))


def copies(env: Any, batch: int) -> Workload:
    state = initial(env, batch)
    copy = jax.jit(lambda state: jax.tree.map(jnp.copy, state))

    def chunk() -> int:
        jax.block_until_ready(copy(state))
        return batch

    return lambda seconds: until(seconds, chunk)


def build(mode: str, game: str, batch: int) -> Workload:
    return {"batch": play, "copies": copies}[mode](pgx.make(game), batch)


serve(build, "pgx", "jax", "jaxlib", "numpy")
