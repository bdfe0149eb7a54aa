/* Moves of whole matrices between memory and the lanes' registers, for wmma: of all lanes, where
 * the matrix lies in one piece of memory. False: the handler goes the long way, element by element.
 */
#pragma once

#include "simulator/executor/memory.h"
#include "simulator/executor/memory_tile.h"
#include "simulator/executor/operation/matrix.h"

#define WHOLE_BYTES 1024 /* most of a matrix that is moved */

/* Where all of the matrix lies; NULL: take the long way. */
static inline char *whole_place(struct exec_warp *w, const struct exec_instruction *in,
				const struct fragment *f, uint32_t mask, enum exec_use use,
				struct exec_tile *t)
{
	const uint32_t *strides = exec_lanes(w, in->slot[f->stride]);
	uint64_t address[EXEC_LANES], differs = 0;
	uint32_t step = f->by_columns ? f->rows : f->columns;

	if (mask != EXEC_ALL)
		return NULL;
	if (in->width[f->stride])
		step = strides[0] / f->packed;
	t->bytes = bits_of(f->element) / 8;
	t->rows = f->by_columns ? f->columns : f->rows;
	t->row_bytes = (f->by_columns ? f->rows : f->columns) * t->bytes;
	t->pitch = (uint64_t)step * t->bytes;
	exec_places_addresses(w, in, mask, address);
	EXEC_EACH_LANE
	differs |= address[i] ^ address[0];
	return differs ? NULL : exec_memory_tile(w, in, address[0], t, use);
}

/* Copies a row of a multiple of 8 bytes. */
static inline void whole_copy(char *to, const char *from, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i += sizeof(uint64_t))
		memcpy(to + i, from + i, sizeof(uint64_t));
}

#define WHOLE_TURN(T)                                                           \
	for (unsigned i = 0; i < t->rows; i++)                                  \
		for (unsigned k = 0; k < each; k++)                             \
			if (to_memory)                                          \
				*(T *)(memory + i * t->pitch + k * sizeof(T)) = \
					((const T *)lanes)[k * t->rows + i];    \
			else                                                    \
				((T *)lanes)[k * t->rows + i] =                 \
					*(const T *)(memory + i * t->pitch + k * sizeof(T));

/* Between memory and the order in which lanes have the elements: rows one after the other. */
static inline void whole_move(char *memory, char *lanes, const struct exec_tile *t, bool by_columns,
			      bool to_memory)
{
	unsigned each = t->row_bytes / t->bytes;

	for (unsigned i = 0; !by_columns && i < t->rows; i++)
		if (to_memory)
			whole_copy(memory + i * t->pitch, lanes + i * t->row_bytes, t->row_bytes);
		else
			whole_copy(lanes + i * t->row_bytes, memory + i * t->pitch, t->row_bytes);
	if (!by_columns)
		return;
	switch (t->bytes) {
	case 1: WHOLE_TURN(uint8_t) return;
	case 2: WHOLE_TURN(uint16_t) return;
	case 4: WHOLE_TURN(uint32_t) return;
	}
	WHOLE_TURN(uint64_t)
}

/* A lane's elements follow those of the lane before; a fragment with more places than elements has
 * them twice. */
static inline bool whole_load(struct exec_warp *w, const struct exec_instruction *in,
			      const struct fragment *f, const struct registers *r, uint32_t mask)
{
	_Alignas(64) char lanes[WHOLE_BYTES];
	struct exec_tile t;
	char *memory = whole_place(w, in, f, mask, EXEC_READ, &t);
	unsigned each = f->each * bits_of(f->element) / 8, all;

	if (!memory)
		return 0;
	all = t.rows * t.row_bytes;
	whole_move(memory, lanes, &t, f->by_columns, 0);
	for (unsigned k = 0; k * r->width < each; k++) {
		char *to = exec_lanes(w, r->slot[k]);

		for (unsigned l = 0; r->width == 4 && l < EXEC_LANES; l++)
			memcpy(to + l * 4, lanes + (l * each & (all - 1)) + k * 4, 4);
		for (unsigned l = 0; r->width == 8 && l < EXEC_LANES; l++)
			memcpy(to + l * 8, lanes + (l * each & (all - 1)) + k * 8, 8);
	}
	return 1;
}

static inline bool whole_store(struct exec_warp *w, const struct exec_instruction *in,
			       const struct fragment *f, const struct registers *r, uint32_t mask)
{
	_Alignas(64) char lanes[WHOLE_BYTES];
	struct exec_tile t;
	char *memory = whole_place(w, in, f, mask, EXEC_WRITE, &t);
	unsigned each = f->each * bits_of(f->element) / 8;

	if (!memory)
		return 0;
	for (unsigned k = 0; k * r->width < each; k++) {
		const char *from = exec_lanes(w, r->slot[k]);

		for (unsigned l = 0; r->width == 4 && l < EXEC_LANES; l++)
			memcpy(lanes + l * each + k * 4, from + l * 4, 4);
		for (unsigned l = 0; r->width == 8 && l < EXEC_LANES; l++)
			memcpy(lanes + l * each + k * 8, from + l * 8, 8);
	}
	whole_move(memory, lanes, &t, f->by_columns, 1);
	return 1;
}
