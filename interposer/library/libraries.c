/* The wrappers of the libraries' functions (library.def). */
#include "interposer/library/library.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "interposer/library/compiler.h"
#include "extensions/agents/agent.h"

#define EXPORT	    __attribute__((visibility("default")))
#define NAME_BYTES  64
#define NOT_THERE   1 /* an error of each of them: not initialized, or no such plan */
#define LIB_POINTER void *
#define LIB_NUMBER  int

#define LIBRARY(name, type, use) +1
enum {
	HANDLES = 0
#include "interposer/library/library.def"
};
#undef LIBRARY

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
#define WRAPPER(name, parameters, arguments, ...)                                                \
	static int looked_up_##name parameters                                                   \
	{                                                                                        \
		typeof(&looked_up_##name) real = atomic_load(&sc_core_functions.name.looked_up); \
		int status = real arguments;                                                     \
                                                                                                 \
		if (!status)                                                                     \
			note(&(struct sc_library_change){KEY, __VA_ARGS__});                     \
		return status;                                                                   \
	}                                                                                        \
	EXPORT int name parameters;                                                              \
	EXPORT int name parameters                                                               \
	{                                                                                        \
		typeof(&name) real =                                                             \
			sc_function_find(&sc_core_functions.name, __builtin_return_address(0));  \
		int status = real ? real arguments : NOT_THERE;                                  \
                                                                                                 \
		if (!status)                                                                     \
			note(&(struct sc_library_change){KEY, __VA_ARGS__});                     \
		return status;                                                                   \
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

/* ---- what is looked up ---- */

static const struct sc_wrapper list[] = {
#define LIBRARY(name, type, use)   SC_WRAPPER(core, name, NULL, looked_up_##name)
#define COMPILER(name, parameters) SC_WRAPPER(core, name, NULL, sc_compiler_##name)
#include "interposer/library/library.def"
#include "interposer/library/compiler.def"
};

static const struct sc_wrappers wrappers = SC_WRAPPERS("", sc_core_table, list);

static bool is_of_handles(const struct sc_wrapper *w)
{
	return w >= list && w < list + HANDLES;
}

/* nvJitLink's names without the numbers of their version. */
static const char *without_version(const char *name, char room[NAME_BYTES])
{
	size_t length = strlen(name);

	if (strncmp(name, "__nv", 4) != 0 || length >= NAME_BYTES)
		return name;
	while (name[length - 1] == '_' || (name[length - 1] >= '0' && name[length - 1] <= '9'))
		length--;
	memcpy(room, name + 2, length - 2);
	room[length - 2] = 0;
	return room;
}

struct sc_named_function sc_library_function(const char *name)
{
	struct sc_library_function *function;
	char room[NAME_BYTES];

	name = without_version(name, room);
	function = sc_functions_find(&sc_core_table, name);
	return function
		       ? (struct sc_named_function){function, sc_wrappers_find(&wrappers, function)}
		       : sc_agent_function(name);
}

void *sc_library_serve(struct sc_named_function found, void *real)
{
	const struct sc_wrapper *w = found.wrapper;

	if (!w || !w->looked_up)
		return real;
	if (sc_function_bind(found.function, real))
		return w->looked_up;
	if (is_of_handles(w))
		atomic_fetch_add(&sc_libraries.others, 1);
	return real;
}
