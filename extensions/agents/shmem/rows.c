/* The rows of shmem.def as data. */
#include "extensions/agents/shmem/shmem.h"

static const struct sc_shmem_row rows[] = {
#define SHMEM(name, count_of, its_way, ...)                  \
	[SC_LIBRARY_ROW_##name - SC_LIBRARY_FIRST_SHMEM] = { \
		.way = SC_SHMEM_##its_way, .parameters = (count_of), __VA_ARGS__},
#include "extensions/agents/shmem/shmem.def"
};

const struct sc_shmem_row *sc_shmem_row(enum sc_library_row row)
{
	return &rows[row - SC_LIBRARY_FIRST_SHMEM];
}
