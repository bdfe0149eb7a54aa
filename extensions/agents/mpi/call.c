/* Calls: the real function, and what every operation begins with. */
#include "extensions/agents/mpi/call.h"

#include <errno.h>
#include "interposer/core/thread.h"

typedef uint64_t word;

int sc_mpi_invoke(const struct sc_mpi_call *c)
{
	const word *p = c->parameter;

#define REAL(...) ((int (*)(__VA_ARGS__))c->real)
	switch (c->row->parameters) {
	case 0: return REAL(void)();
	case 1: return REAL(word)(p[0]);
	case 2: return REAL(word, word)(p[0], p[1]);
	case 3: return REAL(word, word, word)(p[0], p[1], p[2]);
	case 4: return REAL(word, word, word, word)(p[0], p[1], p[2], p[3]);
	case 5: return REAL(word, word, word, word, word)(p[0], p[1], p[2], p[3], p[4]);
	case 6: return REAL(word, word, word, word, word, word)(p[0], p[1], p[2], p[3], p[4], p[5]);
	case 7:
		return REAL(word, word, word, word, word, word, word)(p[0], p[1], p[2], p[3], p[4],
								      p[5], p[6]);
	case 8:
		return REAL(word, word, word, word, word, word, word, word)(p[0], p[1], p[2], p[3],
									    p[4], p[5], p[6], p[7]);
	case 9:
		return REAL(word, word, word, word, word, word, word, word,
			    word)(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]);
	case 10:
		return REAL(word, word, word, word, word, word, word, word, word,
			    word)(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9]);
	case 11:
		return REAL(word, word, word, word, word, word, word, word, word, word, word)(
			p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10]);
	case 12:
		return REAL(word, word, word, word, word, word, word, word, word, word, word, word)(
			p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11]);
	default:
		return REAL(word, word, word, word, word, word, word, word, word, word, word, word,
			    word)(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10],
				  p[11], p[12]);
	}
#undef REAL
}

int sc_mpi_call_real(const struct sc_mpi_call *c, int *error)
{
	int status;

	sc_thread_enter(c->frame);
	errno = *error;
	status = sc_mpi_invoke(c);
	*error = errno;
	sc_thread_leave();
	return status;
}

struct sc_mpi_beginning sc_mpi_call_beginning(const struct sc_mpi_call *c,
					      const struct sc_mpi_accesses *list,
					      const struct sc_mpi_message *message)
{
	return (struct sc_mpi_beginning){.is_kept = c->row->way != SC_MPI_BLOCKS,
					 .ability = sc_mpi_agent_ability(c->library, list),
					 .message = message,
					 .frame = c->frame};
}

struct sc_mpi_flight sc_mpi_call_begin(const struct sc_mpi_call *c,
				       const struct sc_mpi_accesses *list,
				       const struct sc_mpi_message *message)
{
	struct sc_mpi_beginning beginning;
	struct sc_mpi_flight flight;

	sc_self.busy++;
	beginning = sc_mpi_call_beginning(c, list, message);
	flight = sc_mpi_agent_begin_in(&beginning, c->number, list);
	sc_self.busy--;
	return flight;
}

void sc_mpi_call_describe(const struct sc_mpi_call *c, struct sc_mpi_accesses *out)
{
	sc_self.busy++;
	sc_mpi_describe(c->library, c->row, c->parameter, out);
	sc_self.busy--;
}
