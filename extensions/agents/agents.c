/* Agents: what the core asks about a function, and tells them. */
#include "extensions/agents/agent.h"
#include "extensions/agents/operands/plans.h"

static const char *const methods[] = {
#define NIXL_CALL(id, symbol, parameters, way, ...) "nixlAgent::" #id,
#include "extensions/agents/nixl/nixl.def"
};

const char *sc_agent_plain_name(enum sc_library_row row)
{
	unsigned number = row - SC_LIBRARY_FIRST_NIXL;

	return number < sizeof(methods) / sizeof(*methods) ? methods[number] : NULL;
}

void sc_agent_plan_ended(int plan)
{
	sc_plans_forget(plan);
}
