/* The rows of shmem.def as data. */
#include "extensions/agents/shmem/row.h"

static const struct sc_shmem_row rows[] = {
#define SHMEM(name, count_of, its_way, ...) \
	{.way = SC_SHMEM_##its_way, .parameters = (count_of), __VA_ARGS__},
#include "extensions/agents/shmem/shmem.def"
};

struct sc_shmem_functions sc_shmem_functions;

static const struct {
#define SHMEM(name, count, way, ...) SC_NAME_MEMBER(name, #name)
#include "extensions/agents/shmem/shmem.def"
} names = {
#define SHMEM(name, count, way, ...) SC_NAME(name, #name)
#include "extensions/agents/shmem/shmem.def"
};

const struct sc_functions sc_shmem_table = {SC_FUNCTIONS(sc_shmem_functions, names)};

const struct sc_shmem_row *sc_shmem_row(const struct sc_library_function *function)
{
	return &rows[function - sc_shmem_table.list];
}
