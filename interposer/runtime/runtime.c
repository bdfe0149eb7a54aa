/* Runtime calls inside host functions of programs that use the shared runtime (C-4). */
#include "interposer/runtime/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/stack/stack.h"
#include "interposer/core/real.h"
#include "interposer/core/thread.h"

_Static_assert(offsetof(struct sc_thread, callback) == 8 &&
		       offsetof(struct sc_thread, unasked) == 12,
	       "runtime.S reads them there");

#define NOT_LOADED 3 /* cudaErrorInitializationError, in all versions */

void *_Atomic sc_runtime_11[SC_RUNTIMES];
void *_Atomic sc_runtime_12[SC_RUNTIMES];
void *_Atomic sc_runtime_13[SC_RUNTIMES];

static struct {
	atomic_bool is_seen;  /* a shared runtime was called through runtime.S */
	atomic_bool is_heard; /* the trace says that questions for errors are seen */
} state;

static const char *const names[SC_RUNTIMES] = {
#define RUNTIME(name) #name,
#include "interposer/runtime/runtime.def"
#undef RUNTIME
};

static int not_loaded(void)
{
	return NOT_LOADED;
}

static const struct {
	unsigned major;
	const char *library;
} runtimes[] = {{13, "libcudart.so.13"}, {12, "libcudart.so.12"}, {11, "libcudart.so.11.0"}};

#define RUNTIMES (sizeof(runtimes) / sizeof(runtimes[0]))

/* A name in the runtime of that version, or after this library in the global scope; for 0, first
 * there, which is what the program would find, then in any. */
static void *find(const char *name, unsigned major)
{
	void *found = NULL;

	sc_self.busy++;
	if (!major)
		found = sc_real_dlsym()(RTLD_NEXT, name);
	for (unsigned i = 0; !found && i < RUNTIMES; i++) {
		void *handle = NULL;

		if (!major || runtimes[i].major == major)
			handle = SC_REAL(dlopen)(runtimes[i].library, RTLD_NOLOAD | RTLD_LAZY);
		if (handle)
			found = sc_real_dlsym()(handle, name);
	}
	if (!found)
		found = sc_real_dlsym()(RTLD_NEXT, name);
	sc_self.busy--;
	return found;
}

void *sc_runtime_find(const char *name)
{
	return find(name, 0);
}

bool sc_runtime_is_seen(void)
{
	return atomic_load_explicit(&state.is_seen, memory_order_relaxed);
}

void sc_runtime_note(const char *name)
{
	struct sc_stack stack = sc_stack_of_report();
	struct sc_op op;

	if (stack.runtime) /* the runtime calls itself */
		return;
	op = sc_put_new(SC_OP_CALL);
	op.flags = SC_FLAG_IN_CALLBACK | (stack.library ? SC_FLAG_LIBRARY : 0);
	op.stack = stack.id;
	op.call = sc_put_string(name);
	sc_put_op(&op, NULL, 0);
	atomic_store_explicit(&sc_session.recorded, 1, memory_order_relaxed);
}

void sc_runtime_failed(void)
{
	if (!sc_runtime_is_seen() || sc_self.busy)
		return;
	sc_self.unasked = 1;
	if (!atomic_exchange_explicit(&state.is_heard, true, memory_order_relaxed))
		sc_put_source("questions for errors", true);
}

/* The program asks for the error: it knows of the launch that failed. */
static void note_question(unsigned number)
{
	struct sc_op op;

	if (number != SC_RUNTIME_cudaGetLastError && number != SC_RUNTIME_cudaPeekAtLastError)
		return;
	sc_self.unasked = 0;
	if (sc_self.busy || !sc_session_is_live() || sc_stack_of_report().runtime)
		return;
	op = sc_put_new(SC_OP_CALL);
	op.call = sc_put_string(names[number]);
	sc_put_op(&op, NULL, 0);
}

void *sc_runtime_call(unsigned number, unsigned major)
{
	void *_Atomic *slot = &(major == 13   ? sc_runtime_13
				: major == 12 ? sc_runtime_12
					      : sc_runtime_11)[number];
	void *real = atomic_load_explicit(slot, memory_order_relaxed);
	int saved = errno;

	if (!real) {
		real = find(names[number], major);
		real = real ? real : (void *)not_loaded;
		atomic_store_explicit(slot, real, memory_order_relaxed);
		atomic_store_explicit(&state.is_seen, true, memory_order_relaxed);
	}
	if (sc_self.unasked)
		note_question(number);
	if (sc_self.callback && !sc_self.busy && sc_session_is_live())
		sc_runtime_note(names[number]);
	errno = saved;
	return real;
}

const struct sc_module sc_module_runtime = {SC_MODULE_STATE(state)};
