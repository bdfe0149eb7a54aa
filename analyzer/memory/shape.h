/* Shapes: the bytes of an access, rows and slices exactly (4.7), as struct sc_access has them.
 *
 * Overlap is decided without listing bytes: whole pieces are found by division, and two strided
 * shapes of one pitch whose columns are apart are known at once not to overlap. Shapes with more
 * than SC_SHAPE_PIECES pieces on both sides are answered "perhaps". Compared with a naive byte
 * array in tests/unit/analyzer/test_shape.c.
 */
#pragma once

#include <stdbool.h>
#include "trace/op.h"

#define SC_SHAPE_PIECES (UINT64_C(1) << 20)

enum sc_overlap { SC_APART, SC_OVERLAPS, SC_PERHAPS };

/* The parameter's value, of an access to all of an allocation that is known by it only. */
static inline uint64_t sc_shape_parameter(const struct sc_access *a)
{
	return a->pitch;
}

/* True if such an access is to a piece of the allocation, not to all of it. */
static inline bool sc_shape_is_piece(const struct sc_access *a)
{
	return a->slice_pitch != 0;
}

/* The same at another address of the bytes. */
static inline void sc_shape_move_parameter(struct sc_access *a, uint64_t by)
{
	if (a->known == SC_KNOWN_PARAMETER)
		a->pitch += by;
}

/* A linear access. */
static inline struct sc_access sc_shape_linear(uint64_t base, uint64_t bytes, uint8_t mode,
					       uint8_t known)
{
	return (struct sc_access){
		.base = base, .width = bytes, .rows = 1, .slices = 1, .mode = mode, .known = known};
}
/* The same in place, one part after the other: to copy what was written just now is slow. */
static inline void sc_shape_set_linear(struct sc_access *a, uint64_t base, uint64_t bytes,
				       uint8_t mode, uint8_t known)
{
	a->base = base;
	a->width = bytes;
	a->rows = a->slices = 1;
	a->pitch = a->slice_pitch = 0;
	a->mode = mode;
	a->known = known;
	a->memory = a->how = a->order = 0;
}
bool sc_shape_simplify_rows(struct sc_access *a);
uint64_t sc_shape_strided_end(const struct sc_access *a);

/* Brings an access into its simplest form: what is contiguous becomes one piece. False if it has
 * no bytes or does not fit the address space. */
static inline bool sc_shape_simplify(struct sc_access *a)
{
	uint64_t end;

	if (a->rows == 1 && a->slices == 1)
		return a->width && !__builtin_add_overflow(a->base, a->width, &end);
	return sc_shape_simplify_rows(a);
}

/* For simplified shapes, as is all below. */
static inline bool sc_shape_is_linear(const struct sc_access *a)
{
	return a->rows == 1 && a->slices == 1;
}

/* One past the shape's last byte. */
static inline uint64_t sc_shape_end(const struct sc_access *a)
{
	return sc_shape_is_linear(a) ? a->base + a->width : sc_shape_strided_end(a);
}

/* Whether the two shapes overlap; *first and *end get the first common piece. */
enum sc_overlap sc_shape_overlap(const struct sc_access *a, const struct sc_access *b,
				 uint64_t *first, uint64_t *end);
