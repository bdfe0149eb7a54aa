/* CUPTI: one subscription, its callbacks handed to those who want them, and its end. */
#include "interposer/cupti/cupti.h"

#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "interposer/core/arena.h"
#include "interposer/cupti/state.h"
#include "interposer/runtime/runtime.h"
#include "interposer/core/message.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/core/module.h"
#include "interposer/driver/driver.h"
#include "interposer/call/api.h"

struct sc_cupti_session sc_cupti;

/* Why there is no subscription; what the report says. */
enum { NOT_TRIED, TRYING, WORKS, NOT_FOUND, TAKEN, REFUSED, GIVEN };

static const char *const reasons[] = {[NOT_FOUND] = "CUPTI was not found",
				      [TAKEN] = "another tool uses CUPTI in this process",
				      [REFUSED] = "CUPTI refused",
				      [GIVEN] = "the program itself uses CUPTI from then on"};

struct sc_cupti *sc_cupti_state(void)
{
	/* acquire: pairs with the release in open_once */
	return atomic_load_explicit(&sc_cupti.state, memory_order_acquire) >= WORKS
		       ? sc_cupti.subscription
		       : NULL;
}

static bool is_working(void)
{
	return atomic_load_explicit(&sc_cupti.state, memory_order_acquire) == WORKS;
}

/* ---- callbacks ---- */

/* "cudaMemcpyAsync_ptsz_v7000" is the program's cudaMemcpyAsync. */
static void note(const char *name)
{
	const char *version = strstr(name, "_v");
	size_t length = version ? (size_t)(version - name) : strlen(name);
	char plain[96];

	if (!strncmp(name, "cudaGetErrorName", 16) || !strncmp(name, "cudaGetErrorString", 18))
		return;
	if (length > 5 && !strncmp(name + length - 5, "_pts", 4))
		length -= 5;
	if (length >= sizeof(plain))
		length = sizeof(plain) - 1;
	memcpy(plain, name, length);
	plain[length] = '\0';
	sc_runtime_note(plain);
}

static void runtime_call(const CUpti_CallbackData *call)
{
	if (!sc_self.callback || sc_self.busy)
		return;
	if (call->callbackSite == CUPTI_API_ENTER) {
		if (!sc_cupti_thread()->in_runtime++ && call->functionName && sc_session_is_live())
			note(call->functionName);
	} else if (sc_cupti_thread()->in_runtime) {
		sc_cupti_thread()->in_runtime--;
	}
}

static void driver_call(struct sc_cupti *c, unsigned id, const CUpti_CallbackData *call)
{
	unsigned row = id < SC_CUPTI_IDS ? c->row[id] : 0;

	if (row && sc_cupti.record && atomic_load_explicit(&c->is_source, memory_order_relaxed))
		sc_cupti.record(row - 1, call);
	if (call->callbackSite != CUPTI_API_ENTER)
		return;
	if (sc_self.current)
		sc_correlations_put(&c->links, call->correlationId, sc_self.current);
}

static void CUPTIAPI on_call(void *unused, CUpti_CallbackDomain domain, CUpti_CallbackId id,
			     const void *data)
{
	struct sc_cupti *c = sc_cupti_state();
	int saved = errno;

	(void)unused;
	if (!c)
		return;
	if (domain == CUPTI_CB_DOMAIN_RUNTIME_API)
		runtime_call(data);
	else if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
		driver_call(c, id, data);
	errno = saved;
}

/* ---- the subscription ---- */

static bool subscribe(const struct sc_cupti_calls *calls, void *data)
{
	struct sc_cupti *c = data;
	CUptiResult result = calls->Subscribe(&c->subscriber, on_call, NULL);

	c->reason = result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED ? TAKEN : REFUSED;
	return result == CUPTI_SUCCESS || c->reason == TAKEN;
}

static unsigned open_library(struct sc_cupti *c)
{
	bool found;

	c->reason = NOT_FOUND;
	sc_self.busy++;
	found = sc_cupti_find(&c->calls, subscribe, c);
	sc_self.busy--;
	return found && c->reason != TAKEN ? WORKS : c->reason;
}

