/* The wrappers of NVSHMEM's functions (shmem.def): each hands its parameters on as whole registers,
 * but for numbers that are not in an ordinary one. Two for each: one finds the real function by its
 * caller, the other one has what was looked up. */
#include <stddef.h>
#include "extensions/agents/words.h"
#include "extensions/agents/wrap.h"
#include "extensions/agents/shmem/shmem.h"

#define SHMEM(name, count, way, ...)                                                               \
	static W looked_up_##name(P##count)                                                        \
	{                                                                                          \
		return sc_shmem_call(&sc_shmem_functions.name, (W[SC_SHMEM_PARAMETERS]){A##count}, \
				     NULL);                                                        \
	}                                                                                          \
	static W called_##name(P##count)                                                           \
	{                                                                                          \
		return sc_shmem_call(&sc_shmem_functions.name, (W[SC_SHMEM_PARAMETERS]){A##count}, \
				     __builtin_return_address(0));                                 \
	}

/* The function's own statements stand between the beginning and the end. */
#define AROUND(name, from, parameters, ...)                                        \
	{                                                                          \
		const void *frame = __builtin_frame_address(0);                    \
		W words[SC_SHMEM_PARAMETERS] = parameters;                         \
		struct sc_shmem_call call = {.function = &sc_shmem_functions.name, \
					     .parameter = words};                  \
                                                                                   \
		sc_shmem_begin(&call, frame, from);                                \
		__VA_ARGS__                                                        \
	}
#define LIST(...)           \
	{                   \
		__VA_ARGS__ \
	}

/* The process is the third parameter, a stream the fourth. */
#define SHMEM_P(name, count, type, way, ...)                                                      \
	static void put_##name(W to, type value, W process, W stream, const void *caller) AROUND( \
		name, caller, LIST(to, 0, process, stream),                                       \
		if (call.real)((void (*)(W, type, W, W))call.real)(to, value, process, stream);   \
		sc_shmem_end(&call, frame, 0);) static void looked_up_##name(W to, type value,    \
									     W process, W stream) \
	{                                                                                         \
		put_##name(to, value, process, stream, NULL);                                     \
	}                                                                                         \
	static void called_##name(W to, type value, W process, W stream)                          \
	{                                                                                         \
		put_##name(to, value, process, stream, __builtin_return_address(0));              \
	}

#define SHMEM_G(name, count, type, way, ...)                                                 \
	static type get_##name(W from, W process, W stream, const void *caller) AROUND(      \
		name, caller, LIST(from, process, stream), type value = 0;                   \
		if (call.real) value = ((type(*)(W, W, W))call.real)(from, process, stream); \
		sc_shmem_end(&call, frame, 0);                                               \
		return value;) static type looked_up_##name(W from, W process, W stream)     \
	{                                                                                    \
		return get_##name(from, process, stream, NULL);                              \
	}                                                                                    \
	static type called_##name(W from, W process, W stream)                               \
	{                                                                                    \
		return get_##name(from, process, stream, __builtin_return_address(0));       \
	}
#include "extensions/agents/shmem/shmem.def"

static const struct sc_wrapper wrappers[] = {
#define SHMEM(name, count, way, ...) SC_WRAPPER(shmem, name, called_##name, looked_up_##name)
#include "extensions/agents/shmem/shmem.def"
};

const struct sc_wrappers sc_shmem_wrappers = SC_WRAPPERS("nvshmem", sc_shmem_table, wrappers);
