/* Collectives: their bytes, and the groups that they are enqueued in. */
#include "extensions/agents/nccl/collective.h"

#include <errno.h>
#include "interposer/core/arena.h"
#include "interposer/core/raw.h"
#include "interposer/core/scratch.h"
#include "interposer/object/handle.h"

#define PIECES_MOST 512 /* of a group; of one with more nothing is said */

/* What one call of a group touches, in the stream with this id. */
struct piece {
	struct sc_access access;
	uint32_t stream;
	struct sc_library_function *function;
};

/* The group that a thread is in. */
struct group {
	unsigned depth; /* of groups in one another */
	unsigned count;
	bool is_unknown; /* a call in it is not described */
	struct piece piece[PIECES_MOST];
};

static __thread struct group *open_group __attribute__((tls_model("initial-exec"))); /* owned */

/* ---- bytes ---- */

static unsigned element(int type)
{
	static const uint8_t sizes[] = {
#define NCCL_TYPE(name, number, bytes) [number] = (bytes),
#include "trace/nccl.def"
	};

	return type >= 0 && (size_t)type < sizeof(sizes) ? sizes[type] : 0;
}

bool sc_collective_size(const struct sc_collective *c, uint64_t *bytes)
{
	unsigned each = element(c->type);

	return each && !__builtin_mul_overflow((uint64_t)c->count, each, bytes);
}

/* The bytes that this rank uses; false if they cannot be counted. */
static bool share(const struct sc_collective *c, enum sc_share share, uint64_t *bytes)
{
	bool is_root = c->rank == c->root;

	bool is_roots = share == SC_SHARE_ROOT || share == SC_SHARE_ROOT_EACH;

	if (share == SC_SHARE_NONE || (is_roots && !is_root) ||
	    (share == SC_SHARE_OTHERS && is_root)) {
		*bytes = 0;
		return true;
	}
	return !__builtin_mul_overflow((uint64_t)c->count, element(c->type), bytes) &&
	       ((share != SC_SHARE_EACH && share != SC_SHARE_ROOT_EACH) ||
		!__builtin_mul_overflow(*bytes, (uint64_t)c->ranks, bytes));
}

static void add(struct sc_access *to, const void *at, uint64_t bytes, uint8_t mode)
{
	*to = (struct sc_access){.base = (uint64_t)at,
				 .width = bytes,
				 .rows = 1,
				 .slices = 1,
				 .mode = mode,
				 .known = SC_KNOWN_EXACT};
}

int sc_collective_bytes(const struct sc_collective *c, struct sc_access out[2])
{
	uint64_t sent, received;
	int n = 0;

	if (!element(c->type) || c->ranks < 1 || c->rank < 0 || !share(c, c->sends, &sent) ||
	    !share(c, c->receives, &received) || sent > UINT64_MAX - (uint64_t)c->send ||
	    received > UINT64_MAX - (uint64_t)c->receive)
		return -1;
	/* what a rank sends to itself in place need not be written */
	if (sent && sent == received && c->send == c->receive && c->sends == SC_SHARE_ROOT)
		received = 0;
	if (sent)
		add(&out[n++], c->send, sent, SC_READ);
	if (received)
		add(&out[n++], c->receive, received, SC_WRITE);
	return n;
}

/* ---- calls ---- */

/* Several contexts in one process: kernels of different devices wait for each other then, which is
 * an order that is not followed. */
static void weaken(struct sc_access *list, unsigned count)
{
	if (atomic_load(&sc_handles.only_context))
		return;
	for (unsigned i = 0; i < count; i++)
		list[i].known = SC_KNOWN_OVER;
}

static bool ask_ranks(struct sc_collective *c, void *real, const void *communicator)
{
	static const char *const names[SC_BESIDE] = {"ncclCommCount", "ncclCommUserRank"};
	const struct sc_beside *beside = sc_function_beside(c->function, real, names);
	int (*ask)(const void *, int *);

	if (!beside)
		return false;
	ask = (int (*)(const void *, int *))beside->function[0];
	if (ask(communicator, &c->ranks))
		return false;
	ask = (int (*)(const void *, int *))beside->function[1];
	return !ask(communicator, &c->rank);
}

