/* Sites: calls found by their place, and written from there. */
#include "interposer/hook/site.h"

#include <errno.h>
#include <string.h>
#include "interposer/call/operands.h"
#include "interposer/call/tracking.h"
#include "interposer/library/enqueues.h"
#include "interposer/call/launch.h"
#include "interposer/runtime/runtime.h"
#include "interposer/stack/recent.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "trace/reserve.h"
#include "trace/slot.h"
#include "interposer/call/api.h"
#include "interposer/driver/driver.h"
#include "interposer/hook/site_memory.h"
#include "interposer/hook/site_record.h"
#include "interposer/core/clock.h"
#include "interposer/core/thread.h"
#include "interposer/object/handle.h"
#include "interposer/object/memory.h"
#include "interposer/python/python.h"

/* Bytes of the first slot. */
#define TIME_AT	 (sizeof(uint32_t) + SC_SITE_HEAD_BYTES)
#define STACK_AT (sizeof(uint32_t) + offsetof(struct sc_op, stack))

_Static_assert(TIME_AT % 8 == 4 && STACK_AT % 8 == 4, "sum_of shifts by a half of a word");

#define APART __attribute__((noinline)) /* what most calls do not run through */

/* A launch as it is attached. */
struct image {
	struct sc_attach_head head;
	struct sc_launch launch;
	uint64_t values[(SC_SITE_VALUE_BYTES + SC_SLOT_SIZE) / 8]; /* then zeros, to a slot's end */
};

/* ---- whether it is the same call ---- */

/* Nothing is under way in the thread that a call would have to take care of. */
static inline bool is_free(const struct sc_thread *self)
{
	return !(self->callback | self->busy | self->depth | self->framed | self->steps |
		 self->declared | self->in_source) &&
	       self->sites;
}

static inline bool is_valid(const struct sc_site *s)
{
	/* acquire: pairs with the releases in sc_session_start and sc_session_changed */
	return atomic_load_explicit(&sc_session.state, memory_order_acquire) == SC_LIVE &&
	       atomic_load_explicit(&sc_session.changes, memory_order_acquire) == s->changes;
}

/* The thread may be on another stack than last time, or that one be gone: recent.c finds out. */
static inline bool is_same_stack(const struct sc_thread *self, const struct sc_site *s)
{
	return (!s->links || (s->low >= self->stack_start && s->high < self->stack_end)) &&
	       sc_recent_is_linked(s->link, s->links, sc_registers_of_caller(s->frame).sp);
}

static APART bool is_current(const void *context)
{
	CUcontext now = NULL;
	int saved = errno;
	bool is_same;

	is_same = !sc_driver()->CtxGetCurrent(&now) && now == context;
	errno = saved;
	return is_same;
}

/* ---- parameters ---- */

/* True where a kernel could reach host memory, which is guarded then. */
static APART bool reaches_host(const struct image *image, unsigned words)
{
	struct sc_known_allocation a;

	for (unsigned i = 0; i < words; i++) {
		if (sc_memory_may_be_host(&sc_memory, image->values[i]) &&
		    sc_memory_look_up(&sc_memory, image->values[i], &a) &&
		    sc_memory_is_host(a.memory))
			return true;
	}
	return false;
}

/* Parameters of any size, perhaps with gaps between them. */
static APART bool take_any(const struct sc_site *s, void *const *from, struct image *image)
{
	if (s->has_gaps)
		memset(image->values, 0, s->bytes);
	for (unsigned i = 0; i < s->params; i++) {
		if (!from[i])
			return false;
		memcpy((uint8_t *)image->values + s->param[i].offset, from[i], s->param[i].bytes);
	}
	return true;
}

/* Pointers and numbers, without a call in between. */
static inline bool take_plain(const struct sc_site *s, void *const *from, struct image *image)
{
	uint8_t *to = (uint8_t *)image->values;

	for (unsigned i = 0; i < s->params; i++) {
		if (!from[i])
			return false;
		if (s->param[i].bytes == 8)
			memcpy(to + s->param[i].offset, from[i], 8);
		else
			memcpy(to + s->param[i].offset, from[i], 4);
	}
	return true;
}

static inline bool take_values(const struct sc_site *s, const cuLaunchKernel_params *p,
			       struct image *image)
{
	unsigned words = s->bytes / 8;
	bool is_suspect = false;

	if (p->extra || (s->params && !p->kernelParams) ||
	    (!s->is_given && sc_memory_has_host(&sc_memory)))
		return false;
	memset((uint8_t *)image->values + s->bytes, 0, SC_SLOT_SIZE);
	if (!(s->is_plain ? take_plain(s, p->kernelParams, image)
			  : take_any(s, p->kernelParams, image)))
		return false;
	for (unsigned i = 0; i < words; i++)
		is_suspect |= sc_memory_may_be_host(&sc_memory, image->values[i]);
	return !is_suspect || !reaches_host(image, words);
}

