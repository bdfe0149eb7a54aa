/* Stubs of entry points that have no row, and what is said of them. */
#include "interposer/hook/unknown.h"

#include <ctype.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "interposer/core/lock.h"
#include "interposer/core/message.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/hook/unknown_most.h"

#define NAME_BYTES 96

/* The stubs read these (arch/x86_64/unknown.S). */
void *_Atomic sc_unknown_real[SC_UNKNOWN_MOST] __attribute__((visibility("hidden")));
atomic_uchar sc_unknown_seen[SC_UNKNOWN_MOST] __attribute__((visibility("hidden")));
extern const char sc_unknown_stubs[SC_UNKNOWN_MOST][64] __attribute__((visibility("hidden")));
void *sc_unknown_called(unsigned number) __attribute__((visibility("hidden")));

static struct {
	struct sc_lock lock;
	char names[SC_UNKNOWN_MOST][NAME_BYTES]; /* of the first `count`; they stay */
	atomic_uint count;
	atomic_uint beyond; /* looked up when no stub was left */
} unknown;

/* Entry points outside cuda.h (graphics interoperation), and those with nothing to record. */
static const char *const ignored[] = {"cuGL",
				      "cuEGL",
				      "cuVDPAU",
				      "cuGraphicsGL",
				      "cuGraphicsEGL",
				      "cuGraphicsVDPAU",
				      "cuGetExport",
				      "cuGetError",
				      "cuGraphicsResourceGetMappedEgl",
				      "cuEventCreateFrom",
				      "cuProfiler"};

static bool is_ignored(const char *name)
{
	for (unsigned i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++) {
		if (!strncmp(name, ignored[i], strlen(ignored[i])))
			return true;
	}
	return false;
}

/* Whether the name has the word, as "Get" in cuMemGetThing. */
static bool has_word(const char *name, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = name; (at = strstr(at, word)); at += length) {
		if (!islower((unsigned char)at[length]))
			return true;
	}
	return false;
}

bool sc_unknown_may_act(const char *name)
{
	return !has_word(name, "Get") && !has_word(name, "Query");
}

/* The stub of a name, -1 if there is none left. */
static int stub_of(const char *name, void *found)
{
	unsigned n = atomic_load_explicit(&unknown.count, memory_order_relaxed);
	unsigned i = 0;

	while (i < n && (strcmp(unknown.names[i], name) != 0 || sc_unknown_real[i] != found))
		i++;
	if (i < n)
		return (int)i;
	if (n == SC_UNKNOWN_MOST || strlen(name) >= NAME_BYTES)
		return -1;
	strcpy(unknown.names[n], name);
	atomic_store_explicit(&sc_unknown_real[n], found, memory_order_relaxed);
	/* release: pairs with the acquire in write_counts */
	atomic_store_explicit(&unknown.count, n + 1, memory_order_release);
	return (int)n;
}

void *sc_unknown_serve(const char *name, void *found)
{
	int stub;

	if (!found || is_ignored(name))
		return found;
	sc_lock_get(&unknown.lock);
	stub = stub_of(name, found);
	sc_lock_put(&unknown.lock);
	if (sc_session.options.verbose)
		sc_message("no decoder for %s", name);
	if (stub < 0) {
		atomic_fetch_add_explicit(&unknown.beyond, 1, memory_order_relaxed);
		return found;
	}
	return (void *)sc_unknown_stubs[stub];
}

static void record_call(const char *name)
{
	struct sc_op op = {.kind = SC_OP_LOST, .value = 1};
	struct sc_attachment part = {.type = SC_ATTACH_TEXT};
	char text[NAME_BYTES + 80];

	if (!sc_unknown_may_act(name)) {
		snprintf(text, sizeof(text), "a decoder for %s, which moves nothing by its name",
			 name);
		sc_put_source(text, false);
		return;
	}
	snprintf(text, sizeof(text), "calls of %s have no decoder", name);
	op.call = sc_put_string(name);
	part.bytes = (uint32_t)strlen(text);
	part.data = text;
	sc_put_op(&op, &part, 1);
}

/* From the stubs: the first call of each, or a few at once. Returns the real function. */
void *sc_unknown_called(unsigned number)
{
	void *real = atomic_load_explicit(&sc_unknown_real[number], memory_order_relaxed);
	int saved = errno;

	if (sc_self.busy || !sc_session_is_live())
		return real;
	if (!atomic_exchange_explicit(&sc_unknown_seen[number], 1, memory_order_relaxed))
		record_call(unknown.names[number]);
	errno = saved;
	return real;
}

static void write_counts(void)
{
	unsigned calls = atomic_load_explicit(&unknown.beyond, memory_order_relaxed);
	char source[80];

	if (!calls)
		return;
	snprintf(source, sizeof(source), "decoders for %u newer driver entry points", calls);
	sc_put_source(source, false);
}

/* A child of a fork has the stubs of its parent, and calls of its own. */
const struct sc_module sc_module_unknown = {.flush = write_counts,
					    SC_MODULE_STATE(sc_unknown_seen)};
