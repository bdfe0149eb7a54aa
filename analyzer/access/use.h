/* Uses: bytes of one allocation that an op reads or writes. */
#pragma once

#include <stdbool.h>
#include "analyzer/memory/memory.h"
#include "base/vector.h"

struct sc_use {
	struct sc_allocation *allocation; /* borrowed */
	struct sc_span *span;		  /* borrowed: where to look first, or NULL */
	struct sc_access shape;		  /* simplified, canonical addresses; mode and known */
	bool is_host;			  /* by host code, not by the device */
	bool is_strong;			  /* by accesses of a kernel that the host answers (M-4) */
	bool is_quiet;			  /* by plain accesses only, as its code says */
	bool is_swap;			  /* atomic, by comparison: checks what was read before */
	uint8_t reason;			  /* enum sc_footprint_reason: why its shape is not exact */
	uint8_t early;			  /* enum sc_footprint_early */
	bool is_unpatched;		  /* recordings on a GPU do not see it */
};

typedef SC_VECTOR(struct sc_use) sc_uses;
