/* Code: the device code and the parameters of a private trace.
 *
 * An image becomes fatbins that offer the device the same texts (ptx.h), as surely as before;
 * machine code leaves, but for the names of its kernels where the search for a kernel needs them.
 * Of the parameters of launches stay addresses, handles, and the numbers that decide which bytes
 * the kernel touches; the others become 0.
 */
#pragma once

#include "analyzer/kernel/code.h"
#include "base/buf.h"
#include "extensions/anonymize/names.h"

/* What tells addresses and handles from numbers. */
struct sc_private_words {
	uint64_t lowest;	   /* address that any record has */
	struct sc_u64_map handles; /* of textures and surfaces */
};

/* Appends an image; nothing, if none of it can be read. */
void sc_private_image(struct sc_private_names *n, struct sc_code *code, uint32_t id,
		      struct sc_buf *out);
/* Clears the parameters of a launch (SC_ATTACH_LAUNCH, changed in place). */
void sc_private_params(struct sc_private_words *w, struct sc_code *code, uint32_t kernel,
		       uint8_t *data, uint32_t bytes);
void sc_private_words_fini(struct sc_private_words *w);
