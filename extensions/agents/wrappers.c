/* Agents: the wrappers of functions. */
#include <stddef.h>
#include "extensions/agents/agent.h"
#include "extensions/agents/wrap.h"

struct sc_named_function sc_agent_function(const char *name)
{
	static const struct sc_wrappers *const lists[] = {
		&sc_blas_wrappers,	   &sc_matmul_wrappers,	   &sc_collective_wrappers,
		&sc_communicator_wrappers, &sc_transform_wrappers, &sc_random_wrappers,
		&sc_dnn_wrappers,	   &sc_sparse_wrappers,	   &sc_solver_wrappers,
		&sc_mpi_wrappers,	   &sc_pmpi_wrappers,	   &sc_ucx_wrappers,
		&sc_nixl_wrappers,	   &sc_shmem_wrappers,
	};
	struct sc_named_function found = {NULL, NULL};

	for (unsigned i = 0; i < sizeof(lists) / sizeof(*lists) && !found.wrapper; i++)
		if (!strncmp(name, lists[i]->prefix, strlen(lists[i]->prefix)) &&
		    (found.function = sc_functions_find(lists[i]->of, name)) != NULL)
			found.wrapper = sc_wrappers_find(lists[i], found.function);
	return found;
}

void *sc_agent_called(const char *name)
{
	struct sc_named_function found = sc_agent_function(name);

	return found.wrapper ? found.wrapper->called : NULL;
}
