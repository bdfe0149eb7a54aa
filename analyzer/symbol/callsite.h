/* Call sites: hashes of stacks that survive address randomisation and reruns.
 *
 * A frame counts as the base name of its file and the offset in it; never as an address. Frames of
 * the Python interpreter do not count in a stack with lines of Python: its code depends on how
 * often a line has run.
 */
#pragma once

#include <stdbool.h>
#include <string.h>
#include "base/map.h"
#include "trace/reader.h"

#define SC_HASH_START UINT64_C(0xCBF29CE484222325)

struct sc_callsites {
	struct sc_u64_map by_stack; /* hash of a stack id */
	struct sc_u64_map by_frame; /* number of the map + 1 of an address that is mapped */
};

/* FNV-1a over the eight bytes of a number. */
uint64_t sc_hash_add(uint64_t hash, uint64_t number);
/* Adds a return address as its place in a file; false if no file is mapped there. */
bool sc_callsite_add_frame(uint64_t *hash, const struct sc_reader *r, uint64_t frame);
/* True for the file of a Python interpreter. */
static inline bool sc_callsite_is_interpreter(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return !strncmp(name, "libpython", strlen("libpython")) ||
	       !strncmp(name, "python", strlen("python"));
}

/* Hash of the place in the program that made an op; its position if there is no stack. */
uint64_t sc_callsite_of(struct sc_callsites *all, const struct sc_reader *r, uint32_t stack,
			uint64_t sequence);
void sc_callsites_fini(struct sc_callsites *all);
