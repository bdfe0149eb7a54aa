/* Agents: the wrapper of a function that a program looks up. */
#include "extensions/agents/agent.h"
#include "extensions/agents/wrap.h"

void *sc_agent_wrapper(enum sc_library_row row)
{
	static void *(*const ways[])(enum sc_library_row row) = {
		sc_blas_wrapper,	 sc_matmul_wrapper,    sc_collective_wrapper,
		sc_communicator_wrapper, sc_transform_wrapper, sc_random_wrapper,
		sc_dnn_wrapper,		 sc_sparse_wrapper,    sc_solver_wrapper,
		sc_shmem_wrapper,
	};
	void *wrapper = NULL;

	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways) && !wrapper; i++)
		wrapper = ways[i](row);
	return wrapper;
}
