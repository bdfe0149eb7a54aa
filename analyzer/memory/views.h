/* Views: pairs of unordered launches that may touch any byte of one allocation, into which they
 * were given different pointers (SC-209). Frameworks hand out parts of large blocks, so most such
 * pairs touch different bytes; they are counted, not reported. */
#ifndef SC_ANALYZER_MEMORY_VIEWS_H
#define SC_ANALYZER_MEMORY_VIEWS_H

#include <stdint.h>

struct sc_notes;
struct sc_touch;

/* An empty one is all zero. */
struct sc_views {
	uint64_t pairs;
	uint32_t kernels[2]; /* of the first pair */
};

/* Counts a pair in the views of the notes. */
void sc_views_count(struct sc_notes *notes, const struct sc_touch *earlier,
		    const struct sc_touch *later);

#endif
