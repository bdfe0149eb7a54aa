/* Search: halving a sorted array.
 *
 *	size_t i;
 *
 *	SC_SEARCH(i, ops.count, ops.items[i].sequence < sequence);
 *	found = i < ops.count && ops.items[i].sequence == sequence;
 */
#pragma once

#include <stddef.h>

/* Sets `index`, a variable, to the first value below `total` for which `is_before`, an expression
 * of `index`, does not hold, or to `total`. It must hold up to some index, and not from there on.
 */
#define SC_SEARCH(index, total, is_before)                   \
	do {                                                 \
		size_t low_ = 0, high_ = (total);            \
                                                             \
		while (low_ < high_) {                       \
			(index) = low_ + (high_ - low_) / 2; \
			if (is_before)                       \
				low_ = (index) + 1;          \
			else                                 \
				high_ = (index);             \
		}                                            \
		(index) = low_;                              \
	} while (0)
