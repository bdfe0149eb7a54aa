/* Names: every function that agents follow is found by its name, and passes by its first letters.
 */
#include "tests/unit/unit.h"
#include "extensions/agents/agent.h"

TEST(all_may_be)
{
	static const char *const names[] = {
#define FUNCTION(name) #name,
#include "extensions/agents/operands/function.def"
#define MPI_CALL(name, ...) "MPI_" #name, "PMPI_" #name,
#include "extensions/agents/mpi/mpi.def"
#define UCX_CALL(name, ...) "ucp_" #name,
#include "extensions/agents/ucx/ucx.def"
#define NIXL_CALL(id, symbol, ...) symbol,
#include "extensions/agents/nixl/nixl.def"
#define SHMEM(name, ...) #name,
#include "extensions/agents/shmem/shmem.def"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_true(sc_agent_may_be(names[i]));
}

TEST(others)
{
	static const char *const names[] = {
		"", "M", "c", "_", "_Z", "_ZN", "_ZNK", "_ZNSt3mapIiiE", "memcpy", "malloc", "uc"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_false(sc_agent_may_be(names[i]));
}
