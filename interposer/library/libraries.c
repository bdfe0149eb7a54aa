/* The wrappers of the libraries' functions (library.def). */
#include "interposer/library/library.h"

#include <stddef.h>
#include "interposer/library/compiler.h"
#include "extensions/agents/agent.h"

#define EXPORT	    __attribute__((visibility("default")))
#define NOT_THERE   1 /* an error of each of them: not initialized, or no such plan */
#define LIB_POINTER void *
#define LIB_NUMBER  int

/* The handle as the table of handles has it, and which table. */
#define KEY .handle = (uint64_t)h, .is_number = sizeof(h) == sizeof(LIB_NUMBER)

/* The number of a plan may come again. */
static void note(const struct sc_library_change *change)
{
	if (change->is_number && change->use == SC_LIBRARY_END)
		sc_agent_plan_ended((int)change->handle);
	sc_library_note(change);
}

/* Two for each: one finds the real function by its caller, the other one has what was looked up. */
#define WRAPPER(name, parameters, arguments, ...)                                            \
	static int looked_up_##name parameters                                               \
	{                                                                                    \
		typeof(&looked_up_##name) real =                                             \
			atomic_load(&sc_libraries.looked_up[SC_LIBRARY_ROW_##name]);         \
		int status = real arguments;                                                 \
                                                                                             \
		if (!status)                                                                 \
			note(&(struct sc_library_change){KEY, __VA_ARGS__});                 \
		return status;                                                               \
	}                                                                                    \
	EXPORT int name parameters;                                                          \
	EXPORT int name parameters                                                           \
	{                                                                                    \
		typeof(&name) real =                                                         \
			sc_library_find(SC_LIBRARY_ROW_##name, __builtin_return_address(0)); \
		int status = real ? real arguments : NOT_THERE;                              \
                                                                                             \
		if (!status)                                                                 \
			note(&(struct sc_library_change){KEY, __VA_ARGS__});                 \
		return status;                                                               \
	}

#define STREAM(name, type)                                                           \
	WRAPPER(name, (type h, void *stream), (h, stream), .use = SC_LIBRARY_STREAM, \
		.stream = stream)
#define RESET(name, type)                                                           \
	WRAPPER(name, (type h, void *stream), (h, stream), .use = SC_LIBRARY_RESET, \
		.stream = stream)
#define SCRATCH(name, type)                                                       \
	WRAPPER(name, (type h, void *scratch, size_t bytes), (h, scratch, bytes), \
		.use = SC_LIBRARY_SCRATCH, .scratch = scratch, .bytes = bytes)
#define AREA(name, type)                                                                \
	WRAPPER(name, (type h, void *scratch), (h, scratch), .use = SC_LIBRARY_SCRATCH, \
		.scratch = scratch)
#define END(name, type) WRAPPER(name, (type h), (h), .use = SC_LIBRARY_END)

#define LIBRARY(name, type, use) use(name, type)
#include "interposer/library/library.def"
#undef LIBRARY

void *sc_library_serve(enum sc_library_row row, void *real)
{
	static void *const wrappers[SC_LIBRARY_FIRST_OPENMP] = {
#define LIBRARY(name, type, use)   [SC_LIBRARY_ROW_##name] = (void *)looked_up_##name,
#define COMPILER(name, parameters) [SC_LIBRARY_ROW_##name] = (void *)sc_compiler_##name,
#include "interposer/library/compiler.def"
#include "interposer/library/library.def"
#undef LIBRARY
#undef COMPILER
	};

	void *wrapper = row < SC_LIBRARY_FIRST_OPENMP ? wrappers[row] : sc_agent_wrapper(row);

	return wrapper && sc_library_bind(row, real) ? wrapper : real;
}
