"""A few steps of JAX, with its own threads, allocator and command buffers: nothing is proven of it."""
import os

os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.1")
import jax
import jax.numpy as jnp

assert jax.devices()[0].platform == "gpu"


@jax.jit
def step(weights, x, y):
    def loss(w):
        return jnp.mean((jnp.tanh(x @ w) - y) ** 2)
    value, slope = jax.value_and_grad(loss)(weights)
    return value, weights - 0.1 * slope


key = jax.random.PRNGKey(0)
weights = jax.random.normal(key, (128, 16))
x, y = jax.random.normal(key, (64, 128)), jnp.ones((64, 16))
for _ in range(20):
    value, weights = step(weights, x, y)
print(f"{float(value):.5e}")
