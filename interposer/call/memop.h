/* Memory operations of streams and of nodes: what both read alike. */
#pragma once

#include <stdint.h>
#include "interposer/driver/cuda.h"

/* Bytes of the word that an atomic reduction changes. */
static inline uint64_t sc_memop_reduced_bytes(const CUstreamBatchMemOpParams *entry)
{
	return entry->atomicReduction.dataType == CU_STREAM_ATOMIC_REDUCTION_UNSIGNED_64
		       ? sizeof(uint64_t)
		       : sizeof(uint32_t);
}
