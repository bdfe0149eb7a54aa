/* The current routine op, for routine.c and full.c. */
#ifndef SC_ANALYZER_ROUTINE_INTERNAL_H
#define SC_ANALYZER_ROUTINE_INTERNAL_H

#include <stdbool.h>
#include "analyzer/memory/brief.h"
#include "analyzer/routine/routine.h"

#define SC_ROUTINE_PLACES 8 /* that one op may use */

/* One use, its span, and what becomes of the touches there. */
struct sc_routine_place {
	struct sc_brief touch; /* the new one */
	uint64_t first, end;
	struct sc_span *span;
	uint32_t kept;	/* bit for each old touch */
	uint8_t memory; /* enum sc_memory */
	bool is_again;	/* the span is an earlier place's, too */
};

/* The current op. */
struct sc_routine_op {
	struct sc_analysis *a;
	const struct sc_record *record;
	struct sc_notes *notes;
	const struct sc_clock *start; /* what it comes after, */
	const struct sc_clock *host;  /* and what nothing can race with any more */
	struct sc_brief like;	      /* the op's part of its touches */
	bool is_seen;		      /* the caller looks at the step */
	bool has_more;		      /* a launch is attached */
	uint8_t known, reason;	      /* of all its uses */
	bool has_course;	      /* the lane's has the op: `like` knows where */
	struct sc_note *own;	      /* NULL, or the op's, where more than spans remembers it */
	struct sc_routine_place *end; /* of the places in use */
	struct sc_routine_place places[SC_ROUTINE_PLACES];
};

/* Puts the touch of a place into a span that is not brief, or cannot stay so; false: it has become
 * brief, and has none. */
bool sc_routine_put_full(struct sc_routine_op *x, const struct sc_routine_place *p,
			 struct sc_step *step);

#endif
