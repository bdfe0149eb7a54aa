/* Windows in which shared, local and parameter memory lie for generic addresses, functions, and the
 * barrier of all blocks: no host has memory there, and no allocation of the device lies there. */
#pragma once

#include <stdint.h>

#define EXEC_WINDOW_BITS   32
#define EXEC_WINDOW_SHARED (UINT64_C(0x9000) << 32)
#define EXEC_WINDOW_LOCAL  (UINT64_C(0x9001) << 32)
#define EXEC_WINDOW_PARAM  (UINT64_C(0x9002) << 32)
#define EXEC_WINDOW_CODE   (UINT64_C(0x9003) << 32)
#define EXEC_WINDOW_GRID   (UINT64_C(0x9004) << 32)
#define EXEC_WINDOW_FIRST  EXEC_WINDOW_SHARED
#define EXEC_WINDOW_END	   (UINT64_C(0x9005) << 32)
#define EXEC_CODE_BYTES	   16 /* between the addresses of two functions */

/* Addresses in shared memory have the rank of their block, plus one, in their highest bits; nothing
 * there means the block's own. */
#define EXEC_RANK_SHIFT	 24
#define EXEC_OFFSET_MASK ((UINT64_C(1) << EXEC_RANK_SHIFT) - 1)

static inline uint32_t exec_address_with_rank(uint32_t address, uint32_t rank)
{
	return (address & ((UINT32_C(1) << EXEC_RANK_SHIFT) - 1)) | (rank + 1) << EXEC_RANK_SHIFT;
}
