/* Control: words of a trace's header page by which another process asks the recorder for something
 * while the program runs (streamcheck window). The trace itself does not have them.
 *
 * The recorder's thread sleeps on `wanted`, a futex of the file.
 */
#pragma once

#include <stdint.h>
#include "trace/format.h"

#define SC_TRACE_CONTROL 3072 /* byte of the header page */

enum sc_control_window { SC_CONTROL_WINDOW_ON = 1, SC_CONTROL_WINDOW_OFF = 2 };
#define SC_CONTROL_WHAT(word) ((word)&3u)
#define SC_CONTROL_STEP	      4u /* between two requests */

struct sc_trace_control {
	uint32_t is_served; /* atomic: 1 once the recorder listens */
	uint32_t wanted;    /* atomic: a number times SC_CONTROL_STEP, plus sc_control_window */
	uint32_t done;	    /* atomic: the last `wanted` that was followed */
};
_Static_assert(SC_TRACE_CONTROL + sizeof(struct sc_trace_control) <= SC_TRACE_HEADER, "format");

static inline struct sc_trace_control *sc_trace_control(struct sc_trace_header *head)
{
	return (struct sc_trace_control *)((char *)head + SC_TRACE_CONTROL);
}
