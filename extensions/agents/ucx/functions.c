/* The wrappers of UCX's functions (ucx.def): each hands its parameters on as whole registers. */
#include "extensions/agents/words.h"
#include "extensions/agents/wrap.h"
#include "extensions/agents/ucx/ucx.h"

#define UCX_CALL(name, count, way, ...) \
	WORDS_WRAPPER(called_##name, W, count, sc_ucx_call, SC_LIBRARY_ROW_ucp_##name)
#include "extensions/agents/ucx/ucx.def"

static const struct sc_wrapper wrappers[] = {
#define UCX_CALL(name, count, way, ...) SC_WRAPPER_CALLED(ucp_##name, "ucp_" #name, called_##name)
#include "extensions/agents/ucx/ucx.def"
};

const struct sc_wrappers sc_ucx_wrappers = SC_WRAPPERS("ucp_", wrappers);
