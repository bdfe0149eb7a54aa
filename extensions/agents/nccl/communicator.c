/* Communicators: a table by handle, and the messages in them. */
#include "extensions/agents/nccl/communicator.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "interposer/core/clock.h"
#include "interposer/core/lock.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/safe_read.h"
#include "interposer/core/session.h"
#include "interposer/core/slab.h"
#include "interposer/python/python.h"
#include "interposer/stack/stack.h"
#include "trace/message.h"

#define LISTS	     64
#define FAILED	     999
#define OF_SHRINKING (UINT64_C(1) << 32)
#define AT_ONCE	     64	       /* words that are read of the program's memory */
#define RANKS_MOST   (1 << 24) /* that a communicator has: a call with more is refused */

struct communicator {
	struct communicator *next;
	uint64_t handle;
	uint64_t name;
	uint64_t calls;	     /* that all ranks make, on the device */
	uint64_t host_calls; /* and in the host */
	uint64_t missed;     /* messages that were not recorded */
	uint32_t id, host;   /* of its groups; 0: not written yet */
	uint32_t rank, size; /* size 0: not asked yet */
	const void *ask[2];  /* or NULL */
	bool is_lost;	     /* nothing more is said of it */
};

/* Of this process. */
static struct {
	struct sc_lock lock;
	struct communicator *list[LISTS]; /* by handle */
	bool has_lost;
} communicators;

/* ---- names ---- */

static uint64_t mix(uint64_t name, uint64_t with)
{
	name = (name ^ with) * UINT64_C(0xbf58476d1ce4e5b9);
	name = (name ^ name >> 31) * UINT64_C(0x94d049bb133111eb);
	return name ^ name >> 29;
}

static struct communicator **find(uint64_t handle)
{
	struct communicator **link =
		&communicators.list[(handle * UINT64_C(0x9e3779b97f4a7c15)) >> 58];

	while (*link && (*link)->handle != handle)
		link = &(*link)->next;
	return link;
}

static bool ask_library(const void *const ask[2], uint64_t handle, int *size, int *rank)
{
	return !((int (*)(uint64_t, int *))ask[0])(handle, size) &&
	       !((int (*)(uint64_t, int *))ask[1])(handle, rank) && *rank >= 0 && *rank < *size;
}

/* NCCL may wait for other threads, so it is asked without the lock, which is held before and after.
 * Returns what the handle stands for then. */
static struct communicator *ask_rank(const struct communicator *c)
{
	const struct communicator asked = *c;
	struct communicator *now;
	int size, rank;
	bool is_known;

	sc_lock_put(&communicators.lock);
	is_known = ask_library(asked.ask, asked.handle, &size, &rank);
	sc_lock_get(&communicators.lock);
	now = *find(asked.handle);
	if (is_known && now && now->name == asked.name) {
		now->rank = (uint32_t)rank;
		now->size = (uint32_t)size;
	}
	return now;
}

/* Takes the lock. What the handle stands for, or NULL. */
static struct communicator *take(const void *handle)
{
	sc_lock_get(&communicators.lock);
	return *find((uint64_t)handle);
}

/* The same of a communicator that the program may use, so that NCCL answers: one that is not ready
 * yet would have it write a warning. With sc_self.busy raised, which keeps NCCL's own calls out. */
static struct communicator *take_ready(const void *handle)
{
	struct communicator *c = take(handle);

	return c && !c->size && c->ask[0] && c->ask[1] ? ask_rank(c) : c;
}

static uint32_t write_group(uint64_t name, uint32_t rank, uint32_t size, uint64_t missed,
			    enum sc_message_group kind)
{
	struct sc_op op = sc_put_new(SC_OP_GROUP);

	/* relaxed: only that it is nobody else's */
	op.object = atomic_fetch_add_explicit(&sc_session.object_ids, 1, memory_order_relaxed) + 1;
	op.value = kind;
	op.dst = name;
	op.src = missed;
	op.peer = rank + 1;
	op.bytes = size;
	return sc_put_op(&op, NULL, 0) == SC_NOT_WRITTEN ? 0 : op.object;
}

/* Has the process another rank in the group? */
static bool has_another(const struct communicator *c)
{
	for (unsigned i = 0; i < LISTS; i++)
		for (const struct communicator *x = communicators.list[i]; x; x = x->next)
			if (x != c && x->name == c->name && x->id)
				return true;
	return false;
}

