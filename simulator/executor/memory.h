/* Memory as a kernel sees it: where the bytes are that the lanes of one instruction access.
 *
 * An access finds the place of each lane's bytes first, checked for alignment and against the
 * allocation, and touches them then. Memory that has no bytes here (private host memory that the
 * program registered) is read into a buffer and written back at the end.
 */
#ifndef EXEC_MEMORY_H
#define EXEC_MEMORY_H

#include "simulator/executor/warp.h"

#define EXEC_ACCESS_MOST 16 /* bytes of a lane */

struct exec_places {
	char *lane[EXEC_LANES]; /* of the lanes that take part */
	bool is_row;		/* all lanes do, one after the other without gaps, from lane[0] */
	uint32_t borrowed;	/* lanes whose bytes are in `buffer` */
	uint64_t address[EXEC_LANES];
	char buffer[EXEC_LANES][EXEC_ACCESS_MOST];
};

/* Finds `bytes` (a power of two) at the instruction's address (slot 1) for these lanes. False: the
 * launch has failed. */
bool exec_places_find(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
		      unsigned bytes, enum exec_use use, struct exec_places *places);

/* The same at addresses that stand in `places`, also those of lanes that do not take part. */
bool exec_places_find_at(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
			 unsigned bytes, enum exec_use use, struct exec_places *places);

/* One lane's bytes at an address in a space; NULL: the launch has failed. */
char *exec_places_find_one(struct exec_warp *w, const struct exec_instruction *in, unsigned space,
			   unsigned lane, uint64_t address, unsigned bytes, enum exec_use use,
			   struct exec_places *places);

/* The instruction's addresses; those of lanes that do not take part are the first one's. */
void exec_places_addresses(const struct exec_warp *w, const struct exec_instruction *in,
			   uint32_t mask, uint64_t *address);

/* Copies bytes at a generic address, as the lane of an instruction without a space sees them.
 * False: the launch has failed. */
bool exec_memory_read(struct exec_warp *w, const struct exec_instruction *in, unsigned lane,
		      uint64_t address, void *to, size_t bytes);

/* After a write. */
void exec_places_end(struct exec_warp *w, const struct exec_instruction *in, unsigned bytes,
		     const struct exec_places *places);

#endif
