/* Variables of modules: where a __device__ or __managed__ variable lies.
 *
 * The recorder writes an address down when the program asks for it (SYMBOL). A variable that only
 * kernels use has none in the trace; it gets memory of its own at SC_VARIABLE_ADDRESS, and keeps it
 * under its true address too, once that address is recorded. One module may be loaded into several
 * contexts, so a variable is known by module, context and name. A managed variable of a library has
 * one address for all contexts: its SYMBOL names none.
 */
#pragma once

#include <stdbool.h>
#include "analyzer/memory/memory.h"
#include "base/map.h"
#include "base/vector.h"
#include "trace/reader.h"

/* Variables without an address are placed at this one. */
#define SC_VARIABLE_ADDRESS(n) (UINT64_C(0xB) << 60 | (uint64_t)(n) << 36)
#define SC_VARIABLES_MAX       (1u << 20)

/* A variable of a module that has an address. */
struct sc_variable_key {
	uint32_t module;
	uint64_t key;
};

/* An empty one is all zero. */
struct sc_variables {
	struct sc_u64_map addresses; /* key of a variable → its address */
	struct sc_u64_map loads;     /* module → sequence of its load + 1 */
	SC_VECTOR(struct sc_variable_key) keys;
	uint32_t made;
};

void sc_variables_fini(struct sc_variables *v);
/* Takes up SYMBOL, MODULE_LOAD and MODULE_CHOICE records. */
void sc_variables_note(struct sc_variables *v, struct sc_memory_map *m, const struct sc_record *r);

/* Forgets those of a module that is gone; their memory ends at op `sequence`. */
void sc_variables_forget(struct sc_variables *v, struct sc_memory_map *m, uint32_t module,
			 uint64_t sequence);

struct sc_variable {
	uint32_t module, context;
	const char *name;
	uint64_t bytes;
};

/* The variable's address, which leads to memory of `m`; 0 if there is none. */
uint64_t sc_variable_address(struct sc_variables *v, struct sc_memory_map *m,
			     const struct sc_variable *variable);
/* True for an ALLOC of memory that a variable has already. */
bool sc_variable_is_known(struct sc_memory_map *m, const struct sc_op *alloc);
