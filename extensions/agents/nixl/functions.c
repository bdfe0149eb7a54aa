/* The wrappers of NIXL's functions (nixl.def): each hands its parameters on as whole words. */
#include <stddef.h>
#include "extensions/agents/words.h"
#include "extensions/agents/wrap.h"
#include "extensions/agents/nixl/nixl.h"

#define NIXL_CALL(id, symbol, count, way, ...) \
	WORDS_WRAPPER(called_##id, W, count, sc_nixl_call, &sc_nixl_functions.id)
#include "extensions/agents/nixl/nixl.def"

static const struct sc_wrapper wrappers[] = {
#define NIXL_CALL(id, symbol, count, way, ...) SC_WRAPPER(nixl, id, called_##id, NULL)
#include "extensions/agents/nixl/nixl.def"
};

const struct sc_wrappers sc_nixl_wrappers = SC_WRAPPERS("_ZN", sc_nixl_table, wrappers);
