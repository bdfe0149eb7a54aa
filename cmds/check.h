/* Check: one trace analysed and reported as the options say. */
#ifndef SC_CMDS_CHECK_H
#define SC_CMDS_CHECK_H

#include "base/option.h"

/* What was found in all traces checked so far. */
struct sc_verdict {
	unsigned traces;
	_Bool has_proven_error;
	_Bool is_incomplete; /* nothing recorded, or something lost */
	_Bool has_failed;    /* a trace was not readable or a report not writable; it was said */
};

/* Analyses a trace and writes its reports. */
void sc_check_trace(struct sc_verdict *v, const char *path, const struct sc_options *o);
/* The exit code that the verdict asks for. */
int sc_check_exit_code(const struct sc_verdict *v, const struct sc_options *o);

#endif
