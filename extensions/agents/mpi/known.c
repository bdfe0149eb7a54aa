/* Known calls: a table of a thread, by parameters. */
#include "extensions/agents/mpi/known.h"

#include <string.h>
#include "interposer/core/arena.h"
#include "interposer/core/thread.h"
#include "extensions/agents/mpi/group.h"
#include "interposer/object/memory.h"
#include "interposer/python/python.h"
#include "interposer/stack/recent.h"
#include "interposer/stack/stack.h"
#include "interposer/core/module.h"

#define PLACES	   256
#define PLACE_BITS 8
#define COMPARED   6 /* parameters: buffer, count, type, rank, tag, communicator */

struct sc_mpi_known {
	const struct sc_mpi_row *row; /* NULL: empty */
	struct sc_mpi_known_state state;
	uint64_t parameter[COMPARED];
	struct sc_op op;
	struct sc_access access;
	struct sc_recent_mark stack;
};

struct sc_known_thread {
	struct sc_mpi_known *places; /* owned, made on first use */
};

SC_THREAD_STATE(known)

/* One buffer that one other process sends or gets. */
static bool is_message(const struct sc_mpi_row *row)
{
	const struct sc_mpi_use *use = row->use;
	bool is_sent = use[SC_MPI_SENT].peer, is_received = use[SC_MPI_RECEIVED].peer;

	return is_sent != is_received && !row->group && !row->window &&
	       use[is_sent ? SC_MPI_SENT : SC_MPI_RECEIVED].shape == SC_MPI_ONE &&
	       row->parameters <= COMPARED + 1;
}

static struct sc_mpi_known *place_of(const struct sc_mpi_call *c)
{
	const uint64_t *p = c->of.parameter;
	uint64_t word = p[0] ^ p[3] << 40 ^ p[4] << 24 ^ p[1] << 12 ^ p[5] << 5 ^
			(uint64_t)c->of.function >> 4 << 56;

	return &sc_known_thread()->places[word * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PLACE_BITS)];
}

struct sc_mpi_known_state sc_mpi_known_now(void)
{
	/* acquire: pairs with the release in write_end, object/memory.c */
	return (struct sc_mpi_known_state){
		.memory = atomic_load_explicit(&sc_memory.version, memory_order_acquire),
		.groups = sc_mpi_group_changes()};
}

static bool is_same(struct sc_mpi_known_state a, struct sc_mpi_known_state b)
{
	return a.memory == b.memory && a.groups == b.groups;
}

/* Most calls with the same parameters are from the same place. */
static uint32_t stack_of(struct sc_mpi_known *k, const void *frame)
{
	struct sc_stack stack;

	if (sc_recent_is_marked(&k->stack, frame))
		return sc_python_stack_of_access(k->stack.stack);
	stack = sc_stack_of_call(frame);
	sc_recent_mark(&k->stack, frame);
	return sc_python_stack_of_access(stack.id);
}

bool sc_mpi_known_begin(const struct sc_mpi_call *c, struct sc_mpi_flight *flight)
{
	struct sc_mpi_known *k;

	if (!sc_known_thread()->places || !is_message(c->row))
		return false;
	k = place_of(c);
	if (k->row != c->row || memcmp(k->parameter, c->of.parameter, sizeof(k->parameter)) != 0 ||
	    !is_same(k->state, sc_mpi_known_now()))
		return false;
	sc_self.busy++;
	k->op.stack = stack_of(k, c->of.frame);
	*flight = sc_mpi_agent_write(&k->op, &k->access, 1, c->row->way != SC_MPI_BLOCKS);
	sc_self.busy--;
	flight->message[0] = flight->sequence + 1; /* SC_NOT_WRITTEN: 0 */
	return true;
}

/* True if what is said of the buffer is what the table of allocations says, not the driver. */
static bool is_in_table(const struct sc_mpi_call *c)
{
	struct sc_known_allocation a;

	return sc_memory_look_up(&sc_memory, c->of.parameter[0], &a);
}

void sc_mpi_known_keep(const struct sc_mpi_call *c, struct sc_mpi_known_state since,
		       const struct sc_mpi_accesses *list, const struct sc_mpi_message *message)
{
	struct sc_mpi_beginning beginning;
	struct sc_mpi_known *k;

	if (!message || list->count != 1 || !is_message(c->row) ||
	    !sc_mpi_type_is_simple(c->library, c->of.parameter[2]))
		return;
	sc_self.busy++;
	if (!sc_known_thread()->places)
		sc_known_thread()->places = sc_arena_take(SC_ARENA_MPI, PLACES * sizeof(*k));
	if (sc_known_thread()->places && is_in_table(c)) {
		k = place_of(c);
		k->row = NULL;
		beginning = sc_mpi_call_beginning(c, list, message);
		k->op = sc_mpi_agent_op(&beginning, c->of.function, list);
		k->access = list->item[0];
		k->stack.frame = NULL;
		memcpy(k->parameter, c->of.parameter, sizeof(k->parameter));
		k->state = since;
		if (is_same(since, sc_mpi_known_now()))
			k->row = c->row;
	}
	sc_self.busy--;
}

static void give_back(void)
{
	SC_ARENA_GIVE(MPI, sc_known_thread()->places);
}

const struct sc_module sc_module_known = {.thread_end = give_back};
