/* Agents: the wrappers of functions. */
#include <stddef.h>
#include "extensions/agents/agent.h"
#include "extensions/agents/wrap.h"

static const struct sc_wrapper *find(const struct sc_wrappers *w, const char *name, size_t length)
{
	for (unsigned i = 0; i < w->count; i++)
		if (w->list[i].length == length && !strcmp(sc_library_name(w->list[i].row), name))
			return &w->list[i];
	return NULL;
}

static const struct sc_wrapper *find_in_all(const char *name)
{
	static const struct sc_wrappers *const all[] = {
		&sc_blas_wrappers,	   &sc_matmul_wrappers,	   &sc_collective_wrappers,
		&sc_communicator_wrappers, &sc_transform_wrappers, &sc_random_wrappers,
		&sc_dnn_wrappers,	   &sc_sparse_wrappers,	   &sc_solver_wrappers,
		&sc_mpi_wrappers,	   &sc_pmpi_wrappers,	   &sc_ucx_wrappers,
		&sc_nixl_wrappers,	   &sc_shmem_wrappers,
	};
	const struct sc_wrapper *found = NULL;
	size_t length = strlen(name);

	for (unsigned i = 0; i < sizeof(all) / sizeof(*all) && !found; i++)
		if (!strncmp(name, all[i]->prefix, strlen(all[i]->prefix)))
			found = find(all[i], name, length);
	return found;
}

void *sc_agent_wrapper(enum sc_library_row row)
{
	const struct sc_wrapper *w = find_in_all(sc_library_name(row));

	return w ? w->looked_up : NULL;
}

void *sc_agent_called(const char *name)
{
	const struct sc_wrapper *w = find_in_all(name);

	return w ? w->called : NULL;
}
