/* Device code that the program's files carry: for kernels whose module was loaded by no call that
 * is seen, as the CUDA runtimes before 12 load it (by a private table of the driver).
 *
 * A compiler puts fatbins into a file, and a wrapper of each, one after the other, into its section
 * .nvFatBinSegment. The file that launches such a kernel is looked through once: what its wrappers
 * stand for is kept (image.h) and becomes MODULE_CHOICE ops of one module that stands for the file.
 * Which of them has the kernel is for the analyzer to find out. The section is found by the file's
 * section headers; where there are none, in the file's data, by the wrappers' magic numbers.
 *
 * Nobody says when such a module is unloaded, and its functions' handles mean others. So what was
 * found is looked at again after anything that may have ended one: dlclose, the end of a context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "interposer/core/lock.h"
#include "interposer/core/table.h"
#include "interposer/object/handle.h"
#include "interposer/object/handle_record.h"

struct sc_embedded {
	struct sc_lock lock;
	struct sc_table files; /* address of the program headers → struct file of embedded.c */
	struct sc_table seen;  /* hash of a name → not NULL if a module that was seen has it */
	atomic_uint changes;
	atomic_bool is_used;
};

extern struct sc_embedded sc_embedded;

/* The module that stands for the loaded file with code at `place`; NULL: it carries no device code,
 * or there is no such file, or images are not wanted. Takes the loader's lock. */
struct sc_handle *sc_embedded_module(uint64_t place);

/* A module whose load was seen has a kernel of this name, by its hash: a handle that was not seen
 * before may be another one of the same kernel, and not one of a module that was loaded unseen. */
void sc_embedded_exclude(uint64_t name_hash);
bool sc_embedded_is_excluded(uint64_t name_hash);

/* Modules that were loaded unseen may be gone. */
void sc_embedded_changed(void);
/* How often that was said, and one: never 0. */
static inline uint32_t sc_embedded_changes(void)
{
	/* acquire: pairs with the release in sc_embedded_changed */
	return 1 + atomic_load_explicit(&sc_embedded.changes, memory_order_acquire);
}
/* False if the function's module was loaded unseen, and was not looked for yet, or may be gone
 * since then. */
static inline bool sc_embedded_is_current(const struct sc_handle *function)
{
	uint32_t looked = atomic_load_explicit(&function->looked, memory_order_relaxed);

	return looked ? looked == sc_embedded_changes() : function->outer != NULL;
}
