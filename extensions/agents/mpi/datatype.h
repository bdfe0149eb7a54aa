/* Datatypes of MPI as bytes: which of them an element touches, from how the type was made (B-10).
 *
 * A type is taken apart by the library's own answers, one level after the other. The result is a
 * few pieces of rows and slices; types that need more, or that are nested deeper, or made in a way
 * that is not followed, are one piece from their first byte to their last, as an upper bound.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "extensions/agents/mpi/abi.h"

#define SC_MPI_PIECES_MOST 24

/* `slices` times `rows` times `width` bytes, at `at` from the buffer's address. */
struct sc_mpi_piece {
	int64_t at;
	uint64_t width;
	uint64_t pitch, rows;
	uint64_t slice_pitch, slices;
};

struct sc_mpi_pieces {
	unsigned count;
	bool is_exact; /* else an upper bound */
	struct sc_mpi_piece item[SC_MPI_PIECES_MOST];
};

/* The bytes of `count` elements, one after the other; false: they are not known at all. */
bool sc_mpi_pieces_of(const struct sc_mpi_library *l, uint64_t type, uint64_t count,
		      struct sc_mpi_pieces *out);
/* True of a type that the library has from the start, once it was asked about: what its handle says
 * never changes. */
bool sc_mpi_type_is_simple(const struct sc_mpi_library *l, uint64_t type);
/* Bytes from one element to the next. */
bool sc_mpi_extent_of(const struct sc_mpi_library *l, uint64_t type, int64_t *out);

/* All pieces `count` times, `step` bytes apart; false if that needs too many. */
bool sc_mpi_repeat(struct sc_mpi_pieces *p, uint64_t count, int64_t step);
