/* Allocators: frameworks that give out pieces of large blocks are asked to use CUDA's allocator.
 *
 * PyTorch, JAX, TensorFlow and CuPy keep large blocks of device memory and hand out pieces of them,
 * which no CUDA call shows. Each can use cudaMallocAsync instead, so that every tensor is an
 * allocation of its own in the trace, and given back in a stream (--allocators=visible). CuPy has
 * no variable for that, but a module that each Python runs when it starts (packaging/python).
 */
#pragma once

/* Sets the environment of the program that this process is about to become. What the user chose
 * otherwise is replaced, and that is said. */
void sc_allocators_show(void);
