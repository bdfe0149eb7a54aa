/* The wrappers of NIXL's functions (nixl.def): each hands its parameters on as whole words. */
#include "extensions/agents/words.h"
#include "extensions/agents/nixl/nixl.h"

#define EXPORT __attribute__((visibility("default")))

#define NIXL_CALL(id, symbol, count, way, ...)                                                   \
	EXPORT W sc_nixl_##id(P##count) __asm__(symbol);                                         \
	EXPORT W sc_nixl_##id(P##count)                                                          \
	{                                                                                        \
		return sc_nixl_call(SC_LIBRARY_ROW_nixl_##id, (W[SC_NIXL_PARAMETERS]){A##count}, \
				    __builtin_return_address(0));                                \
	}
#include "extensions/agents/nixl/nixl.def"