static bool has_group(struct communicator *c)
{
	if (c->id || !c->size)
		return c->id != 0;
	c->id = write_group(c->name, c->rank, c->size, c->missed, SC_GROUP_NCCL);
	if (has_another(c))
		sc_put_mark(SC_MARK_SEVERAL_RANKS);
	return c->id != 0;
}

static uint32_t host_group(struct communicator *c)
{
	if (!c->host && c->size)
		c->host = write_group(mix(c->name, 1), c->rank, c->size, 0, SC_GROUP_NCCL_HOST);
	return c->host;
}

/* ---- messages ---- */

/* A record of the group that is nobody's to answer. With the lock held. */
static void say(struct communicator *c, struct sc_library_function *function, unsigned value)
{
	struct sc_op op;

	if (!sc_session_is_live() || !has_group(c))
		return;
	op = sc_put_new(SC_OP_MESSAGE);
	op.call = sc_function_string(function);
	op.value = value;
	op.object = c->id;
	sc_put_op(&op, NULL, 0);
}

/* The report says it once. */
static void say_missing(const struct communicator *c)
{
	if (communicators.has_lost || c->size < 2 || !sc_session_is_live())
		return;
	communicators.has_lost = true;
	sc_put_source("calls of a communicator of NCCL after one that was captured or failed",
		      false);
}

static void lose(struct communicator *c)
{
	if (c->is_lost)
		return;
	say(c, &sc_operand_functions.ncclGroupEnd, SC_MESSAGE_LOSE);
	c->is_lost = true;
	say_missing(c);
}

/* All ranks may call this one or that one of the two. */
static struct sc_library_function *name_of(struct sc_library_function *function)
{
	return function == &sc_operand_functions.ncclBcast ? &sc_operand_functions.ncclBroadcast
							   : function;
}

static uint64_t number_of(struct communicator *c, const struct sc_collective *call)
{
	return call->meets == SC_MESSAGE_COLLECTIVE ? ++c->calls : 1;
}

enum {
#define NCCL_REDUCTION(name, number) name = (number),
#include "trace/nccl.def"
	BUILT_IN = ncclNumOps
};

/* Whose data whom needs, by whose buffers are used. */
static enum sc_message_flow flow_of(const struct sc_collective *call)
{
	if (call->meets != SC_MESSAGE_COLLECTIVE)
		return SC_FLOW_NONE;
	if (call->sends == SC_SHARE_ROOT || call->sends == SC_SHARE_ROOT_EACH)
		return SC_FLOW_ONE_TO_ALL;
	return call->receives == SC_SHARE_ROOT || call->receives == SC_SHARE_ROOT_EACH
		       ? SC_FLOW_ALL_TO_ONE
		       : SC_FLOW_ALL_TO_ALL;
}

/* With the lock held, in the order of the numbers. */
static uint64_t write_call(struct communicator *c, const struct sc_communicator_call *k)
{
	const struct sc_collective *call = &k->call;
	struct sc_op op = sc_put_new(SC_OP_MESSAGE);
	uint32_t reduction =
		call->operation > 0 && call->operation <= BUILT_IN ? (uint32_t)call->operation : 0;
	uint64_t bytes;

	op.call = sc_function_string(name_of(call->function));
	op.result = SC_RESULT_PENDING;
	op.value = call->meets | sc_message_flow_bits(flow_of(call));
	op.object = c->id;
	op.src = number_of(c, call);
	op.peer = call->has_root ? (uint32_t)call->root + 1 : 0;
	op.dst = sc_message_way(reduction, (uint32_t)call->type + 1);
	op.stream = k->stream;
	op.stack = k->stack;
	if (sc_collective_size(call, &bytes))
		op.bytes = bytes;
	else
		op.value |= SC_MESSAGE_UNSIZED;
	return sc_put_op(&op, NULL, 0);
}

static void miss(struct communicator *c, const struct sc_collective *call)
{
	if (call->meets == SC_MESSAGE_COLLECTIVE)
		c->calls++;
	else
		c->missed++;
	if (c->id) /* the group is written, without them */
		lose(c);
}

uint64_t sc_communicator_put(const struct sc_communicator_call *k)
{
	uint64_t sequence = SC_NOT_WRITTEN;
	struct communicator *c;

	c = take_ready(k->communicator);
	if (c && !c->is_lost) {
		if (k->is_captured)
			lose(c);
		else if (!sc_session_is_live() || !has_group(c))
			miss(c, &k->call);
		else
			sequence = write_call(c, k);
	}
	sc_lock_put(&communicators.lock);
	return sequence;
}

