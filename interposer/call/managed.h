/* Managed memory that is prefetched or discarded in batches (M-6, M-8). */
#pragma once

#include "interposer/call/call.h"

/* HAND functions: attach the ranges; a single one is the op's own. */
void sc_managed_prefetch(struct sc_call *call);
void sc_managed_discard(struct sc_call *call);
void sc_managed_discard_and_prefetch(struct sc_call *call);
