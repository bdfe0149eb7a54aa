/* The wrappers of UCX's functions (ucx.def): each hands its parameters on as whole registers. */
#include <stddef.h>
#include "extensions/agents/words.h"
#include "extensions/agents/wrap.h"
#include "extensions/agents/ucx/ucx.h"

#define UCX_CALL(name, count, way, ...) \
	WORDS_WRAPPER(called_##name, W, count, sc_ucx_call, &sc_ucx_functions.name)
#include "extensions/agents/ucx/ucx.def"

static const struct sc_wrapper wrappers[] = {
#define UCX_CALL(name, count, way, ...) SC_WRAPPER(ucx, name, called_##name, NULL)
#include "extensions/agents/ucx/ucx.def"
};

const struct sc_wrappers sc_ucx_wrappers = SC_WRAPPERS("ucp_", sc_ucx_table, wrappers);
