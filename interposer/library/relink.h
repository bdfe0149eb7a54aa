/* Links with link-time optimization, made a second time for the PTX (nvJitLink).
 *
 * A linker that is given LTO-IR compiles it and gives out machine code, and no text was ever there
 * for the program. So a second link gets the inputs and options of the program's, from the same
 * library, and asks for line information besides: ptxas then leaves the text that it read in the
 * code. If that code has the same instructions and constants as the program's, the text is that of
 * both; else nothing is known, as without the second link. The program's link is never changed. It
 * costs the time of one more link, and is not made if the program's own code has its text (line
 * information or debugging was asked for). With footprints=no or images=no no text is taken.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "interposer/core/table.h"

struct sc_relinks {
	struct sc_table by_link; /* the program's handle → struct sc_relink */
	bool is_unlike;		 /* a text is missing, and the trace says so */
};

extern struct sc_relinks sc_relinks;

/* The program made a link by this function of the library, with these options. */
void sc_relink_begin(void *create, const void *link, uint32_t count, const char *const *options);
/* It got an input: bytes, or the file of this name if there are none. */
void sc_relink_add(const void *link, int type, const void *data, size_t bytes, const char *name);
/* It gave out this code: notes where that comes from (object/origin.h). False: not known here. */
bool sc_relink_end(void *link, const void *code);
/* It is gone. */
void sc_relink_forget(const void *link);
