/* Stacks: call sites without names.
 *
 * What a stack shows is written as lines as a Python program has them, "site_1 site_1 1", which
 * need no binaries to be read: each line of the program (or, without lines, each address) is a
 * site, in the program's own code or in a library's, as the symbols of this machine say. CUDA's
 * functions keep their names. A last line stands for the stack as a whole, so that as many call
 * paths differ as did.
 */
#pragma once

#include "analyzer/symbol/callsite.h"
#include "base/buf.h"
#include "extensions/anonymize/names.h"
#include "reports/report.h"

/* Appends the lines of a stack. `launch`: a launch made there, NULL: none was. */
void sc_private_stack(struct sc_private_names *n, struct sc_callsites *sites,
		      const struct sc_report *r, uint32_t stack, const struct sc_op *launch,
		      struct sc_buf *out);
