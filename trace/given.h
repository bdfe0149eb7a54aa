/* Given: words of a trace's header page by which a reader that follows the trace gives its space
 * back while the program runs (option live-disk).
 *
 * All records that begin before `slots` were judged, and their place in the file is a hole or
 * becomes one. Some of them are kept in a file beside the trace (trace/remains.h). The recorder
 * does not touch them any more, and takes `bytes` off the size of the file to know what it uses.
 * All 0 in a trace that is whole.
 */
#pragma once

#include <stdint.h>
#include "trace/format.h"

#define SC_TRACE_GIVEN 3328 /* byte of the header page */

struct sc_trace_given {
	uint64_t slots;	  /* atomic */
	uint64_t bytes;	  /* atomic: of the disk, less than what the rest takes */
	uint64_t records; /* atomic: that begin before `slots` */
	uint32_t turn;	  /* atomic, a futex of the file: another number when `bytes` has grown */
	uint32_t was_followed; /* atomic: 1 once there was a reader that gives space back */
	uint32_t waiting;      /* atomic: threads of the program that wait for `turn` */
	uint32_t run;	       /* process that reports on SIGUSR1 (streamcheck run), or 0 */
	uint64_t share; /* atomic: of the bound, which all processes of the run have together; 0:
			   not known yet */
};
_Static_assert(SC_TRACE_GIVEN + sizeof(struct sc_trace_given) <= SC_TRACE_HEADER, "format");

static inline struct sc_trace_given *sc_trace_given(struct sc_trace_header *head)
{
	return (struct sc_trace_given *)((char *)head + SC_TRACE_GIVEN);
}
