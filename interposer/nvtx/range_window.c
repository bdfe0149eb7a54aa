/* Ranges that are windows: which of those that were entered hold one open. */
#include "interposer/nvtx/range_window.h"

#include <stdatomic.h>
#include <string.h>
#include "interposer/core/environment.h"
#include "interposer/core/module.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/core/windows.h"
#include "interposer/nvtx/nvtx_thread.h"

#define DEPTH_MOST   64 /* ranges of a thread inside each other; deeper ones are no windows */
#define STARTED_MOST 64 /* ranges of the process at a time; more are no windows */

/* Ids of started ranges that are windows; 0: free. */
static atomic_uint started[STARTED_MOST];

/* The first window may begin before the first CUDA call. */
static void begin_session(void)
{
	const char *options;

	if (sc_session_is_live() || sc_self.busy)
		return;
	options = sc_environment_value(SC_VARIABLE_OPTIONS);
	if (options && strstr(options, "window=nvtx"))
		sc_session_start();
}

static bool is_planned(const char *domain)
{
	return atomic_load_explicit(&sc_windows.is_planned, memory_order_relaxed) &&
	       sc_windows.plan.source == SC_WINDOW_NVTX && !sc_self.busy &&
	       !strcmp(sc_windows.plan.domain, domain);
}

void sc_range_window_push(const char *domain, const char *name)
{
	uint32_t depth;

	begin_session();
	if (!is_planned(domain))
		return;
	depth = sc_nvtx_thread()->windows++;
	if (depth < DEPTH_MOST && sc_window_plan_names(&sc_windows.plan, domain, name) &&
	    sc_windows_enter())
		sc_nvtx_thread()->window_bits |= UINT64_C(1) << depth;
}

void sc_range_window_pop(const char *domain)
{
	uint64_t bit;

	if (!is_planned(domain) || !sc_nvtx_thread()->windows)
		return;
	if (--sc_nvtx_thread()->windows >= DEPTH_MOST)
		return;
	bit = UINT64_C(1) << sc_nvtx_thread()->windows;
	if (sc_nvtx_thread()->window_bits & bit)
		sc_windows_leave();
	sc_nvtx_thread()->window_bits &= ~bit;
}

static bool take_place(uint32_t id)
{
	for (unsigned i = 0; i < STARTED_MOST; i++)
		if (atomic_compare_exchange_strong(&started[i], &(unsigned){0}, id))
			return true;
	return false;
}

void sc_range_window_start(const char *domain, const char *name, uint32_t id)
{
	begin_session();
	if (!is_planned(domain) || !sc_window_plan_names(&sc_windows.plan, domain, name) ||
	    !sc_windows_enter())
		return;
	if (!take_place(id))
		sc_windows_leave();
}

void sc_range_window_end(uint32_t id)
{
	for (unsigned i = 0; id && i < STARTED_MOST; i++)
		if (atomic_compare_exchange_strong(&started[i], &(unsigned){id}, 0))
			sc_windows_leave();
}

const struct sc_module sc_module_range_window = {SC_MODULE_STATE(started)};
