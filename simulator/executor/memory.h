/* Memory as a kernel sees it: where the bytes are that the lanes of one instruction access.
 *
 * An access finds the place of each lane's bytes first, checked for alignment and against the
 * allocation, and touches them then. Memory that has no bytes here (private host memory that the
 * program registered) is read into a buffer and written back at the end. Most accesses are of all
 * lanes, at addresses with a constant distance: these have a short way (straight.h).
 */
#pragma once

#include "simulator/executor/region.h"
#include "simulator/executor/shape.h"
#include "simulator/executor/warp.h"

struct exec_places {
	char *lane[EXEC_LANES]; /* of those that do not take part: some other's */
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

/* Where all lanes have their bytes: of a piece of the lanes each `stride` after the one before. */
struct exec_straight {
	char *piece[EXEC_PIECES];
	ptrdiff_t stride;
};

/* An access to a parameter of the kernel by its name: all lanes have one address. */
static inline bool exec_is_parameter(const struct exec_instruction *in)
{
	return in->space == SC_SPACE_PARAM && (in->slot[1] & 3) == EXEC_BANK_CONSTANTS &&
	       in->width[1] == 8;
}

/* All lanes have the same bytes. */
static inline bool exec_straight_is_one(const struct exec_straight *s)
{
	return !s->stride && s->piece[0] == s->piece[1] && s->piece[0] == s->piece[2];
}

/* All lanes lie in the memory, and are aligned. */
static inline bool exec_known_has(const struct exec_known *k, const struct exec_instruction *in,
				  unsigned bytes)
{
	uint64_t at = k->shape.first + in->value;

	return !((at | k->steps) & (bytes - 1)) && bytes <= k->room &&
	       at - k->least <= k->room - bytes;
}

static inline struct exec_straight exec_known_places(const struct exec_known *k,
						     const struct exec_instruction *in)
{
	char *at = (char *)(k->origin + k->shape.first + in->value);

	return (struct exec_straight){
		{at, at + k->jump[0], at + k->jump[1], at + k->jump[0] + k->jump[1]}, k->stride};
}

/* The use that is noted of an access. */
static inline enum exec_use exec_noted_use(const struct exec_instruction *in, enum exec_use use)
{
	if (!in->moves)
		return use;
	return use == EXEC_READ ? EXEC_READ_MOVED : EXEC_EXCHANGED;
}

/* Finds `bytes` at addresses with constant distances, and keeps in `known` what is known of them.
 * False: they are not aligned, or do not lie in one piece of memory; nothing has happened. */
bool exec_straight_place(struct exec_warp *w, const struct exec_instruction *in,
			 struct exec_known *known, unsigned bytes, enum exec_use use,
			 struct exec_straight *places);

/* The memory around an address; false: there is none, or it has no bytes here. */
bool exec_memory_region(struct exec_warp *w, const struct exec_instruction *in, uint64_t address,
			enum exec_use use, struct exec_region *r);
/* Lanes access it at the addresses of `places`, all of them there. */
void exec_memory_note(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
		      unsigned bytes, enum exec_use use, const struct exec_region *r,
		      const struct exec_places *places);

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

/* Copies a texel of linear memory, at an address that is a multiple of its size. NULL: the launch
 * has failed. */
const char *exec_memory_texel(struct exec_warp *w, const struct exec_instruction *in, unsigned lane,
			      uint64_t address, unsigned bytes, char *to);

/* Where so many bytes of texels lie, of which nothing is noted. NULL: not in one piece of memory
 * that has bytes here. */
const char *exec_memory_texels(struct exec_warp *w, const struct exec_instruction *in,
			       uint64_t address, uint64_t bytes);

/* Where what the active lanes touch belongs. */
struct exec_touched *exec_touched_of(const struct exec_warp *w);
/* An allocation begins there of which the run may touch bytes. */
void exec_memory_add_base(struct exec_run *r, uint64_t base);

/* After a write. */
void exec_places_end(struct exec_warp *w, const struct exec_instruction *in, unsigned bytes,
		     const struct exec_places *places);
