/* Site: the place in the user's source from which an op came. */
#pragma once

#include <stdbool.h>
#include "reports/report.h"

struct sc_report_site {
	const struct sc_frame *frames; /* the whole stack, innermost first */
	size_t count;
	size_t user;	 /* index of the frame that is the user's; count if there is none */
	const char *api; /* name of the CUDA function that the user called, or NULL */
};

/* The site of an op; of a kernel launch, the generated wrappers are not the user's. */
void sc_site_of(struct sc_report_site *out, const struct sc_report *r, const struct sc_op *op);
/* The site of a stack id. */
void sc_site_of_stack(struct sc_report_site *out, const struct sc_report *r, uint32_t stack);
/* The frame to name: the user's, else the innermost with a line, else the innermost, but none of
 * streamcheck; or NULL. */
const struct sc_frame *sc_site_frame(const struct sc_report_site *site);
/* True for CUDA's way from a line of the user to the driver: its headers, stubs, libraries. */
bool sc_site_is_entry(const struct sc_frame *frame);
/* True for the name of a function of CUDA's interface, as cudaMalloc. */
bool sc_site_is_interface(const char *name);
/* True if the user's line itself calls CUDA: no library in between that makes calls of its own. */
bool sc_site_is_direct(const struct sc_report_site *site);
/* Finds where two stacks part: the frames of the one function from which both ops came, so that
 * a call put there stands between them. False if there is no such function. */
bool sc_site_part(const struct sc_report_site *a, const struct sc_report_site *b,
		  const struct sc_frame *out[2]);
/* The frame's source file; below `directory`, if not NULL, without it. */
const char *sc_site_path(const struct sc_frame *frame, const char *directory);
/* Appends the frame's function, a long name shortened (reports/words/short_name.h). */
void sc_site_add_function(struct sc_buf *out, const struct sc_frame *frame);
/* Appends "main.cu:40" (below `directory`, if not NULL, without it), or the frame's function. */
void sc_site_add_place(struct sc_buf *out, const struct sc_frame *frame, const char *directory);
