/* Visible devices: which of the simulated machine's devices this process may use. */
#pragma once

#include <cuda.h>

/* Chooses from `count` devices as CUDA_VISIBLE_DEVICES says: numbers or beginnings of UUIDs
 * ("GPU-…") between commas. `list` NULL: all. The first that is none, or was named before, ends the
 * list (of a second one CUDA's documents say nothing). Returns how many were chosen, and which, in
 * their order. */
int sim_visible_choose(const char *list, int count, int *numbers);

/* The same in every process, different for each device of the machine. */
CUuuid sim_visible_uuid(int number);
