/* Declared suppressions: findings that the program itself asked to hide, counted but not reported.
 *
 * Stretches of a thread (QUIET_BEGIN, QUIET_END) and ranges of bytes (BENIGN). A finding is hidden
 * if one of its sides was done in a stretch that names its rule or a cause, or if all bytes of the
 * conflict lie in a range that was declared before its later side, for the memory that is there.
 * Hidden findings are filed and counted; they never merge with others.
 */
#ifndef SC_ANALYZER_DECLARE_DECLARED_SUPPRESSION_H
#define SC_ANALYZER_DECLARE_DECLARED_SUPPRESSION_H

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

/* An empty one is all zero. */
struct sc_declared_suppressions {
	struct sc_arena arena;
	struct sc_u64_map last; /* thread → index + 1 of its stretch that began last */
	struct sc_u64_map open; /* thread → index + 1 of its innermost open stretch */
	SC_VECTOR(struct sc_suppressed_stretch) stretches;
	SC_VECTOR(struct sc_suppressed_range) ranges;
	SC_VECTOR(const char *) reasons; /* of hidden findings: finding.suppression - 1 */
};

void sc_declared_suppressions_fini(struct sc_declared_suppressions *d);
void sc_declared_suppressions_note(struct sc_declared_suppressions *d, const struct sc_record *r);
/* Number of the reason to hide the finding, or 0. */
uint32_t sc_declared_suppressions_find(struct sc_declared_suppressions *d,
				       const struct sc_finding *f);

#endif
