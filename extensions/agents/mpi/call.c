/* Calls: what every operation begins with. */
#include "extensions/agents/mpi/call.h"

struct sc_mpi_beginning sc_mpi_call_beginning(const struct sc_mpi_call *c,
					      const struct sc_mpi_accesses *list,
					      const struct sc_mpi_message *message)
{
	return (struct sc_mpi_beginning){.is_kept = c->row->way != SC_MPI_BLOCKS,
					 .ability = sc_mpi_agent_ability(c->library, list),
					 .message = message,
					 .frame = c->of.frame};
}

struct sc_mpi_flight sc_mpi_call_begin(const struct sc_mpi_call *c,
				       const struct sc_mpi_accesses *list,
				       const struct sc_mpi_message *message)
{
	struct sc_mpi_beginning beginning;
	struct sc_mpi_flight flight;

	sc_self.busy++;
	beginning = sc_mpi_call_beginning(c, list, message);
	flight = sc_mpi_agent_begin_in(&beginning, c->of.function, list);
	sc_self.busy--;
	return flight;
}

void sc_mpi_call_describe(const struct sc_mpi_call *c, struct sc_mpi_accesses *out)
{
	sc_self.busy++;
	sc_mpi_describe(c->library, c->row, c->of.parameter, out);
	sc_self.busy--;
}
