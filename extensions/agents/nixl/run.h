/* Runs: blocks of one length at equal distances, which is how the descriptors of a transfer mostly
 * lie. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* `count` blocks of `width` bytes, `pitch` bytes from one to the next if there are several. */
struct sc_nixl_run {
	uint64_t base, width, pitch, count;
};

/* One or more bytes that end within 64 bits, and blocks that do not overlap. */
bool sc_nixl_run_is_valid(const struct sc_nixl_run *r);
/* Makes `next`, which comes after them, part of the same blocks, if it is; both are valid. */
bool sc_nixl_run_extend(struct sc_nixl_run *last, const struct sc_nixl_run *next);
/* From the first byte to the last of both. */
struct sc_nixl_run sc_nixl_run_hull(const struct sc_nixl_run *a, const struct sc_nixl_run *b);