static void keep(struct group *g, const struct sc_collective *c, const void *stream)
{
	struct sc_handle *h = sc_stream_resolve(stream, false, sc_context_for(stream));
	struct sc_access access[2];
	int n = sc_collective_bytes(c, access);

	if (n < 0 || !h || g->count + (unsigned)n > PIECES_MOST) {
		g->is_unknown = true;
		return;
	}
	weaken(access, (unsigned)n);
	for (int i = 0; i < n; i++)
		g->piece[g->count++] = (struct piece){access[i], h->id, c->function};
}

static void say(const struct sc_enqueues *e, const struct sc_collective *c)
{
	struct sc_access access[2];
	struct sc_documented d = {.function = c->function, .accesses = access};
	int n = sc_collective_bytes(c, access);

	if (n < 0)
		return;
	d.count = (unsigned)n;
	weaken(access, d.count);
	sc_enqueues_document(e, &d);
}

void sc_collective_note(const struct sc_enqueues *e, struct sc_collective *c, void *real,
			const void *communicator, const void *stream)
{
	struct group *g = open_group;
	int saved = errno;

	if (!g && !e->count)
		return;
	sc_self.busy++;
	if (!ask_ranks(c, real, communicator))
		c->ranks = 0; /* which makes the bytes unknown */
	if (g)
		keep(g, c, stream);
	else
		say(e, c);
	sc_self.busy--;
	errno = saved;
}

/* ---- groups ---- */

void sc_collective_begin(void)
{
	int saved = errno;

	if (!open_group)
		open_group = sc_arena_map(sizeof(*open_group), MAP_PRIVATE);
	if (open_group)
		open_group->depth++;
	errno = saved;
}

/* What the calls of the group from the piece `from` on touch, in the stream with this id or, if it
 * is 0, in any. The name is that of the calls, if they have one in common. */
static void say_stream(const struct sc_enqueues *e, const struct group *g, unsigned from,
		       uint32_t stream, struct sc_access *room)
{
	struct sc_documented d = {
		.function = g->piece[from].function, .stream = stream, .accesses = room};

	for (unsigned i = from; i < g->count; i++) {
		const struct piece *p = &g->piece[i];

		if (stream && p->stream != stream)
			continue;
		room[d.count] = p->access;
		room[d.count++].known = stream ? p->access.known : SC_KNOWN_OVER;
		if (p->function != d.function)
			d.function = &sc_operand_functions.ncclGroupEnd;
	}
	sc_enqueues_document(e, &d);
}

/* NCCL may run a group of several streams in one of them, which waits for the others. */
static bool is_each_in_its_stream(const struct sc_enqueues *e, const struct group *g)
{
	for (unsigned i = 0; i < g->count; i++)
		if (!sc_enqueues_has_launch(e, g->piece[i].stream))
			return false;
	return true;
}

static bool is_first_of_stream(const struct group *g, unsigned at)
{
	unsigned i = 0;

	while (i < at && g->piece[i].stream != g->piece[at].stream)
		i++;
	return i == at;
}

static void say_group(const struct sc_enqueues *e, const struct group *g, struct sc_access *room)
{
	if (!is_each_in_its_stream(e, g)) {
		say_stream(e, g, 0, 0, room);
		return;
	}
	for (unsigned i = 0; i < g->count; i++)
		if (is_first_of_stream(g, i))
			say_stream(e, g, i, g->piece[i].stream, room);
}

void sc_collective_end(const struct sc_enqueues *e, bool is_success)
{
	struct group *g = open_group;
	struct sc_access *room;
	int saved = errno;

	if (!g || --g->depth)
		return;
	open_group = NULL;
	sc_self.busy++;
	room = is_success && !g->is_unknown && g->count && e->count
		       ? sc_thread_room(g->count * sizeof(*room))
		       : NULL;
	if (room)
		say_group(e, g, room);
	sc_raw_unmap(g, sizeof(*g));
	sc_self.busy--;
	errno = saved;
}