/* The subscription, made on first use; NULL if there is none to be had. */
static struct sc_cupti *open_once(void)
{
	unsigned state = NOT_TRIED;
	struct sc_cupti *c;

	if (atomic_compare_exchange_strong(&sc_cupti.state, &state, TRYING)) {
		c = sc_arena_get(sizeof(*c));
		sc_cupti.subscription = c;
		state = c ? open_library(c) : REFUSED;
		atomic_store_explicit(&sc_cupti.state, state, memory_order_release);
	}
	return is_working() ? sc_cupti.subscription : NULL;
}

static void report_source(const char *what, bool works)
{
	unsigned state = atomic_load(&sc_cupti.state);
	char text[160];

	snprintf(text, sizeof(text), "%s (%s)", what,
		 works || state <= WORKS ? "CUPTI" : reasons[state]);
	sc_put_source(text, works);
}

/* ---- device times and calls ---- */

/* Which row of api.def each callback of the driver belongs to. */
static void map_callbacks(struct sc_cupti *c)
{
	const char *name;

	for (unsigned id = 1; c->calls.GetCallbackName && id < SC_CUPTI_IDS; id++) {
		bool per_thread;
		int row;

		if (c->calls.GetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, id, &name) !=
		    CUPTI_SUCCESS)
			continue;
		row = sc_api_symbol(name, &per_thread);
		if (row >= 0)
			c->row[id] = (uint16_t)(row * 2 + per_thread + 1);
	}
}

/* Calls that put work into streams or wait: those that device times belong to. */
static bool has_times(const struct sc_api *api)
{
	return api->when == SC_WHEN_ENTRY || api->when == SC_WHEN_SPAN;
}

static bool is_any(const struct sc_api *api)
{
	return api;
}

/* Has CUPTI report these calls; returns how many there are. */
static unsigned enable_calls(const struct sc_cupti *c, bool (*is_wanted)(const struct sc_api *))
{
	unsigned works = 0;

	for (unsigned id = 1; c->calls.EnableCallback && id < SC_CUPTI_IDS; id++) {
		if (c->row[id] && is_wanted(&sc_apis[(c->row[id] - 1) / 2]))
			works += c->calls.EnableCallback(1, c->subscriber,
							 CUPTI_CB_DOMAIN_DRIVER_API,
							 id) == CUPTI_SUCCESS;
	}
	return works;
}

/* Runs before CUPTI is unloaded, because it was registered after CUPTI was loaded. What destructors
 * still do is left to the hooks, and is not timed. */
static void at_end(void)
{
	struct sc_cupti *c = sc_cupti_state();

	if (!c)
		return;
	sc_times_flush(&c->times, true);
	atomic_store(&c->times.is_ended, true);
	atomic_store(&c->is_source, false);
}

void sc_cupti_want(void)
{
	struct sc_cupti *c;
	int saved = errno;
	bool works;

	if (atomic_exchange(&sc_cupti.is_wanted, true))
		return;
	if (sc_runtime_is_seen()) {
		sc_put_source("runtime calls inside host functions", true);
		return;
	}
	if (atomic_load(&sc_cupti.state) == NOT_TRIED) { /* it is too late now: sc_cupti_ready */
		sc_put_source("driver calls inside host functions", true);
		return;
	}
	sc_self.busy++;
	c = is_working() ? sc_cupti.subscription : NULL;
	works = c && c->calls.EnableDomain(1, c->subscriber, CUPTI_CB_DOMAIN_RUNTIME_API) ==
			     CUPTI_SUCCESS;
	sc_self.busy--;
	report_source("runtime calls inside host functions", works);
	errno = saved;
}

/* ---- buffers of device times ---- */

static void CUPTIAPI requested(uint8_t **buffer, size_t *size, size_t *most)
{
	struct sc_cupti *c = sc_cupti_state();
	int saved = errno;

	*buffer = NULL;
	*size = 0;
	if (c)
		sc_times_request(&c->times, buffer, size, most);
	errno = saved;
}

