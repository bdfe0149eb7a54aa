/* NIXL: what its transfers do with memory of the program, and when that is over (B-21).
 *
 * Calls of the functions of class nixlAgent go to wrappers, by their names in the Itanium ABI
 * (nixl.def), which change no result. A transfer request is made of lists of descriptors, and may
 * be posted many times. From its post until a status that says that it is complete, the memory of
 * its local descriptors is the library's, and that of its remote ones, too, if the other agent is
 * one of this process.
 *
 * What NIXL does by UCX, or by CUDA, inside of these calls is NIXL's
 * (extensions/agents/mpi/caller.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "interposer/library/function.h"

/* What a call does. */
enum sc_nixl_way {
	SC_NIXL_BEGINS,	  /* constructs an agent */
	SC_NIXL_ENDS,	  /* destroys it, with what is in flight */
	SC_NIXL_PREPARES, /* makes a prepared list of a list of descriptors */
	SC_NIXL_FORGETS,  /* a prepared list */
	SC_NIXL_CREATES,  /* makes a request of two lists of descriptors */
	SC_NIXL_SELECTS,  /* the same of two prepared lists, by numbers */
	SC_NIXL_POSTS,	  /* request 1 */
	SC_NIXL_ASKS,	  /* whether request 1 is complete */
	SC_NIXL_RELEASES  /* request 1 */
};

/* Numbers are those of parameters; 0: there is none. */
struct sc_nixl_row {
	uint8_t way; /* enum sc_nixl_way */
	uint8_t parameters;
	uint8_t name;	       /* of an agent; none, or empty: the memory is this process's */
	uint8_t operation;     /* read or write */
	uint8_t local, remote; /* lists; after a prepared one are the numbers */
	uint8_t made;	       /* where the new handle is written to */
	bool is_stride;	       /* the list is one of strides */
	bool is_span;	       /* operation and numbers are given by value */
};

struct sc_nixl_functions {
#define NIXL_CALL(id, symbol, parameters, way, ...) struct sc_library_function id;
#include "extensions/agents/nixl/nixl.def"
};

extern struct sc_nixl_functions sc_nixl_functions;
extern const struct sc_functions sc_nixl_table;

/* Calls the function for the caller of the wrapper with this frame, and writes what it
 * did. */
uint64_t sc_nixl_call(struct sc_library_function *function, uint64_t *parameter, const void *frame);
