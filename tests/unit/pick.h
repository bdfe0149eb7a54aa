/* Random numbers for a unit test, the same in every run of it. */
#pragma once

#include <stdint.h>

static inline uint32_t pick(uint32_t below)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 11) % below);
}
