/* Allocators: variables of the environment by which frameworks choose CUDA's. */
#include "cmds/run/allocators.h"

#include <stdlib.h>
#include <string.h>
#include "base/message.h"
#include "cmds/process/child.h"

/* PyTorch had the second name until 2.8, and warns of it where the first one is not set. */
static const struct {
	const char *name, *value;
} variables[] = {
	{"PYTORCH_ALLOC_CONF", "backend:cudaMallocAsync"},
	{"PYTORCH_CUDA_ALLOC_CONF", "backend:cudaMallocAsync"},
	{"XLA_PYTHON_CLIENT_ALLOCATOR", "cuda_async"},
	{"TF_GPU_ALLOCATOR", "cuda_malloc_async"},
};

void sc_allocators_show(void)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const char *old = getenv(variables[i].name);

		if (old && *old && strcmp(old, variables[i].value) != 0)
			sc_warn("option allocators: %s is %s, not %s", variables[i].name,
				variables[i].value, old);
		sc_child_set(variables[i].name, variables[i].value);
	}
}