/* But for its attributes a launch is the same by both entry points. */
static inline cuLaunchKernel_params plain_launch(const cuLaunchKernelEx_params *p)
{
	const CUlaunchConfig *c = p->config;

	return (cuLaunchKernel_params){.f = p->f,
				       .gridDimX = c->gridDimX,
				       .gridDimY = c->gridDimY,
				       .gridDimZ = c->gridDimZ,
				       .blockDimX = c->blockDimX,
				       .blockDimY = c->blockDimY,
				       .blockDimZ = c->blockDimZ,
				       .sharedMemBytes = c->sharedMemBytes,
				       .hStream = c->hStream,
				       .kernelParams = p->kernelParams,
				       .extra = p->extra};
}

static inline bool compose(const struct sc_site *s, const void *params, struct image *image)
{
	cuLaunchKernel_params plain;
	const cuLaunchKernel_params *p = params;

	if (SC_SITE_ROW(s->what) == SC_API_cuLaunchKernelEx) {
		plain = plain_launch(params);
		p = &plain;
	}
	image->head = (struct sc_attach_head){SC_ATTACH_LAUNCH,
					      (uint32_t)sizeof(image->launch) + s->bytes};
	image->launch =
		(struct sc_launch){.grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
				   .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
				   .shared_bytes = p->sharedMemBytes,
				   .param_bytes = s->bytes,
				   .attributes = SC_SITE_NUMBER(s->what) & ~SC_LAUNCH_EARLY};
	return take_values(s, p, image);
}

/* ---- writing ---- */

static inline uint64_t put_image(struct sc_slot *slot, unsigned slots, const struct image *image,
				 uint64_t sum)
{
	const uint8_t *from = (const uint8_t *)image;

	for (; slots; slots--, slot++, from += SC_SLOT_DATA) {
		uint32_t head = SC_SLOT_NEXT | (slots - 1);

		memcpy(slot->data, from, SC_SLOT_DATA);
		slot->head = head;
		sum = sc_slot_join(sum, sc_slot_sum(head, from));
	}
	return sum;
}

/* The sum of the op's slots: of the second there is nothing but its head. */
static inline uint64_t sum_of(const struct sc_site *s, uint64_t time_ns, uint32_t stack,
			      uint32_t second)
{
	uint64_t sum = s->sum;

	sum += ((uint64_t)stack << 32) + (time_ns << 32) + (time_ns >> 32);
	return sc_slot_join(sum, second);
}

/* What sc_slot_fill does with the op that the site stands for; slots are zeros. */
static inline void fill(const struct sc_site *s, struct sc_slot *slot, uint64_t time_ns,
			uint32_t stack, const struct image *image)
{
	uint32_t second = SC_SLOT_NEXT | (s->slots - 2u);
	uint64_t sum;

	memcpy(slot->data, s->head, SC_SITE_HEAD_BYTES);
	memcpy(slot->data + offsetof(struct sc_op, stack), &stack, sizeof(stack));
	memcpy(slot->data + SC_SITE_HEAD_BYTES, &time_ns, sizeof(time_ns));
	slot[1].head = second;
	sum = put_image(slot + 2, s->slots - 2u, image, sum_of(s, time_ns, stack, second));
	memcpy((uint8_t *)slot + SC_SLOT_CHECK, &sum, sizeof(sum));
	/* release: paired with the reader's look at the head, as in sc_slot_fill */
	__atomic_store_n(&slot->head, SC_SLOT_FIRST | (s->slots - 1u), __ATOMIC_RELEASE);
}

static inline void put_handles(struct sc_thread *self, struct sc_call *call,
			       const struct sc_site *s, const struct image *image)
{
	uint64_t time_ns = sc_clock_quick();
	uint32_t stack = sc_site_stack(s->head, s->asks_python);

	self->records++;
	call->sequence = sc_reserve(&sc_session.writer, s->slots, 1);
	if (call->sequence != SC_NOT_WRITTEN)
		fill(s, sc_session.writer.slots + call->sequence, time_ns, stack, image);
}

/* An op that differs in its operands is composed in the call, whose exit asks for them. */
static void begin_op(struct sc_call *call, const struct sc_site *s, const void *params)
{
	call->api = &sc_apis[SC_SITE_ROW(s->what)];
	call->params = (void *)params;
	call->parts = 0;
	call->function = NULL;
	call->sequence = SC_NOT_WRITTEN;
	memset(&call->op, 0, sizeof(call->op));
	memcpy(&call->op, s->head, SC_SITE_HEAD_BYTES);
}

