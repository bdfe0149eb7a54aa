/* Declared suppressions: findings that the program itself asked to hide, counted but not reported.
 *
 * Stretches of a thread (QUIET_BEGIN, QUIET_END) and ranges of bytes (BENIGN). A finding is hidden
 * if one of its sides was done in a stretch that names its rule or a cause, or if all bytes of the
 * conflict lie in a range that was declared before its later side, for the memory that is there.
 * Hidden findings are filed and counted; they never merge with others. Of stretches that have
 * ended, and ranges of freed memory, the last ones are known.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/finding/finding.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/vector.h"
#include "trace/reader.h"

struct sc_suppressed_stretch {
	uint64_t begin, end; /* sequences; end UINT64_MAX: still open */
	uint32_t around;     /* index + 1 of the stretch of this thread that this one lies in */
	uint32_t before;     /* index + 1 of the one of this thread that began before this one */
	const char *text;    /* rules, a colon, the reason */
};

struct sc_suppressed_range {
	uint64_t start, end, sequence;
	const char *text; /* the reason */
};

struct sc_suppressed_thread {
	uint32_t id;
	uint32_t last; /* index + 1 of its stretch that began last */
	uint32_t open; /* index + 1 of its innermost open stretch */
};

/* Which ranges still lie in the memory that they were declared for. */
struct sc_suppressed_memory {
	bool (*is_there)(void *data, const struct sc_suppressed_range *range);
	void *data; /* borrowed */
};

/* An empty one is all zero. */
struct sc_declared_suppressions {
	struct sc_arena arena;
	struct sc_u64_map texts;	 /* hash → char *, each text once */
	struct sc_u64_map threads_by_id; /* to their numbers, from 1 */
	SC_VECTOR(struct sc_suppressed_thread) threads;
	SC_VECTOR(struct sc_suppressed_stretch) stretches;
	SC_VECTOR(struct sc_suppressed_range) ranges;
	SC_VECTOR(const char *) reasons; /* of hidden findings: finding.suppression - 1 */
	size_t remembered; /* stretches that ended, and ranges of freed memory; 0: all */
	uint64_t dropped;  /* declarations for which there was no room */
};

void sc_declared_suppressions_fini(struct sc_declared_suppressions *d);
void sc_declared_suppressions_note(struct sc_declared_suppressions *d, const struct sc_record *r,
				   const struct sc_suppressed_memory *memory);
/* Number of the reason to hide the finding, or 0. */
uint32_t sc_declared_suppressions_find(struct sc_declared_suppressions *d,
				       const struct sc_finding *f);