void sc_communicator_returned(uint64_t sequence)
{
	struct sc_op op;

	if (sequence == SC_NOT_WRITTEN || !sc_session_is_live())
		return;
	op = sc_put_new(SC_OP_MESSAGE_END);
	op.link = sequence + 1;
	sc_put_op(&op, NULL, 0);
}

void sc_communicator_lose(const void *communicator)
{
	struct communicator *c;

	c = take(communicator);
	if (c)
		lose(c);
	sc_lock_put(&communicators.lock);
}

/* ---- communicators ---- */

/* Mixes words of the program's memory, which NCCL has not looked at yet; false if they are not
 * there. */
static bool mix_words(uint64_t *name, uint64_t from, uint64_t count, size_t bytes)
{
	struct sc_safe_read reading;
	uint8_t room[AT_ONCE * sizeof(uint64_t)];
	bool is_read = true;

	sc_safe_read_begin(&reading);
	for (uint64_t i = 0; i < count && is_read; i += AT_ONCE) {
		uint64_t some = count - i < AT_ONCE ? count - i : AT_ONCE;

		is_read = sc_safe_read_bytes(&reading, room, from + i * bytes, some * bytes);
		for (uint64_t k = 0; k < some && is_read; k++) {
			uint64_t word = 0;

			memcpy(&word, room + k * bytes, bytes);
			*name = mix(*name, word);
		}
	}
	sc_safe_read_end(&reading);
	return is_read;
}

/* Where the program makes the call. Not with the lock held: finding it may take the loader's. */
static uint32_t place_of_call(void)
{
	return sc_session_is_live() ? sc_python_stack_of_access(sc_stack_here().id) : 0;
}

/* A call in the host, which all ranks make. */
static uint64_t write_host_call(uint32_t group, struct sc_library_function *function,
				uint64_t number, uint32_t stack)
{
	struct sc_op op;

	if (!group)
		return SC_NOT_WRITTEN;
	op = sc_put_new(SC_OP_MESSAGE);
	op.call = sc_function_string(function);
	op.result = SC_RESULT_PENDING;
	op.value = SC_MESSAGE_COLLECTIVE | SC_MESSAGE_BLOCKS | SC_MESSAGE_UNSIZED;
	op.object = group;
	op.src = number;
	op.stack = stack;
	return sc_put_op(&op, NULL, 0);
}

struct sc_communicator_birth sc_communicator_make(void *const *place, int size, int rank,
						  const struct sc_nccl_id *ids, int count)
{
	struct sc_communicator_birth b = {.place = place, .calls = 1, .sequence = SC_NOT_WRITTEN};
	uint64_t words = sizeof(ids->word) / sizeof(*ids->word);
	int saved = errno;

	if (size < 1 || size > RANKS_MOST || rank < 0 || rank >= size || count < 1 ||
	    count > size) {
		b.place = NULL;
		return b;
	}
	b.rank = (uint32_t)rank;
	b.size = (uint32_t)size;
	sc_self.busy++;
	if (!mix_words(&b.name, (uint64_t)ids, words * (uint64_t)count, sizeof(*ids->word))) {
		b.place = NULL;
	} else if (sc_session_is_live()) {
		b.host = write_group(mix(b.name, 1), b.rank, b.size, 0, SC_GROUP_NCCL_HOST);
		b.sequence = write_host_call(b.host, &sc_operand_functions.ncclCommInitRank, 1,
					     place_of_call());
	}
	sc_self.busy--;
	errno = saved;
	return b;
}

/* What the library answers about its communicators; those of one process are of one library. */
static void find_questions(struct sc_communicator_birth *b, struct sc_library_function *function,
			   void *real)
{
	static const char *const names[SC_BESIDE] = {"ncclCommCount", "ncclCommUserRank"};
	const struct sc_beside *beside = sc_function_beside(function, real, names);

	for (unsigned i = 0; i < 2 && beside; i++)
		b->ask[i] = beside->function[i];
}

struct sc_communicator_birth sc_communicator_split(const void *of, int color, void *const *place,
						   void *real)
{
	struct sc_communicator_birth b = {.place = place, .calls = 1, .sequence = SC_NOT_WRITTEN};
	struct communicator *c;
	int saved = errno;
	uint32_t stack;

	find_questions(&b, &sc_operand_functions.ncclCommSplit, real);
	sc_self.busy++;
	stack = place_of_call();
	c = take_ready(of);
	if (c) {
		c->host_calls++;
		b.name = mix(mix(c->name, c->host_calls), (uint32_t)color);
		if (sc_session_is_live())
			b.sequence =
				write_host_call(host_group(c), &sc_operand_functions.ncclCommSplit,
						c->host_calls, stack);
	}
	sc_lock_put(&communicators.lock);
	sc_self.busy--;
	errno = saved;
	return b;
}

