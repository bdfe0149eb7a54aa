/* Text: the PTX of an image, indexed when a kernel is sought that it may define.
 *
 * An image may have hundreds of texts (NCCL's: 127, of 120 MB, of which one has the kernel), and
 * to index one takes longer than looking through it for the names of its kernels. To read it all
 * takes far longer, so the footprint module reads the bodies of what is sought.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/map.h"
#include "footprint/footprint.h"

struct sc_code_text {
	struct sc_footprint_module *module; /* owned; NULL until it is indexed */
	char *text;			    /* owned; the module borrows it */
	size_t bytes;
	struct sc_u64_map names; /* hashes of names that follow ".entry" */
	bool is_odd;		 /* there may be other kernels */
};

/* Keeps a copy. */
struct sc_code_text sc_code_text_of(const char *text, size_t bytes);
void sc_code_text_fini(struct sc_code_text *t);
/* The kernel of that name in this text, or NULL. */
struct sc_footprint_kernel *sc_code_text_find(struct sc_code_text *t, const char *name);
