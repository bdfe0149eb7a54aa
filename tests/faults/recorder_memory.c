/* Memory of the recorder that is not there: the linker puts these in the place of the recorder's
 * functions, in a library of the same objects as the one that is shipped. */
#include "interposer/core/arena.h"
#include "interposer/core/slab.h"
#include "tests/faults/fault.h"

extern const char __ehdr_start[] __attribute__((visibility("hidden")));

static struct fault *fault;
static bool is_open;

static bool is_due(const void *caller)
{
	if (!is_open)
		fault = fault_open();
	is_open = true;
	return fault_is_due(fault, (uint64_t)((const char *)caller - __ehdr_start));
}

#define IS_DUE() is_due(__builtin_return_address(0))

/* As it is refused where nothing is left. */
void *__real_sc_arena_get(size_t bytes);
#define REFUSED __real_sc_arena_get(SIZE_MAX)

/* One row for each: the function's type, name, parameters, and what it is called with. */
#define ROWS(ROW)                                                                  \
	ROW(sc_arena_get, (size_t bytes), (bytes))                                 \
	ROW(sc_arena_take, (enum sc_arena_kind kind, size_t bytes), (kind, bytes)) \
	ROW(sc_slab_get, (enum sc_slab_kind kind, size_t bytes), (kind, bytes))    \
	ROW(malloc, (size_t bytes), (bytes))                                       \
	ROW(calloc, (size_t count, size_t bytes), (count, bytes))

#define WRAP(name, parameters, arguments)                            \
	void *__real_##name parameters;                              \
	void *__wrap_##name parameters;                              \
	void *__wrap_##name parameters                               \
	{                                                            \
		return IS_DUE() ? REFUSED : __real_##name arguments; \
	}

ROWS(WRAP)
