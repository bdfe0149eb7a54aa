/* Agents: libraries that move data or start work beside a program's own calls of CUDA, and whose
 * functions say which bytes: MPI, UCX, NIXL, NVSHMEM, NCCL, NVIDIA's libraries of mathematics.
 *
 * The core includes this header and agent.def, nothing else of the extension, and is whole without
 * it (-DSC_AGENTS=OFF): what these libraries do to CUDA is then seen, but not which function did
 * it.
 */
#ifndef SC_EXTENSIONS_AGENTS_AGENT_H
#define SC_EXTENSIONS_AGENTS_AGENT_H

#include <stddef.h>
#include "interposer/library/library.h"

#if SC_AGENTS
/* The function of a row as a reader knows it, if that is not its symbol; else NULL. */
const char *sc_agent_plain_name(enum sc_library_row row);
/* A plan's number may be another plan's from now on. */
void sc_agent_plan_ended(int plan);
/* What a program that looks the function of this row up gets instead; NULL: the function itself. */
void *sc_agent_wrapper(enum sc_library_row row);
#else
static inline const char *sc_agent_plain_name(enum sc_library_row row)
{
	(void)row;
	return NULL;
}

static inline void sc_agent_plan_ended(int plan)
{
	(void)plan;
}

static inline void *sc_agent_wrapper(enum sc_library_row row)
{
	(void)row;
	return NULL;
}
#endif

#endif
