/* Enqueues: noted by the thread, read back from the trace, said as documented bytes. */
#include "interposer/library/enqueues.h"

#include <errno.h>
#include <string.h>
#include "interposer/core/arena.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"

#define RESULT_BYTES 16 /* a copy of so few hands a number to the host */

/* Of this process. */
static struct {
	atomic_bool is_announced; /* the trace says that such records may follow */
} documented;

struct sc_enqueues_thread {
	struct sc_enqueues *own; /* owned, made on first use */
};

SC_THREAD_STATE(enqueues)

/* Those that read the trace look for such records from this one on. */
static void announce(void)
{
	static const struct sc_op bytes_follow = {.kind = SC_OP_LAUNCH_BYTES};

	if (!atomic_exchange(&documented.is_announced, true))
		sc_put_op(&bytes_follow, NULL, 0);
}

/* Stacks grow downwards: a call that is not over has its frame above. */
static bool is_nested(const void *frame)
{
	return sc_self.enqueues && (uint64_t)sc_self.enqueues->frame > (uint64_t)frame;
}

struct sc_enqueues *sc_enqueues_begin(const void *frame)
{
	int saved = errno;

	if (sc_self.busy | sc_self.callback || sc_thread_is_inside(frame) || is_nested(frame) ||
	    !sc_session_is_live())
		return NULL;
	sc_self.busy++;
	if (!atomic_load_explicit(&documented.is_announced, memory_order_relaxed))
		announce();
	/* not thread-local: that would be taken from the program's stacks */
	if (!sc_enqueues_thread()->own)
		sc_enqueues_thread()->own =
			sc_arena_take(SC_ARENA_ENQUEUES, sizeof(struct sc_enqueues));
	sc_self.busy--;
	errno = saved;
	if (!sc_enqueues_thread()->own)
		return NULL;
	sc_enqueues_thread()->own->frame = frame;
	sc_enqueues_thread()->own->count = 0;
	return sc_self.enqueues = sc_enqueues_thread()->own;
}

bool sc_enqueues_end(struct sc_enqueues *e, const void *frame)
{
	bool is_whole = sc_self.enqueues == e && e->frame == frame;

	if (is_whole)
		sc_self.enqueues = NULL;
	return is_whole;
}

/* What the call did in the stream. */
struct work {
	unsigned launches;
	uint32_t stream;   /* of the first launch */
	bool has_waited;   /* the host did, for what was launched until then */
	bool is_no_series; /* it is not known that whoever is beside one launch is beside all */
	bool is_captured;  /* nodes can be taken out of a graph one by one */
	bool is_handed_on; /* bytes may have been copied to where a kernel reads them */
	bool is_opaque;	   /* or anything may have been done to them */
};

static bool is_in(const struct sc_op *op, uint32_t stream)
{
	return !op->result && (!stream || op->stream == stream);
}

static void look_at(const struct sc_op *op, struct work *w)
{
	switch ((enum sc_op_kind)op->kind) {
	case SC_OP_KERNEL:
		w->stream = w->launches++ ? w->stream : op->stream;
		w->is_no_series |= op->stream != w->stream || w->has_waited;
		w->is_captured |= op->flags & SC_FLAG_CAPTURED;
		break;
	case SC_OP_COPY:
		w->is_handed_on |= !op->bytes || op->bytes > RESULT_BYTES;
		w->has_waited |= w->launches && op->flags & SC_FLAG_SYNC;
		break;
	case SC_OP_GRAPH_LAUNCH: w->is_opaque = true; break;
	case SC_OP_SET:
	case SC_OP_EVENT_RECORD: break;
	case SC_OP_FREE: w->has_waited |= w->launches > 0; break;
	default:
		w->is_no_series |= sc_op_kind_class(op->kind) == SC_CLASS_ENQUEUE;
		w->has_waited |= w->launches && sc_op_kind_class(op->kind) == SC_CLASS_WAIT;
		break;
	}
}

static struct work work_of(const struct sc_enqueues *e, uint32_t stream)
{
	struct work w = {.is_opaque = e->count > SC_ENQUEUES_MOST};

	for (unsigned i = 0; i < e->count && !w.is_opaque; i++) {
		struct sc_op op = sc_put_written(e->sequence[i]);

		if (is_in(&op, stream))
			look_at(&op, &w);
	}
	return w;
}

bool sc_enqueues_has_launch(const struct sc_enqueues *e, uint32_t stream)
{
	struct work w = work_of(e, stream);

	return w.launches > 0;
}

static void weaken(const struct sc_documented *d)
{
	for (unsigned i = 0; i < d->count; i++)
		d->accesses[i].known = SC_KNOWN_OVER;
}

/* Launches that follow each other in one stream, with nothing between that waits, neither the
 * stream nor the host (which then knows that the first ones are over, and nothing of the others):
 * which of them uses an operand is not documented, but an op that is unordered with the first one
 * is so with all, so the first one stands for them: of the others a record without accesses says
 * so. Nodes may be taken out of a graph one by one, so each is spoken for, though as an upper
 * bound. */
void sc_enqueues_document(const struct sc_enqueues *e, const struct sc_documented *d)
{
	struct work w = work_of(e, d->stream);
	struct sc_attachment part = {.type = SC_ATTACH_ACCESSES,
				     .data = d->accesses,
				     .bytes = d->count * (uint32_t)sizeof(*d->accesses)};
	struct sc_op op = {.kind = SC_OP_LAUNCH_BYTES, .value = SC_BYTES_DOCUMENTED};
	bool is_weak = w.is_handed_on || (w.launches > 1 && w.is_no_series), is_first = true;

	if (!w.launches || w.is_opaque || (!d->count && !d->is_nothing))
		return;
	if (is_weak)
		weaken(d);
	op.call = sc_function_string(d->function);
	for (unsigned i = 0; i < e->count; i++) {
		struct sc_op launch = sc_put_written(e->sequence[i]);

		if (launch.kind != SC_OP_KERNEL || !is_in(&launch, d->stream))
			continue;
		op.link = e->sequence[i] + 1;
		sc_put_op(&op, &part, d->count && (is_first || is_weak || w.is_captured));
		is_first = false;
		weaken(d);
	}
}

static void give_back(void)
{
	SC_ARENA_GIVE(ENQUEUES, sc_enqueues_thread()->own);
}

const struct sc_module sc_module_enqueues = {.thread_end = give_back, SC_MODULE_STATE(documented)};
