/* A kernel flattened: its own code with the functions it calls copied in.
 *
 * Parameter memory of calls becomes registers (one per place and width), so that `st.param` and
 * `ld.param` are moves; a place that is used with several widths, or whose address is taken, is
 * left unknown. Calls that cannot be copied (unknown, recursive, too much code) stay as CALL.
 */
#pragma once

#include <stdbool.h>
#include "ptx/ptx.h"

#define SC_FLAT_INSTRUCTIONS 200000
#define SC_FLAT_DEPTH	     12

/* `rows` of a CALL that stayed: what is known of the function. */
enum sc_flat_call { SC_CALL_UNKNOWN, SC_CALL_QUIET };

struct sc_flat {
	struct sc_function f;	 /* owned vectors */
	SC_VECTOR(bool) unknown; /* of each register: parameter memory used in strange ways */
	bool is_odd;		 /* code in it is not known (sc_function) */
	bool cut;		 /* the limit was reached: some code is missing */
};

/* Reads the bodies that are copied. */
void sc_flat_make(struct sc_flat *flat, struct sc_ptx *m, const struct sc_function *kernel);
void sc_flat_fini(struct sc_flat *flat);
