/* Shapes: addresses of a warp's lanes with constant distances, and what is known of those that an
 * access found (straight.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXEC_PIECE  8 /* lanes */
#define EXEC_PIECES 4
#define EXEC_KNOWN  16 /* shapes of a warp that are known at a time, */
#define EXEC_HINTS  8  /* and pieces of memory */

/* Without the instruction's offset. */
struct exec_shape {
	uint64_t first;
	int64_t stride;
	int64_t jump[2];
};

/* The shape of an address, for accesses by the same address after it (again.h), and where its bytes
 * are. The lanes lie in their piece of memory if the first one's address, with the instruction's
 * offset, is `least` or up to `room` less the access's bytes more. */
struct exec_known {
	struct exec_shape shape;
	uint32_t slot; /* of the address */
	uint8_t space;
	bool is_known;
	bool has_place; /* the rest counts: nobody notes what is accessed there; */
	bool is_noted;	/* or it does for exec_straight_place, since that has to be noted */
	bool is_writable;
	bool is_lasting; /* the memory is at the same place for all blocks of the run */
	uint64_t least, room;
	uint64_t before, after; /* from the first lane's byte: those of the lowest and highest */
	uint64_t steps;		/* its lowest bit that is set is that of all distances */
	uintptr_t origin;	/* the first lane's byte of the address 0 */
	int64_t stride;		/* of bytes */
	int64_t jump[2];
	/* What was noted last, in which set: to note it again would change nothing. */
	const struct exec_touched *noted_in;
	uint64_t noted_at;
	uint32_t noted_bytes, noted_uses; /* of a lane; bits of enum exec_use */
};
