/* Lists of descriptors (nixlDescList): which memory they name.
 *
 * Their layout is the library's affair. So its own functions are asked: type, count, and the
 * address of an element. What an element is, is asked by a constructor, which puts known values
 * into one of ours. A library that lacks one of these functions, or whose answers do not fit, is
 * not understood.
 */
#pragma once

#include <stddef.h>
#include "interposer/library/function.h"
#include "extensions/agents/nixl/run.h"

enum sc_nixl_kind {
	SC_NIXL_NOT_UNDERSTOOD,
	SC_NIXL_NOT_MEMORY, /* a file, a block device, an object store */
	SC_NIXL_MEMORY
};

/* Who gets the blocks of a list, in its order. */
typedef void (*sc_nixl_taker)(void *to, const struct sc_nixl_run *run);

/* Reads memory of the program; false if not all of it is readable. */
bool sc_nixl_read(void *to, uint64_t from, size_t bytes);
/* Hands the blocks of a list on that the real function of this row has just accepted; of strides,
 * or of single blocks. What is handed on is not checked (sc_nixl_run_is_valid). */
enum sc_nixl_kind sc_nixl_read_list(struct sc_library_function *function, void *real, uint64_t list,
				    bool is_stride, sc_nixl_taker take, void *to);
