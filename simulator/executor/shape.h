/* Shapes: addresses of a warp's lanes with constant distances, and what is known of those that an
 * access found (straight.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXEC_PIECE  8 /* lanes */
#define EXEC_PIECES 4
#define EXEC_KNOWN  8 /* shapes of a warp that are known at a time, */
#define EXEC_HINTS  8 /* and pieces of memory */

/* Without the instruction's offset. */
struct exec_shape {
	uint64_t first;
	int64_t stride;
	int64_t jump[2];
};

/* The shape of an address, for accesses by the same address after it (again.h), and where its bytes
 * are. Offsets count from the beginning of a piece of memory, without the instruction's own: its
 * lanes lie at first … last, below zero if that makes up for it. */
struct exec_known {
	struct exec_shape shape;
	uint32_t slot; /* of the address */
	uint8_t space;
	bool is_known;
	bool has_place; /* the rest counts: nobody notes what is accessed there */
	bool is_writable;
	uint64_t first, last;
	uint64_t size_bytes;
	uint64_t alignment; /* the lowest bit that is set is that of all lanes' addresses */
	char *lane;	    /* the first one's byte */
	int64_t stride;
	int64_t jump[2];
};
