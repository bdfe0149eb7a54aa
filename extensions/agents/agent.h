/* Agents: libraries that move data or start work beside a program's own calls of CUDA, and whose
 * functions say which bytes: MPI, UCX, NIXL, NVSHMEM, NCCL, NVIDIA's libraries of mathematics.
 *
 * The core includes this header and agent.def, nothing else of the extension, and is whole without
 * it (-DSC_AGENTS=OFF): what these libraries do to CUDA is then seen, but not which function did
 * it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "interposer/library/function.h"

#if SC_AGENTS
/* A plan's number may be another plan's from now on. */
void sc_agent_plan_ended(int plan);
/* The i-th table of functions that are found by their names; NULL: there are fewer. */
const struct sc_functions *sc_agent_table(unsigned i);
/* The function of this name, and its wrapper. */
struct sc_named_function sc_agent_function(const char *name);
/* What a call of the function of this name goes to, where it was not looked up by its library's
 * handle; NULL: the function itself. */
void *sc_agent_called(const char *name);
/* False if that is NULL: by the first letters of the libraries' names. Most names are of C++. */
static inline bool sc_agent_may_be(const char *name)
{
	if (name[0] == '_' && name[1] == 'Z' && name[2] == 'N') {
		name += name[3] == 'K' ? 4 : 3;
		return name[0] == '9' && name[1] == 'n';
	}
	switch (name[0]) {
	case 'M': return name[1] == 'P' && name[2] == 'I';
	case 'P': return name[1] == 'M' && name[2] == 'P';
	case 'u': return name[1] == 'c' && name[2] == 'p';
	case 'n': return name[1] == 'c' || name[1] == 'v';
	case 'c': return name[1] == 'u' && strchr("bdfrs", name[2]); /* or the name ends */
	default: return false;
	}
}
#else
static inline void sc_agent_plan_ended(int plan)
{
	(void)plan;
}

static inline const struct sc_functions *sc_agent_table(unsigned i)
{
	(void)i;
	return NULL;
}

static inline struct sc_named_function sc_agent_function(const char *name)
{
	(void)name;
	return (struct sc_named_function){NULL, NULL};
}

static inline void *sc_agent_called(const char *name)
{
	(void)name;
	return NULL;
}

static inline bool sc_agent_may_be(const char *name)
{
	(void)name;
	return false;
}
#endif
