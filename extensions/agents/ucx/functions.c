/* The wrappers of UCX's functions (ucx.def): each hands its parameters on as whole registers. */
#include "extensions/agents/words.h"
#include "extensions/agents/ucx/ucx.h"

#define EXPORT __attribute__((visibility("default")))

#define UCX_CALL(name, count, way, ...)                                                         \
	EXPORT W ucp_##name(P##count);                                                          \
	EXPORT W ucp_##name(P##count)                                                           \
	{                                                                                       \
		return sc_ucx_call(SC_LIBRARY_ROW_ucp_##name, (W[SC_UCX_PARAMETERS]){A##count}, \
				   __builtin_return_address(0));                                \
	}
#include "extensions/agents/ucx/ucx.def"
