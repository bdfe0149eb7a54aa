/* Brief touches: what a span keeps of a routine op, a quarter of a cache line; part of touch.h.
 *
 * They have no notes: what a note would say is known by stretch and position (course.h).
 */
#ifndef SC_ANALYZER_MEMORY_BRIEF_H
#define SC_ANALYZER_MEMORY_BRIEF_H

#include "footprint/footprint.h"
#include "trace/op.h"

/* The first eight bytes say where and how it touches. */
struct sc_brief {
	uint32_t lane;
	uint8_t mode;	   /* enum sc_mode */
	uint8_t known;	   /* enum sc_known */
	uint8_t traits;	   /* enum sc_trait */
	uint8_t why;	   /* it is known: sc_brief_why */
	uint32_t position; /* of its end on the lane */
	uint32_t of;	   /* which op: sc_brief_of */
};
_Static_assert(SC_OP_KINDS <= 256, "a byte");
_Static_assert(SC_REASONS <= 32, "five bits");

#define SC_BRIEF_WAY	8
#define SC_STRETCH_NONE (UINT32_MAX >> 8) /* no number is left */

/* Number of the stretch, and enum sc_op_kind. */
static inline uint32_t sc_brief_of(uint32_t stretch, uint16_t kind)
{
	return stretch << 8 | kind;
}
static inline uint32_t sc_brief_stretch(const struct sc_brief *b)
{
	return b->of >> 8;
}
static inline uint8_t sc_brief_kind(const struct sc_brief *b)
{
	return (uint8_t)b->of;
}

/* enum sc_how, and enum sc_footprint_reason why it is not exact. */
static inline uint8_t sc_brief_why(uint8_t how, uint8_t reason)
{
	return (uint8_t)(reason << 3 | how);
}
static inline uint8_t sc_brief_how(const struct sc_brief *b)
{
	return b->why & 7;
}
static inline uint8_t sc_brief_reason(const struct sc_brief *b)
{
	return b->why >> 3;
}

#endif
