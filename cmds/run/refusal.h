/* Refusal: why a program's CUDA runtime cannot be used on the simulated device. */
#pragma once

#include "cmds/files/install.h"
#include "cmds/run/program.h"

/* As many bytes as a reason takes at most. */
#define SC_REFUSAL_BYTES (2 * PATH_MAX + 512)

struct sc_refusal {
	char why[SC_REFUSAL_BYTES]; /* continues "PROGRAM ..." */
	const char *next;	    /* what to do */
};

/* False if nothing that the file says stands against it. What a program loads later is not known.
 */
bool sc_refusal_find(struct sc_refusal *refusal, const struct sc_install *install,
		     const struct sc_program *program);
