/* Regions: memory in which the lanes of an access have their bytes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define EXEC_ACCESS_MOST 16 /* bytes of a lane */

/* Memory that lies together: lane i's byte of an address is bytes[address - base + i * apart]. */
struct exec_region {
	uint64_t base;
	uint64_t size_bytes;
	char *bytes;	   /* NULL: through `read` and `write` */
	uint32_t apart;	   /* bytes from thread to thread: of local memory */
	bool is_of_device; /* others see it */
	bool is_writable;
	bool is_shared; /* the block's */
};
