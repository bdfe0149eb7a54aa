/* The device's heap, from which kernels allocate with malloc and new: which addresses are in use.
 *
 * What is free and what is not stands apart from the bytes, so that no kernel can destroy it. An
 * allocation, with 16 bytes before it that it may use too, takes the first room that is large
 * enough after the last one, or from the lowest one that was freed since: the time of some blocks,
 * which is more only if the heap is nearly full.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_heap;

/* A heap of memory that the caller has; NULL: out of memory, or too small or large for one. */
struct sim_heap *sim_heap_new(uint64_t base, size_t size_bytes);
void sim_heap_free(struct sim_heap *heap);

/* The address of so many bytes, aligned to 16; 0: there is no room. */
uint64_t sim_heap_take(struct sim_heap *heap, uint64_t bytes);

/* False: no allocation begins there. */
bool sim_heap_give(struct sim_heap *heap, uint64_t address);
