/* The driver entry points as data: decoders and the table of rows. */
#include "interposer/call/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "interposer/call/array.h"
#include "interposer/call/callback.h"
#include "interposer/call/tracking.h"
#include "interposer/call/graph.h"
#include "interposer/object/handle.h"
#include "interposer/call/row_functions.h"
#include "interposer/call/import.h"
#include "interposer/call/launch.h"
#include "interposer/call/mapping.h"
#include "interposer/call/sync_memops.h"
#include "interposer/call/pool.h"

#define PTSZ_VERSION 7000 /* per-thread default streams appeared with CUDA 7.0 */

static uint32_t event_kind(unsigned flags)
{
	return (flags & CU_EVENT_DISABLE_TIMING ? SC_FLAG_NO_TIMING : 0) |
	       (flags & CU_EVENT_INTERPROCESS ? SC_FLAG_INTERPROCESS : 0);
}

static uint32_t host_kind(unsigned flags)
{
	return flags & CU_MEMHOSTALLOC_WRITECOMBINED ? SC_FLAG_WRITE_COMBINED : 0;
}

static uint32_t register_kind(unsigned flags)
{
	return flags & CU_MEMHOSTREGISTER_READ_ONLY ? SC_FLAG_READ_ONLY : 0;
}

#define ADDRESS(x)	 (uint64_t)(x)
#define STREAM_KIND(f)	 sc_stream_kind(f)
#define EVENT_KIND(f)	 event_kind(f)
#define HOST_KIND(f)	 host_kind(f)
#define REGISTER_KIND(f) register_kind(f)
#define FACT(...)	 __VA_ARGS__,
#define HAND(f)		 .hand = (f),
#define AFTER(f)	 .after = (f),

#define API(base, suffix, version, form, kind, when, types, ...)                  \
	static void decode_##base##suffix(struct sc_facts *f, const void *params) \
	{                                                                         \
		const struct base##suffix##_params_st *p = params;                \
                                                                                  \
		(void)p;                                                          \
		*f = (struct sc_facts){__VA_ARGS__};                              \
	}
#define API0(base, suffix, version, form, kind, when, ...)                        \
	static void decode_##base##suffix(struct sc_facts *f, const void *params) \
	{                                                                         \
		(void)params;                                                     \
		*f = (struct sc_facts){__VA_ARGS__};                              \
	}
#include "interposer/call/words.def"

#define ROW(b, s, v, f, k, w)                   \
	[SC_API_##b##s] = {.base = #b,          \
			   .version = v,        \
			   .kind = SC_OP_##k,   \
			   .form = SC_FORM_##f, \
			   .when = SC_WHEN_##w, \
			   .decode = decode_##b##s},
#define API(base, suffix, version, form, kind, when, ...) \
	ROW(base, suffix, version, form, kind, when)
#define API0(base, suffix, version, form, kind, when, ...) \
	ROW(base, suffix, version, form, kind, when)
const struct sc_api sc_apis[SC_APIS] = {
#include "interposer/call/api.def"
};
#undef API
#undef API0

int sc_api_first(const char *base)
{
	for (int i = 0; i < SC_APIS; i++) {
		if (!strcmp(sc_apis[i].base, base))
			return i;
	}
	return -1;
}

int sc_api_next(int row)
{
	for (int i = row + 1; i < SC_APIS; i++) {
		if (!strcmp(sc_apis[i].base, sc_apis[row].base))
			return i;
	}
	return -1;
}

int sc_api_symbol(const char *symbol, bool *per_thread)
{
	for (int i = 0; i < SC_APIS; i++) {
		for (int form = 0; form < 2; form++) {
			const char *name = sc_entry_name(i, form);

			if (!name || strcmp(name, symbol) != 0)
				continue;
			*per_thread = form;
			return i;
		}
	}
	return -1;
}

int sc_api_choose(const char *base, int version, bool *per_thread)
{
	bool form = *per_thread;
	int best = -1;

	for (int i = sc_api_first(base); i >= 0; i = sc_api_next(i)) {
		int since = sc_apis[i].version;

		if (form && sc_apis[i].form != SC_FORM_PLAIN && since < PTSZ_VERSION)
			since = PTSZ_VERSION;
		if (since <= version && (best < 0 || sc_apis[i].version >= sc_apis[best].version))
			best = i;
	}
	*per_thread = best >= 0 && form && sc_apis[best].form != SC_FORM_PLAIN;
	return best;
}
