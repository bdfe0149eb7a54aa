/* Callers: kept by their places, since the loader is slow to ask. */
#include "extensions/agents/mpi/caller.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#define CALLERS 512

/* In the lowest bits of a kept place. */
#define IS_LIBRARY 1
#define IS_KNOWN   2

/* Of the process; one that is unloaded leaves its answer, which matters to nobody. */
static _Atomic uint64_t callers[CALLERS];

/* The libraries themselves, Open MPI's parts, UCX below them, under the name that Python's packages
 * give it, too, and NIXL's plugin for it; not their bindings of other languages. */
static const char *const prefixes[] = {"libmpi.so", "libmpich.so", "libopen-",	   "mca_",
				       "libmca_",   "liboshmem",   "libucp.so",	   "libucp-",
				       "libuct",    "libucs",	   "libplugin_UCX"};

static bool is_library(const void *caller)
{
	const char *slash, *name;
	Dl_info info;

	if (!dladdr(caller, &info) || !info.dli_fname)
		return false;
	slash = strrchr(info.dli_fname, '/');
	name = slash ? slash + 1 : info.dli_fname;
	for (unsigned i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

bool sc_mpi_caller_is_library(const void *caller)
{
	uint64_t key = (uint64_t)caller << 2 | IS_KNOWN;
	_Atomic uint64_t *place = &callers[((uint64_t)caller * UINT64_C(0x9e3779b97f4a7c15)) >> 55];
	uint64_t known = atomic_load_explicit(place, memory_order_relaxed);

	if ((known | IS_LIBRARY) != (key | IS_LIBRARY)) {
		known = key | (is_library(caller) ? IS_LIBRARY : 0);
		atomic_store_explicit(place, known, memory_order_relaxed);
	}
	return known & IS_LIBRARY;
}
