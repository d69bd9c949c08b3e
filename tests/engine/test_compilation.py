"""How compiled functions are cached."""

from __future__ import annotations

import pytest

from fruit_envs.engine import jit, loops, rows


@pytest.mark.skipif(not jit.JIT, reason="nothing is compiled")
def test_every_compiled_loop_is_a_function_of_its_own():
    """Numba's cache finds a function by its name and source, whatever it is compiled with: parallel or not."""
    compiled = [value for module in (loops, rows) for value in vars(module).values() if hasattr(value, "py_func")]
    names = {id(one): one.py_func.__qualname__ for one in compiled}
    assert len(set(names.values())) == len(names)
    assert loops.step_batch_parallel.targetoptions["parallel"]
