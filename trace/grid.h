/* What is known of a kernel's code beside the bytes that it touches: `value` of a FUNCTION op,
 * where no image shows it. What it does for programmatic launches (specification L-2), and whether
 * it may signal by words in memory, or wait for them: the host (M-4), other kernels (D-7). */
#pragma once

enum sc_grid {
	SC_GRID_KNOWN = 1 << 0,		 /* the others are known, set or not */
	SC_GRID_WAIT = 1 << 1,		 /* it waits for the kernels that it depends on */
	SC_GRID_TRIGGER = 1 << 2,	 /* it lets dependent kernels start early */
	SC_GRID_FENCE = 1 << 3,		 /* it has a memory fence that other blocks can see */
	SC_GRID_ALIAS_FENCE = 1 << 4,	 /* it has a fence between addresses of the same memory */
	SC_GRID_PUBLISHES_HOST = 1 << 5, /* strong stores, atomics or fences of system scope */
	SC_GRID_OBSERVES_HOST = 1 << 6,	 /* strong loads, atomics or fences of system scope */
	SC_GRID_PUBLISHES = 1 << 7,	 /* it releases words */
	SC_GRID_OBSERVES = 1 << 8,	 /* it acquires words */
	SC_GRID_EARLY = 1 << 9,		 /* it waits, and may touch memory before that */
	SC_GRID_LATE_TRIGGER = 1 << 10	 /* it triggers only after it has waited */
};