/* What sc_put_op does with an op alone. */
static inline void write_op(struct sc_call *call)
{
	if (atomic_load_explicit(&sc_session.state, memory_order_relaxed) > SC_LIVE)
		return;
	sc_self.records++;
	call->sequence = sc_reserve(&sc_session.writer, 2, 1);
	if (call->sequence != SC_NOT_WRITTEN)
		sc_slot_fill(sc_session.writer.slots + call->sequence, 2, &call->op, NULL, 0);
}

static void put_op(struct sc_call *call, bool asks_python)
{
	int saved = errno;

	call->op.time_ns = sc_clock_now();
	if (asks_python)
		call->op.stack = sc_python_stack(call->op.stack);
	sc_operands_renew(call);
	if (call->op.kind != SC_OP_NONE)
		write_op(call);
	errno = saved;
}

static APART void put_operands(struct sc_call *call, const struct sc_site *s, const void *params)
{
	begin_op(call, s, params);
	call->way = SC_SITE_OPERANDS; /* of a free, too: its exit is the ordinary one */
	put_op(call, s->asks_python);
}

/* ---- the entry ---- */

/* Of calls through one function of the program or of a library, which differ further up the stack,
 * the one that came from there. */
static inline const struct sc_site *find_place(const struct sc_thread *self, uint64_t what,
					       const void *object, const void *stream,
					       const void *frame)
{
	const struct sc_site *s = sc_site_place(self, what, object, stream, frame);

	for (const struct sc_site *end = s + SC_SITE_WAYS; s < end; s++)
		if (sc_site_is_this(s, what, object, stream, frame) && is_valid(s) &&
		    is_same_stack(self, s))
			return s;
	return NULL;
}

/* The site of the call if all is as it was, and its parameters; NULL: it goes the ordinary way. */
static inline const struct sc_site *find(struct sc_thread *self, uint64_t what, const void *params,
					 const void *object, const void *stream, const void *frame,
					 struct image *image)
{
	const struct sc_site *s = find_place(self, what, object, stream, frame);

	if (!s || (s->context && !is_current(s->context)) ||
	    (s->slots > 2 && !compose(s, params, image)))
		return NULL;
	return s;
}

static inline void put(struct sc_thread *self, struct sc_call *call, const struct sc_site *s,
		       const void *params, const struct image *image, const void *frame)
{
	call->stage = SC_STAGE_SITE;
	call->way = s->way;
	call->finish = s->finish;
	if (s->finish) {
		call->object = s->its_object.handle;
		call->object_id = s->its_object.id;
		call->stream = s->its_stream.handle;
		call->stream_id = s->its_stream.id;
	}
	if (s->way == SC_SITE_ALLOCATE) {
		sc_site_begin_allocation(call, s, params);
	} else {
		if (s->way == SC_SITE_HANDLES)
			put_handles(self, call, s, image);
		else if (s->way != SC_SITE_FREE || !sc_site_put_free(call, s, params))
			put_operands(call, s, params);
		if (self->enqueues)
			sc_enqueues_note(self->enqueues, call->sequence);
		self->current = call->sequence + 1;
	}
	self->depth = 1;
	self->outermost = frame;
	self->found++;
}

void *sc_site_enter(struct sc_call *call, uint64_t what, const void *params, const void *object,
		    const void *stream, const void *frame)
{
	struct sc_thread *self = &sc_self;
	const struct sc_site *s = NULL;
	struct image image;
	void *real = NULL;
	bool outer = self->in_site;

	if (is_free(self)) {
		self->in_site = true; /* a handler that interrupts us keeps nothing */
		atomic_signal_fence(memory_order_seq_cst);
		s = find(self, what, params, object, stream, frame, &image);
		if (s) {
			put(self, call, s, params, &image, frame);
			real = s->real;
		}
		atomic_signal_fence(memory_order_seq_cst);
		self->in_site = outer;
	}
	return real;
}

static inline void finish(struct sc_call *call, CUresult result)
{
	int saved;

	if (!call->finish)
		return;
	saved = errno;
	call->result = (int)result;
	call->finish(call);
	errno = saved;
}

bool sc_site_exit(struct sc_call *call, CUresult result)
{
	struct sc_thread *self = &sc_self;

	if (call->way == SC_SITE_ALLOCATE) {
		if (result || !sc_site_put_allocation(call)) {
			call->stage = SC_STAGE_EXIT;
			return false;
		}
	} else {
		self->current = 0;
		sc_writer_set_result(&sc_session.writer, call->sequence, (int)result);
		if (call->way == SC_SITE_FREE)
			sc_site_freed(call, result);
		else
			finish(call, result);
	}
	self->depth--;
	if (result) {
		int saved = errno;

		sc_runtime_failed();
		errno = saved;
	}
	sc_session_meet_end();
	return true;
}
