/* Agents: what the core asks about their functions, and tells them. */
#include "extensions/agents/agent.h"
#include "extensions/agents/mpi/row.h"
#include "extensions/agents/nixl/nixl.h"
#include "extensions/agents/operands/function.h"
#include "extensions/agents/operands/plans.h"
#include "extensions/agents/shmem/row.h"
#include "extensions/agents/ucx/row.h"

const struct sc_functions *sc_agent_table(unsigned i)
{
	static const struct sc_functions *const tables[] = {&sc_operand_table, &sc_mpi_table,
							    &sc_pmpi_table,    &sc_ucx_table,
							    &sc_nixl_table,    &sc_shmem_table};

	return i < sizeof(tables) / sizeof(*tables) ? tables[i] : NULL;
}

void sc_agent_plan_ended(int plan)
{
	sc_plans_forget(plan);
}
