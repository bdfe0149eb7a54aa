/* The wrappers of NVSHMEM's functions (shmem.def): each hands its parameters on as whole registers,
 * but for numbers that are not in an ordinary one. Two for each: one finds the real function by its
 * caller, the other one has what was looked up. */
#include <stddef.h>
#include "extensions/agents/words.h"
#include "extensions/agents/wrap.h"
#include "extensions/agents/shmem/shmem.h"

#define CALL(row, by, words, frame)  sc_shmem_call(row, by, words, NULL, frame)
#define SHMEM(name, count, way, ...) WORDS_WRAPPERS(name, W, count, CALL, &sc_shmem_functions.name)

#define NUMBER_WRAPPER(name, row, by)                                                   \
	static double name(P3, double number)                                           \
	{                                                                               \
		sc_shmem_call(row, by, (W[]){A3}, &number, __builtin_frame_address(0)); \
		return number;                                                          \
	}
#define SHMEM_NUMBERED(name, count, way, ...)                                             \
	NUMBER_WRAPPER(called_##name, &sc_shmem_functions.name, &sc_shmem_functions.name) \
	NUMBER_WRAPPER(looked_up_##name, &sc_shmem_functions.name, NULL)
#include "extensions/agents/shmem/shmem.def"

static const struct sc_wrapper wrappers[] = {
#define SHMEM(name, count, way, ...) SC_WRAPPER(shmem, name, called_##name, looked_up_##name)
#include "extensions/agents/shmem/shmem.def"
};

const struct sc_wrappers sc_shmem_wrappers = SC_WRAPPERS("nvshmem", sc_shmem_table, wrappers);
