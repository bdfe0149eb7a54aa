/* Cache: names of addresses in files, found for one trace, for the traces after it.
 *
 * The ranks of a run map the same files at different addresses, so an answer is kept by file and
 * offset. The naive form looks each trace's addresses up anew: a process that reads debug
 * information for each trace, which is most of the time of a run of many ranks. A file is the same
 * if its path, its recorded build id, and what lies at the path now (device, inode, size, time of
 * change) are. That there is no name for an address is an answer, too, so a damaged file is tried
 * once. What it keeps is bounded; beyond that, addresses are looked up as without it. All lookups
 * of one cache have the same places for debug files. `unit.symbol` compares the two forms.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "analyzer/symbol/module.h"
#include "trace/reader.h"

#define SC_SYMBOL_CACHE_FILES_MOST 4096
/* Of names; with the index it is thrice that. */
#define SC_SYMBOL_CACHE_BYTES_MOST ((size_t)32 << 20)

struct sc_symbol_cache; /* opaque */

/* A frame at an address, without what depends on the trace. Strings are borrowed from the cache. */
struct sc_cached_frame {
	const char *function; /* demangled; NULL if there is no name */
	const char *file;     /* "" if unknown */
	unsigned line;	      /* 0 if unknown */
	unsigned column;      /* 0 if unknown */
	bool is_inlined;
	const char *instead; /* as in struct sc_frame */
	bool is_at_head;
};

struct sc_symbol_cache *sc_symbol_cache_new(void);
void sc_symbol_cache_free(struct sc_symbol_cache *c);

/* Number of the file that is mapped, for the functions below; looks at the file system. 0: the
 * cache is full. */
uint32_t sc_symbol_cache_file(struct sc_symbol_cache *c, const struct sc_map *map);
/* The frames that a question about a file is answered with, innermost first; returns how many, or
 * -1 if it was not asked. They are valid until the next sc_symbol_cache_add. */
int sc_symbol_cache_find(const struct sc_symbol_cache *c, uint32_t file,
			 const struct sc_question *question, const struct sc_cached_frame **frames);
/* Keeps the frames of an answer; their strings are copied. */
void sc_symbol_cache_add(struct sc_symbol_cache *c, uint32_t file,
			 const struct sc_question *question, const struct sc_cached_frame *frames,
			 unsigned count);