/* Those that are left out make no call: it is not counted among the others. */
struct sc_communicator_birth sc_communicator_shrink(const void *of, const int *without, int count,
						    void *const *place, void *real)
{
	struct sc_communicator_birth b = {.place = place, .calls = 1, .sequence = SC_NOT_WRITTEN};
	struct communicator *c;
	int saved = errno;

	find_questions(&b, &sc_operand_functions.ncclCommShrink, real);
	sc_self.busy++;
	c = take_ready(of);
	if (c)
		b.name = mix(mix(c->name, OF_SHRINKING), c->host_calls);
	sc_lock_put(&communicators.lock);
	if (b.name && (count < 1 || count > RANKS_MOST ||
		       !mix_words(&b.name, (uint64_t)without, (uint64_t)count, sizeof(*without))))
		b.name = 0;
	sc_self.busy--;
	errno = saved;
	return b;
}

/* With the lock held. What the handle stood for before is gone. */
static void add(uint64_t handle, const struct sc_communicator_birth *b)
{
	struct communicator **link = find(handle), *next = *link ? (*link)->next : NULL;
	struct communicator *c = *link ? *link : sc_slab_get(SC_SLAB_COMMUNICATOR, sizeof(*c));

	if (!c)
		return;
	*c = (struct communicator){.next = next,
				   .handle = handle,
				   .name = b->name,
				   .host_calls = b->calls,
				   .host = b->host,
				   .rank = b->rank,
				   .size = b->size,
				   .ask = {b->ask[0], b->ask[1]}};
	*link = c;
}

/* Of a call in a group: the program may have moved meanwhile what the handle was written to. */
static const void *read_handle(void *const *place)
{
	struct sc_safe_read reading;
	const void *handle = NULL;

	sc_safe_read_begin(&reading);
	if (!sc_safe_read_bytes(&reading, &handle, (uint64_t)place, sizeof(handle)))
		handle = NULL;
	sc_safe_read_end(&reading);
	return handle;
}

void sc_communicator_born(const struct sc_communicator_birth *b, int status)
{
	bool has_worked = sc_communicator_has_worked(status);
	struct communicator *c;
	const void *handle;
	int saved = errno;

	sc_self.busy++;
	sc_put_result(b->sequence, has_worked ? 0 : FAILED);
	handle = has_worked && b->place && b->name ? read_handle(b->place) : NULL;
	if (handle) {
		sc_lock_get(&communicators.lock);
		add((uint64_t)handle, b);
		sc_lock_put(&communicators.lock);
		c = status ? take(handle) : take_ready(handle);
		if (c && sc_session_is_live())
			has_group(c);
		sc_lock_put(&communicators.lock);
	}
	sc_self.busy--;
	errno = saved;
}

/* Nobody else knows them: any name is good that no other process makes. */
void sc_communicator_born_together(void *const *places, int count)
{
	static atomic_uint made;
	struct sc_communicator_birth b = {.calls = 1, .sequence = SC_NOT_WRITTEN};

	b.name = mix(mix((uint64_t)getpid(), sc_clock_now()), atomic_fetch_add(&made, 1) + 1u);
	b.size = count > 0 ? (uint32_t)count : 0;
	for (int i = 0; i < count; i++) {
		b.rank = (uint32_t)i;
		b.place = &places[i];
		sc_communicator_born(&b, 0);
	}
}

void sc_communicator_part(struct sc_library_function *function, const void *communicator,
			  unsigned flags, bool is_freed)
{
	struct communicator *c;
	int saved = errno;

	sc_self.busy++;
	c = flags ? take(communicator) : take_ready(communicator);
	if (c && !c->is_lost)
		say(c, function, SC_MESSAGE_PART | flags);
	if (c && is_freed) {
		*find(c->handle) = c->next;
		sc_slab_put(SC_SLAB_COMMUNICATOR, c);
	} else if (c) {
		c->is_lost = true;
	}
	sc_lock_put(&communicators.lock);
	sc_self.busy--;
	errno = saved;
}

const struct sc_module sc_module_communicators = {SC_MODULE_STATE(communicators)};
