/* Dialects: how calls that mend a finding are named and written in what the program is written in.
 */
#include "reports/words/dialect.h"

#include <stdbool.h>
#include <string.h>

enum { SC_DIALECT_runtime, SC_DIALECT_driver };

static const struct sc_dialect dialects[] = {
#define SC_DIALECT(id, module, package, current, null, sync, sync_code, device, device_code,      \
		   record, record_code, wait, wait_code, await, await_code, event, knowing, pool, \
		   pinned, in_stream, blocking)                                                   \
	{#id,                                                                                     \
	 module,                                                                                  \
	 package,                                                                                 \
	 current,                                                                                 \
	 null,                                                                                    \
	 {sync, sync_code},                                                                       \
	 {device, device_code},                                                                   \
	 {record, record_code},                                                                   \
	 {wait, wait_code},                                                                       \
	 {await, await_code},                                                                     \
	 event,                                                                                   \
	 knowing,                                                                                 \
	 pool,                                                                                    \
	 pinned,                                                                                  \
	 in_stream,                                                                               \
	 blocking},
#include "reports/words/dialect.def"
#undef SC_DIALECT
};

/* In Python without a framework that is known, calls have the names of CUDA, and nobody knows how
 * they are written. */
static const struct sc_dialect plain_python = {
	.name = "python",
	.module = "",
	.package = "",
	.current = "",
	.default_stream = "0",
	.stream_sync = {"cudaStreamSynchronize", ""},
	.device_sync = {"cudaDeviceSynchronize", ""},
	.record = {"cudaEventRecord", ""},
	.wait = {"cudaStreamWaitEvent", ""},
	.event_sync = {"cudaEventSynchronize", ""},
	.event = "",
	.knowing = "build it with PTX, as nvcc -arch=sm_90 does, or declare its footprint",
	.pool_call = "",
	.pinned = "",
	.in_stream = "pass $ as its stream",
	.blocking = "",
};

bool sc_dialect_is_python(const char *file)
{
	size_t bytes = strlen(file);

	return bytes > 3 && !strcmp(file + bytes - 3, ".py");
}

static bool has_module(const struct sc_report_site *site, const char *part)
{
	for (size_t i = 0; i < site->user; i++)
		if (strstr(site->frames[i].module, part) || strstr(site->frames[i].file, part))
			return 1;
	return 0;
}

/* The framework between the user's line of Python and CUDA. */
static const struct sc_dialect *framework_of(const struct sc_report_site *site)
{
	for (size_t i = 0; i < sizeof(dialects) / sizeof(*dialects); i++)
		if (*dialects[i].module && has_module(site, dialects[i].module))
			return &dialects[i];
	return NULL;
}

static bool is_from_python(const struct sc_report_site *site)
{
	const struct sc_frame *frame = sc_site_frame(site);

	return frame && sc_dialect_is_python(frame->file);
}

const struct sc_dialect *sc_dialect_of(const struct sc_report_site sites[2])
{
	const struct sc_dialect *found = &dialects[SC_DIALECT_runtime];
	bool is_python = 0;

	for (unsigned i = 0; i < 2; i++) {
		const struct sc_dialect *framework;

		if (is_from_python(&sites[i])) {
			framework = framework_of(&sites[i]);
			if (framework)
				return framework;
			is_python = 1;
		}
		if (sites[i].api && strncmp(sites[i].api, "cuda", 4) != 0)
			found = &dialects[SC_DIALECT_driver];
	}
	return is_python ? &plain_python : found;
}

bool sc_dialect_is_driver(const struct sc_dialect *d)
{
	return d == &dialects[SC_DIALECT_driver];
}

bool sc_dialect_is_runtime(const struct sc_dialect *d)
{
	return d == &dialects[SC_DIALECT_runtime] || d == &plain_python;
}
