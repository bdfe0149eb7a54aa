/* The driver's entry points: resolved on first use, never through ourselves. */
#include "interposer/driver/entry.h"

#include <dlfcn.h>
#include <unistd.h>
#include "interposer/core/module.h"
#include "interposer/core/real.h"
#include "interposer/core/message.h"
#include "interposer/core/thread.h"

struct sc_entries sc_entries;

/* Without and with a default stream for each thread. */
#define PLAIN(symbol)         \
	{                     \
#symbol, NULL \
	}
#define PTSZ(symbol)                     \
	{                                \
#symbol, #symbol "_ptsz" \
	}
#define PTDS(symbol)                     \
	{                                \
#symbol, #symbol "_ptds" \
	}
static const char *const names[SC_APIS][2] = {
#define API(base, suffix, version, form, ...)  form(base##suffix),
#define API0(base, suffix, version, form, ...) form(base##suffix),
#include "interposer/call/api.def"
#undef API
#undef API0
};

const char *sc_entry_name(int row, bool per_thread)
{
	return names[row][per_thread];
}

void *sc_entry_library(void)
{
	void *handle = atomic_load_explicit(&sc_entries.libcuda, memory_order_relaxed);

	if (handle)
		return handle;
	sc_self.busy++;
	handle = SC_REAL(dlopen)("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
	sc_self.busy--;
	atomic_store_explicit(&sc_entries.libcuda, handle, memory_order_relaxed);
	return handle;
}

void *sc_entry_find(int row, bool per_thread)
{
	void *_Atomic *slot = &sc_entries.driver[row][per_thread];
	void *found = atomic_load_explicit(slot, memory_order_relaxed);
	const char *name = sc_entry_name(row, per_thread);
	void *library;

	if (found)
		return found;
	library = sc_entry_library();
	if (!library || !name)
		return NULL;
	found = sc_real_dlsym()(library, name);
	atomic_store_explicit(slot, found, memory_order_relaxed);
	return found;
}

void sc_entry_learn(int row, bool per_thread, void *function)
{
	atomic_store_explicit(&sc_entries.driver[row][per_thread], function, memory_order_relaxed);
}

const struct sc_driver *sc_driver(void)
{
	struct sc_driver *calls = &sc_entries.calls;

	/* acquire: pairs with the release below */
	if (atomic_load_explicit(&sc_entries.driver_known, memory_order_acquire))
		return calls;
	if (!sc_entry_library())
		return calls;
#define FIND(member, symbol) calls->member = sc_entry_find(SC_API_##symbol, false);
	SC_DRIVER_FUNCTIONS(FIND)
#undef FIND
	atomic_store_explicit(&sc_entries.driver_known, 1, memory_order_release);
	return calls;
}

/* ---- the module ---- */

/* The program looked for a driver, and ends without one. Its children by fork and vfork are other
 * processes, and say nothing. */
static void report_no_driver(int status)
{
	int process = getpid();

	(void)status;
	if (atomic_compare_exchange_strong(&sc_entries.asker, &process, 0) && !sc_entry_library())
		sc_message(
			"the program looked for CUDA's driver, libcuda.so.1, and found none: "
			"nothing was recorded; where there is no GPU, streamcheck run --device=sim "
			"-- PROGRAM uses the simulated device");
}

const struct sc_module sc_module_entry = {.unused = report_no_driver};
