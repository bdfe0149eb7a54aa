/* Runtime calls inside host functions of programs that use the shared runtime (C-4). */
#include "interposer/runtime.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "interposer/session.h"
#include "interposer/stack.h"

_Static_assert(offsetof(struct sc_thread, callback) == 8, "runtime.S reads it there");

#define NOT_LOADED 3 /* cudaErrorInitializationError, in all versions */

void *_Atomic sc_runtime_11[SC_RUNTIMES];
void *_Atomic sc_runtime_12[SC_RUNTIMES];
void *_Atomic sc_runtime_13[SC_RUNTIMES];

static const char *const names[SC_RUNTIMES] = {
#define RUNTIME(name) #name,
#include "interposer/runtime.def"
#undef RUNTIME
};

static int not_loaded(void)
{
	return NOT_LOADED;
}

static void *find(unsigned number, unsigned major)
{
	const char *library = major == 13   ? "libcudart.so.13"
			      : major == 12 ? "libcudart.so.12"
					    : "libcudart.so.11.0";
	void *handle, *found;

	sc_self.busy++;
	handle = SC_REAL(dlopen)(library, RTLD_NOLOAD | RTLD_LAZY);
	found = sc_real_dlsym()(handle ? handle : RTLD_NEXT, names[number]);
	sc_self.busy--;
	return found ? found : (void *)not_loaded;
}

bool sc_runtime_is_seen(void)
{
	return atomic_load_explicit(&sc_session.runtimes, memory_order_relaxed);
}

void sc_runtime_note(const char *name)
{
	struct sc_stack stack = sc_stack_of_report();
	struct sc_op op;

	if (stack.runtime) /* the runtime calls itself */
		return;
	op = sc_session_op(SC_OP_CALL);
	op.flags = SC_FLAG_IN_CALLBACK | (stack.library ? SC_FLAG_LIBRARY : 0);
	op.stack = stack.id;
	op.call = sc_session_string(name);
	sc_session_put(&op, NULL, 0);
	atomic_store_explicit(&sc_session.recorded, 1, memory_order_relaxed);
}

void *sc_runtime_call(unsigned number, unsigned major)
{
	void *_Atomic *slot = &(major == 13   ? sc_runtime_13
				: major == 12 ? sc_runtime_12
					      : sc_runtime_11)[number];
	void *real = atomic_load_explicit(slot, memory_order_relaxed);
	int saved = errno;

	if (!real) {
		real = find(number, major);
		atomic_store_explicit(slot, real, memory_order_relaxed);
		atomic_store_explicit(&sc_session.runtimes, 1, memory_order_relaxed);
	}
	if (sc_self.callback && !sc_self.busy && sc_session_is_live())
		sc_runtime_note(names[number]);
	errno = saved;
	return real;
}
