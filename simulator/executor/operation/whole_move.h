/* Moves of whole matrices between memory and the lanes' registers, for wmma: of all lanes, from
 * or to one address. False: the handler goes the long way, element by element. */
#pragma once

#include "simulator/executor/operation/whole_tile.h"

#define WHOLE_BYTES 1024 /* most of a matrix that is moved */

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

/* Between the elements in that order and the lanes' registers, of which two take turns where they
 * are of a sum; a fragment with more places than elements has them twice. */
static inline bool whole_load(struct exec_warp *w, const struct exec_instruction *in,
			      const struct fragment *f, const struct registers *r, uint32_t mask)
{
	_Alignas(64) char lanes[WHOLE_BYTES], rows[WHOLE_BYTES];
	unsigned bytes = r->width * EXEC_LANES;
	unsigned count = f->each * bits_of(f->element) / 8 / r->width;
	struct exec_tile t;
	uint64_t first;
	char *memory;

	if (!whole_tile(w, in, f, mask, &t, &first))
		return 0;
	memory = exec_memory_tile(w, in, first, &t, EXEC_READ);
	if (!memory) {
		if (!whole_has_pieces(&t, first))
			return 0;
		if (!whole_pieces(w, in, &t, first, EXEC_READ, rows))
			return 1;
		memory = rows;
		t.pitch = t.row_bytes;
	}
	whole_move(memory, lanes, &t, f->by_columns, 0);
	if (!in_turns(f->element, f->each))
		for (unsigned k = 0; k < count; k++)
			memcpy(exec_lanes(w, r->slot[k]),
			       lanes + k * bytes % (t.rows * t.row_bytes), bytes);
	else
		for (unsigned k = 0; k < count; k += 2) {
			void *one = exec_lanes(w, r->slot[k]);
			void *other = exec_lanes(w, r->slot[k + 1]);

			if (r->width == 4)
				WHOLE_PART(uint32_t, lanes + k * bytes, one, other)
			else
				WHOLE_PART(uint64_t, lanes + k * bytes, one, other)
		}
	return 1;
}

static inline bool whole_store(struct exec_warp *w, const struct exec_instruction *in,
			       const struct fragment *f, const struct registers *r, uint32_t mask)
{
	_Alignas(64) char lanes[WHOLE_BYTES], rows[WHOLE_BYTES];
	unsigned bytes = r->width * EXEC_LANES;
	unsigned count = f->each * bits_of(f->element) / 8 / r->width;
	struct exec_tile t, here;
	uint64_t first;
	char *memory;

	if (!whole_tile(w, in, f, mask, &t, &first))
		return 0;
	memory = exec_memory_tile(w, in, first, &t, EXEC_WRITE);
	if (!memory && !whole_has_pieces(&t, first))
		return 0;
	here = t;
	if (!memory)
		here.pitch = t.row_bytes;
	if (!in_turns(f->element, f->each))
		for (unsigned k = 0; k < count; k++)
			memcpy(lanes + k * bytes, exec_lanes(w, r->slot[k]), bytes);
	else
		for (unsigned k = 0; k < count; k += 2) {
			const void *one = exec_lanes(w, r->slot[k]);
			const void *other = exec_lanes(w, r->slot[k + 1]);

			if (r->width == 4)
				WHOLE_JOIN(uint32_t, one, other, lanes + k * bytes)
			else
				WHOLE_JOIN(uint64_t, one, other, lanes + k * bytes)
		}
	whole_move(memory ? memory : rows, lanes, &here, f->by_columns, 1);
	if (!memory)
		whole_pieces(w, in, &t, first, EXEC_WRITE, rows);
	return 1;
}
