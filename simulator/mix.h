/* Mix: numbers that look random, from a seed and the number of what they are for. */
#pragma once

#include <stdint.h>

/* The finalizer of splitmix64: each bit of the value changes half of the result's. */
static inline uint64_t sim_mix(uint64_t value)
{
	value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
	return value ^ value >> 31;
}
