/* Answers for the public names that the simulated device cannot serve. */
#include "simulator/runtime/unsupported.h"

#include <stdio.h>

#include "simulator/runtime/entry.h"

int rt_unsupported(const char *name, atomic_flag *is_named)
{
	struct rt_entry entry = rt_enter(RT_LEGACY, RT_NOTHING);

	if (!atomic_flag_test_and_set_explicit(is_named, memory_order_relaxed))
		fprintf(stderr, "simulator: %s is not supported by the simulated runtime\n", name);
	if (!entry.error)
		entry.error = cudaErrorNotSupported;
	return (int)rt_leave(&entry);
}
