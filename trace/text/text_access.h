/* Accesses in the text form: MODE ADDRESS:WIDTH[*ROWS/PITCH[*SLICES/PITCH]][@MEMORY][%ORDER][~|?].
 *
 * MODE is r, w, rw, a (atomic) or ar (atomic read). ~ marks an over-approximation, ? a kernel's
 * pointer parameter; ORDER is the order of the source of a batch: stream, during_call or any; or,
 * of what a kernel touched, early or maybe_early: before it waited for other grids; read_first:
 * before it wrote the bytes; moved: it only stored again what it read.
 */
#pragma once

#include <stdbool.h>
#include "base/buf.h"
#include "trace/op.h"
#include "trace/text/text_lex.h"

void sc_text_access_print(struct sc_buf *out, const struct sc_access *access);

/* What stands after the address; `given` says which parts were written. */
struct sc_text_access_rest {
	struct sc_access access; /* base and mode are not set here */
	bool has_width;
	bool has_memory;
};

/* Splits "ADDRESS…" into the address and what follows it. */
struct sc_text_span sc_text_access_address(struct sc_text_span *rest);
/* Parses what follows the address. False if it is malformed. */
bool sc_text_access_rest(struct sc_text_span rest, struct sc_text_access_rest *out);
/* enum sc_mode of a mode's text, or 0. */
unsigned sc_text_access_mode(struct sc_text_span text);
