/* Orders: what accesses, atomics and fences say of others. For kernel.h. */
#pragma once

/* How an access, an atomic or a fence orders others, as its opcode says; bits. */
enum exec_order {
	EXEC_ORDER_BLOCK = 1 << 0,  /* for threads of its block, or of its cluster; */
	EXEC_ORDER_DEVICE = 1 << 1, /* for all. Neither: it does not say */
	EXEC_ORDER_RELEASE = 1 << 2,
	EXEC_ORDER_ACQUIRE = 1 << 3,
	EXEC_ORDER_BOTH = 1 << 4, /* acq_rel */
	EXEC_ORDER_RELAXED = 1 << 5,
	EXEC_ORDER_VOLATILE = 1 << 6,
	EXEC_ORDER_UNCACHED = 1 << 7, /* it bypasses the caches that other blocks do not see */
	/* Of an access: it reads or writes what others may look at. */
	EXEC_ORDER_POLLS =
		EXEC_ORDER_RELEASE | EXEC_ORDER_ACQUIRE | EXEC_ORDER_RELAXED | EXEC_ORDER_VOLATILE
};
