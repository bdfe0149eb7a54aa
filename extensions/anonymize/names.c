/* Names: hashes of texts to numbers. */
#include "extensions/anonymize/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/assert.h"

static const char *const words[] = {
#define SC_PRIVATE(id, word) word,
#include "extensions/anonymize/names.def"
#undef SC_PRIVATE
};

/* FNV-1a over the text, after the space that it is of. */
static uint64_t hash_of(enum sc_private_kind kind, const char *text, size_t bytes)
{
	uint64_t hash = UINT64_C(0xCBF29CE484222325) + (kind <= SC_PRIVATE_SYMBOL ? 0 : kind);

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001B3);
	return hash;
}

const char *sc_private_name(struct sc_private_names *n, enum sc_private_kind kind, const char *text,
			    size_t bytes, char out[SC_PRIVATE_NAME])
{
	uint64_t *number = sc_u64_map_get(&n->numbers, hash_of(kind, text, bytes));

	sc_assert(kind < SC_PRIVATE_KINDS);
	if (!*number)
		*number = (uint64_t)kind << 32 | ++n->counts[kind];
	snprintf(out, SC_PRIVATE_NAME, "%s%" PRIu32, words[*number >> 32], (uint32_t)*number);
	return out;
}

const char *sc_private_kernel(struct sc_private_names *n, const char *text, size_t bytes,
			      char out[SC_PRIVATE_NAME])
{
	const char *library = memmem(text, bytes, "nccl", 4);
	bool is_collective =
		library && memmem(library, (size_t)(text + bytes - library), "Kernel", 6);

	return sc_private_name(n, is_collective ? SC_PRIVATE_COLLECTIVE : SC_PRIVATE_KERNEL, text,
			       bytes, out);
}

void sc_private_names_fini(struct sc_private_names *n)
{
	sc_u64_map_fini(&n->numbers);
}