static void CUPTIAPI completed(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
			       size_t valid)
{
	struct sc_cupti *c = sc_cupti_state();
	size_t dropped = 0;
	int saved = errno;

	(void)size;
	if (!c || !buffer)
		return;
	sc_self.busy++;
	if (c->calls.ActivityGetDropped &&
	    c->calls.ActivityGetDropped(context, stream, &dropped) == CUPTI_SUCCESS)
		atomic_fetch_add_explicit(&c->times.dropped, dropped, memory_order_relaxed);
	sc_times_take(&c->times, buffer, valid);
	sc_self.busy--;
	errno = saved;
}

/* ---- the beginning ---- */

void sc_cupti_begin(void)
{
	const struct sc_options *o = &sc_session.options;
	struct sc_cupti *c;
	int saved = errno;
	bool times;

	if (!o->device_times && !o->source)
		return;
	sc_self.busy++;
	c = open_once();
	if (c) {
		atexit(at_end);
		map_callbacks(c);
		sc_correlations_init(&c->links);
	}
	times = c && o->device_times &&
		sc_times_begin(&c->times, &c->calls, &c->links, requested, completed);
	if (o->device_times)
		report_source("device times", times);
	if (o->source)
		report_source("driver calls from callbacks", c && enable_calls(c, is_any));
	else if (times)
		enable_calls(c, has_times);
	if (c)
		atomic_store(&c->is_source, o->source != 0);
	sc_self.busy--;
	if (c && o->source)
		sc_cupti_want(); /* now: not from inside a callback, where it would come late */
	errno = saved;
}

bool sc_cupti_reports_call(void)
{
	const struct sc_cupti *c = sc_cupti_state();

	if (!c || !atomic_load_explicit(&c->is_source, memory_order_relaxed))
		return false;
	atomic_store_explicit(&sc_cupti.has_hooks, true, memory_order_relaxed);
	return !sc_self.callback;
}

/* Seen with driver 580: CUPTI is silent inside callbacks of cuStreamAddCallback. */
static void report_callbacks(void)
{
	if (sc_session.options.source && !atomic_load(&sc_cupti.has_hooks))
		sc_put_source("calls inside stream callbacks, which only hooks see", false);
}

static int is_shared_runtime(struct dl_phdr_info *info, size_t size, void *unused)
{
	const char *slash = strrchr(info->dlpi_name, '/');

	(void)size;
	(void)unused;
	return !strncmp(slash ? slash + 1 : info->dlpi_name, "libcudart.so", 12);
}

/* The devices are there now, which the counters of managed memory need, but no context yet: CUPTI
 * would wait for all its work, which a kernel may do for what the host does next. Only a static
 * runtime's calls need CUPTI. */
void sc_cupti_ready(void)
{
	struct sc_cupti *c;

	if (atomic_load(&sc_cupti.has_runtime) && !dl_iterate_phdr(is_shared_runtime, NULL))
		open_once();
	c = sc_cupti_state();
	if (!c)
		return;
	sc_self.busy++;
	sc_times_managed(&c->times);
	sc_self.busy--;
}

void sc_cupti_flush(void)
{
	struct sc_cupti *c = sc_cupti_state();

	if (!c)
		return;
	sc_times_flush(&c->times, true);
	sc_times_count(&c->times);
	report_callbacks();
}

static void flush_some(void)
{
	struct sc_cupti *c = sc_cupti_state();

	if (c)
		sc_times_flush(&c->times, false);
}

void sc_cupti_yield(void)
{
	unsigned state = WORKS;
	struct sc_cupti *c;

	if (!atomic_compare_exchange_strong(&sc_cupti.state, &state, GIVEN))
		return;
	c = sc_cupti.subscription;
	sc_self.busy++;
	atomic_store(&c->is_source, false);
	if (atomic_load(&c->times.is_on))
		report_source("device times of the whole run", false);
	sc_times_end(&c->times);
	c->calls.Unsubscribe(c->subscriber);
	sc_self.busy--;
}

/* ---- the module ---- */

const struct sc_module sc_module_cupti = {.live = sc_cupti_begin,
					  .initialized = sc_cupti_ready,
					  .host_function = sc_cupti_want,
					  .profiler_stopped = flush_some,
					  .flush = sc_cupti_flush,
					  SC_MODULE_STATE(sc_cupti)};
