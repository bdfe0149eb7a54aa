/* The rows of ucx.def as data. */
#include "extensions/agents/ucx/row.h"

#define BUFFER(its_mode, its_at, its_count) .mode = (its_mode), .at = (its_at), .count = (its_count)
#define SENDS(at, count)		    BUFFER(SC_READ, at, count)
#define RECEIVES(at, count)		    BUFFER(SC_WRITE, at, count)

static const struct sc_ucx_row rows[] = {
#define UCX_CALL(name, count, its_way, ...) \
	{.way = SC_UCX_##its_way, .parameters = (count), __VA_ARGS__},
#include "extensions/agents/ucx/ucx.def"
};

struct sc_ucx_functions sc_ucx_functions;

static const struct {
#define UCX_CALL(name, count, way, ...) SC_NAME_MEMBER(name, "ucp_" #name)
#include "extensions/agents/ucx/ucx.def"
} names = {
#define UCX_CALL(name, count, way, ...) SC_NAME(name, "ucp_" #name)
#include "extensions/agents/ucx/ucx.def"
};

const struct sc_functions sc_ucx_table = {SC_FUNCTIONS(sc_ucx_functions, names)};

const struct sc_ucx_row *sc_ucx_row(const struct sc_library_function *function)
{
	return &rows[function - sc_ucx_table.list];
}
