/* Whether two functions of the same name, in two texts, are the same code. */
#pragma once

#include <stdbool.h>
#include "ptx/module.h"

/* True only if nothing but the lines differs, and neither calls a function: what is called might
 * not be the same. A variable of the module counts as the same by its name, size and space. */
bool sc_ptx_is_same(const struct sc_ptx *m, const struct sc_function *f, const struct sc_ptx *n,
		    const struct sc_function *g);
