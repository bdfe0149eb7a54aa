/* Advice: what is correct, but slow or redundant. */
#pragma once

#include "analyzer/model/model.h"

/* SC-318: a copy of pool memory by a function that does not know the pool's context. */
void sc_advice_check_pool_copy(struct sc_analysis *a, const struct sc_step *step);
