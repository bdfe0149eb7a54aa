/* The child process that reads debug information, so that no file can hurt the report.
 *
 * Lookups go in sorted by module. If the child dies on one (a damaged file, a loop, no memory),
 * that module is given up, what was known stays, and a new child goes on with the next module.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "analyzer/symbol/module.h"
#include "trace/reader.h"

struct sc_lookup {
	const struct sc_map *module;
	struct sc_question question;
	size_t key; /* the caller's */
};

/* Receives one frame of lookup `key`; frames of one lookup come together, innermost first. */
typedef void sc_found_fn(void *context, size_t key, const struct sc_place *place);

/* Looks all up, with debug files from all of `places`; lookups without an answer are simply
 * not reported. Returns the number of modules that had to be given up. */
unsigned sc_worker_run(const struct sc_lookup *lookups, size_t count,
		       const struct sc_debug_places *places, sc_found_fn *found, void *context);
