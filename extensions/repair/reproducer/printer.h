/* Printer: a reproducer while it is written; inside of reproduction.h. */
#pragma once

#define SC_PRINTER_COMMENT_MOST 160

#include "extensions/repair/reproducer/mend.h"
#include "extensions/repair/reproducer/statement.h"

struct sc_printer {
	struct sc_statements program;
	struct sc_buf body, setup;
	struct sc_buf *out; /* one of these */
	const struct sc_finding *finding;
	enum sc_mend fix;
	const struct sc_slice_step *first, *second; /* the calls of the two sides, as they come */
	const struct sc_slice_step *moved;
	size_t guard_end; /* of the last part that stands for one program only, if more may follow
			   */
	bool is_fixed, has_else;
	unsigned device; /* current one of the thread at hand */
	uint32_t main_thread;
};

/* A line by itself. */
void sc_printer_add_line(struct sc_printer *p, const char *text);
/* Ends a line with its place in the program as a comment. */
void sc_printer_add_comment(struct sc_printer *p, const char *what, uint32_t stack, uint64_t place);
/* What stands between is in one program only: with FIXED, or without. */
void sc_printer_begin_guard(struct sc_printer *p, bool is_fixed);
void sc_printer_end_guard(struct sc_printer *p);
/* Makes a device current, that of a stream, or of a context where there is no stream. */
void sc_printer_set_device(struct sc_printer *p, unsigned device);
void sc_printer_set_device_of(struct sc_printer *p, uint32_t stream, uint32_t context);
/* Which sides a step is about, by itself or by what it makes happen: "first: ", "then: ", both, "".
 */
const char *sc_printer_role(const struct sc_printer *p, const struct sc_slice_step *step);

/* The calls, into `body`. */
void sc_printer_add_body(struct sc_printer *p);
/* The objects that these use, into `setup`. */
void sc_printer_add_setup(struct sc_printer *p);
/* Appends the functions that the program needs (enum sc_statement_helper). */
void sc_printer_add_helpers(struct sc_buf *out, unsigned wanted);
