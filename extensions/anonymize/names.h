/* Names: what stands for a text of the program in a private trace.
 *
 * A text is known by its hash only, and gets a word of its kind and the next number: equal texts
 * the same one. What PTX, kernels and variables are called is one space, since texts of code refer
 * to each other by it; each other kind is a space of its own. Cost: one probe of a hash map.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "base/map.h"

enum sc_private_kind {
#define SC_PRIVATE(id, word) SC_PRIVATE_##id,
#include "extensions/anonymize/names.def"
#undef SC_PRIVATE
	SC_PRIVATE_KINDS
};

#define SC_PRIVATE_NAME 40 /* bytes, with the terminator */

/* An empty one is all zero. */
struct sc_private_names {
	struct sc_u64_map numbers; /* hash of a text → its kind << 32 and its number */
	uint32_t counts[SC_PRIVATE_KINDS];
};

/* Writes the name of a text into `out`, and returns `out`. A symbol that is met as another kind of
 * symbol later keeps its first name. */
const char *sc_private_name(struct sc_private_names *n, enum sc_private_kind kind, const char *text,
			    size_t bytes, char out[SC_PRIVATE_NAME]);
/* The same of a kernel. NCCL's are known by their name (analyzer/kernel/code.c), which stays so. */
const char *sc_private_kernel(struct sc_private_names *n, const char *text, size_t bytes,
			      char out[SC_PRIVATE_NAME]);
void sc_private_names_fini(struct sc_private_names *n);
