/* The rows of ucx.def as data. */
#include "extensions/agents/ucx/row.h"

#define BUFFER(its_mode, its_at, its_count) .mode = (its_mode), .at = (its_at), .count = (its_count)
#define SENDS(at, count)		    BUFFER(SC_READ, at, count)
#define RECEIVES(at, count)		    BUFFER(SC_WRITE, at, count)

static const struct sc_ucx_row rows[] = {
#define UCX_CALL(name, count, its_way, ...)                    \
	[SC_LIBRARY_ROW_ucp_##name - SC_LIBRARY_FIRST_UCX] = { \
		.way = SC_UCX_##its_way, .parameters = (count), __VA_ARGS__},
#include "extensions/agents/ucx/ucx.def"
};

const struct sc_ucx_row *sc_ucx_row(enum sc_library_row row)
{
	return &rows[row - SC_LIBRARY_FIRST_UCX];
}
