/* Sections: the ranges that the program itself named (NVTX), around each op of a finding.
 *
 * Ranges of a thread nest; those of the process (range_start) hold for all its threads until they
 * end. The report shows the chain around an op, outermost first: "epoch 3 > forward".
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/vector.h"
#include "trace/reader.h"

#define SC_SECTION_DEPTH 16 /* ranges kept of a thread; deeper ones are counted only */
#define SC_SECTIONS_OPEN 64 /* open ranges of the process that are kept at a time */

struct sc_section {
	uint64_t object; /* of a range of the process; its domain, of one of a thread */
	char *text;	 /* owned by the arena */
};

struct sc_section_stack {
	struct sc_section section[SC_SECTION_DEPTH];
	size_t depth; /* may be more */
};

struct sc_sections {
	struct sc_arena arena;
	struct sc_u64_map threads; /* to index + 1 */
	SC_VECTOR(struct sc_section_stack) stacks;
	SC_VECTOR(struct sc_section) open; /* of the process */
	struct sc_u64_map texts;	   /* char * by sequence number */
	struct sc_buf line;
};

/* Takes each record of a pass, in order. */
void sc_sections_visit(struct sc_sections *p, const struct sc_record *r);
/* Keeps what is around the op that was visited last. */
void sc_sections_keep(struct sc_sections *p, const struct sc_record *r);
/* The chain around an op that was kept, or NULL. Borrowed. */
const char *sc_sections_of(const struct sc_sections *p, uint64_t sequence);
void sc_sections_fini(struct sc_sections *p);
