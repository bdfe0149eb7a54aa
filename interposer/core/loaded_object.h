/* Loaded objects: what the dynamic section of a file in the process says, as it is in memory.
 *
 * Read while the loader's list is held (dl_iterate_phdr), and good until the object is unloaded.
 * Takes no lock, and no memory. Functions are found by GNU's table only, which all linkers of
 * today make: a look-up of a name that is not there costs some ten instructions.
 */
#pragma once

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Addresses as they are in memory, NULL: none. */
struct sc_loaded_object {
	uint64_t base, start, end; /* of all its segments */
	uint64_t relro, relro_end; /* pages that are read-only since the loader was done */
	const ElfW(Sym) * symbols;
	const char *names;
	const uint32_t *hash; /* DT_GNU_HASH */
	const ElfW(Rela) * relocations, *jumps;
	size_t count, relative_count, jump_count;
	const ElfW(Phdr) * segments;
	unsigned segment_count;
	bool has_rpath;	  /* where what it loads is searched for, and what that brings with it */
	bool is_symbolic; /* finds what it defines itself before anything else */
};

/* A name as it is looked up in many objects. */
struct sc_loaded_name {
	const char *text; /* borrowed */
	uint32_t hash;
};

/* False if it has no symbols. */
bool sc_loaded_object_read(const struct dl_phdr_info *info, struct sc_loaded_object *o);
/* True of a place in one of its segments, or between them. */
static inline bool sc_loaded_object_has(const struct sc_loaded_object *o, uint64_t address)
{
	return address - o->start < o->end - o->start;
}
struct sc_loaded_name sc_loaded_name(const char *text);
/* What the object defines under this name, in whatever version: its address; 0: nothing. */
uint64_t sc_loaded_object_find(const struct sc_loaded_object *o, struct sc_loaded_name name);
/* True if both addresses are in the same object. (dladdr looks at all of an object's symbols.) */
bool sc_loaded_object_is_same(const void *a, const void *b);
/* Writes a word that the loader relocated, and leaves its page as it was; not where that is code,
 * or the kernel refuses. One thread at a time. */
void sc_loaded_object_write(const struct sc_loaded_object *o, uint64_t *slot, uint64_t value);
