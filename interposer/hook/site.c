/* Sites: calls found by their place, and written from there. */
#include "interposer/hook/site.h"

#include <errno.h>
#include <string.h>
#include "interposer/core/arena.h"
#include "interposer/guard/loaded.h"
#include "interposer/call/operands.h"
#include "interposer/call/tracking.h"
#include "interposer/library/enqueues.h"
#include "interposer/object/managed_variable.h"
#include "interposer/call/launch.h"
#include "interposer/runtime/runtime.h"
#include "interposer/stack/recent.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "trace/slot.h"
#include "interposer/call/api.h"
#include "interposer/driver/driver.h"
#include "interposer/driver/entry.h"
#include "interposer/hook/behind.h"
#include "interposer/core/clock.h"
#include "interposer/core/windows.h"
#include "interposer/core/code_range.h"
#include "interposer/core/thread.h"
#include "interposer/object/handle.h"
#include "interposer/object/memory.h"
#include "interposer/object/param_layout.h"
#include "interposer/python/python.h"
#include "interposer/sanitizer/recording.h"
#include "interposer/stack/stack.h"
#include "interposer/stack/unwind.h"

#define PLACES	    1024 /* of a thread */
#define PLACE_BITS  10
#define WAYS	    4 /* places for calls that differ in their stacks alone, or fall together */
#define PARAMS	    12
#define VALUE_BYTES 4096 /* of all parameters: PyTorch's lists of tensors take as much */
#define FIRST_KEPT  512	 /* places that are kept before it shows whether that pays */
#define MOST_CREDIT 1024
#define APART	    __attribute__((noinline)) /* what most calls do not run through */
#define HEAD_BYTES  offsetof(struct sc_op, time_ns)
/* Bytes of the first slot. */
#define TIME_AT	 (sizeof(uint32_t) + HEAD_BYTES)
#define STACK_AT (sizeof(uint32_t) + offsetof(struct sc_op, stack))

_Static_assert(TIME_AT % 8 == 4 && STACK_AT % 8 == 4, "sum_of shifts by a half of a word");

/* Sorted by when it is needed: a launch with eight words of parameters and links reads four lines.
 */
struct sc_site {
	uint64_t what; /* 0: empty */
	const void *object, *stream;
	const uint64_t *frame; /* of the wrapper */
	uint64_t base, caller; /* the words there: rbp, the return address */
	unsigned changes;
	uint8_t links, params, slots;
	bool needs_base : 1; /* the stack is this one only with that rbp */
	bool asks_python : 1;
	bool is_plain : 1; /* parameters of 4 or 8 bytes without gaps */
	bool has_gaps : 1;
	bool is_given : 1; /* the host's memory only by parameters; false: it had none */
	void *real;

	uint8_t head[HEAD_BYTES]; /* of the op; the rest but for the time is 0 */
	uint32_t bytes;		  /* of the parameters */
	const void *context;	  /* that has to be current, NULL: any */

	uint64_t low, high; /* where the links are */
	uint64_t sum;	    /* of the first slot, without time and stack */
	struct sc_handle_ref its_object, its_stream;
	void (*finish)(struct sc_call *call); /* at the exit; NULL: of a launch */
	struct {
		uint16_t offset, bytes;
	} param[PARAMS];
	uint64_t link[SC_RECENT_WORDS]; /* see struct sc_recent_words */
};
_Static_assert(offsetof(struct sc_site, head) == SC_LINE, "the first line identifies the call");
_Static_assert(offsetof(struct sc_site, low) == 2 * SC_LINE, "the second is the op");

/* A launch as it is attached. */
struct image {
	struct sc_attach_head head;
	struct sc_launch launch;
	uint64_t values[(VALUE_BYTES + SC_SLOT_SIZE) / 8]; /* then zeros, to a slot's end */
};

/* The first of the WAYS places where it may be: the others are its neighbours. */
static struct sc_site *place_of(const struct sc_thread *self, uint64_t what, const void *object,
				const void *stream, const uint64_t *frame)
{
	uint64_t word = (uint64_t)object ^ (uint64_t)stream << 7 ^ what << 20 ^ frame[1] << 3 ^
			(uint64_t)frame << 11;

	return &self->sites[word * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PLACE_BITS) &
			    ~(WAYS - 1u)];
}

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
	       sc_recent_is_linked(s->link, s->links, (uint64_t)(s->frame + 2));
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

	memcpy(slot->data, s->head, HEAD_BYTES);
	memcpy(slot->data + offsetof(struct sc_op, stack), &stack, sizeof(stack));
	memcpy(slot->data + HEAD_BYTES, &time_ns, sizeof(time_ns));
	slot[1].head = second;
	sum = put_image(slot + 2, s->slots - 2u, image, sum_of(s, time_ns, stack, second));
	memcpy((uint8_t *)slot + SC_SLOT_CHECK, &sum, sizeof(sum));
	/* release: paired with the reader's look at the head, as in sc_slot_fill */
	__atomic_store_n(&slot->head, SC_SLOT_FIRST | (s->slots - 1u), __ATOMIC_RELEASE);
}

static APART uint32_t ask_python(uint32_t below)
{
	int saved = errno;
	uint32_t stack = sc_python_stack(below);

	errno = saved;
	return stack;
}

static inline void put_handles(struct sc_thread *self, struct sc_call *call,
			       const struct sc_site *s, const struct image *image)
{
	uint64_t time_ns = sc_clock_now();
	uint32_t stack;

	memcpy(&stack, s->head + offsetof(struct sc_op, stack), sizeof(stack));
	if (s->asks_python)
		stack = ask_python(stack);
	self->records++;
	call->sequence = sc_writer_reserve(&sc_session.writer, s->slots, 1);
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
	memcpy(&call->op, s->head, HEAD_BYTES);
}

/* What sc_put_op does with an op alone. */
static inline void write_op(struct sc_call *call)
{
	if (atomic_load_explicit(&sc_session.state, memory_order_relaxed) > SC_LIVE)
		return;
	sc_self.records++;
	call->sequence = sc_writer_reserve(&sc_session.writer, 2, 1);
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
	put_op(call, s->asks_python);
}

/* ---- what is written at the exit ---- */

/* The call created something: only now it is known what. */
static void put_created(struct sc_call *call)
{
	call->op.result = 0;
	put_op(call, !sc_python_is_absent());
	if (sc_self.enqueues)
		sc_enqueues_note(sc_self.enqueues, call->sequence);
}

static APART void begin_created(struct sc_call *call, const struct sc_site *s, const void *params)
{
	begin_op(call, s, params);
	call->per_thread = s->what & 1;
	call->frame = s->frame;
	call->changes = s->changes;
}

static inline bool is_this(const struct sc_site *s, uint64_t what, const void *object,
			   const void *stream, const uint64_t *frame)
{
	return s->what == what && s->object == object && s->stream == stream && s->frame == frame &&
	       (!s->needs_base || s->base == frame[0]) && s->caller == frame[1];
}

/* Of calls through one function of the program or of a library, which differ further up the stack,
 * the one that came from there. */
static inline const struct sc_site *find_place(const struct sc_thread *self, uint64_t what,
					       const void *object, const void *stream,
					       const uint64_t *frame)
{
	const struct sc_site *s = place_of(self, what, object, stream, frame);

	for (const struct sc_site *end = s + WAYS; s < end; s++)
		if (is_this(s, what, object, stream, frame) && is_valid(s) &&
		    is_same_stack(self, s))
			return s;
	return NULL;
}

/* The site of the call if all is as it was, and its parameters; NULL: it goes the ordinary way. */
static inline const struct sc_site *find(struct sc_thread *self, uint64_t what, const void *params,
					 const void *object, const void *stream,
					 const uint64_t *frame, struct image *image)
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
	call->finish = s->finish;
	if (s->finish) {
		call->object = s->its_object.handle;
		call->object_id = s->its_object.id;
		call->stream = s->its_stream.handle;
		call->stream_id = s->its_stream.id;
	}
	if (s->finish == put_created) {
		begin_created(call, s, params);
	} else {
		if (s->object == SC_OPERANDS)
			put_operands(call, s, params);
		else
			put_handles(self, call, s, image);
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

/* It created nothing, or what its site rests on changed while it ran: the ordinary way. */
static inline bool is_unlike(const struct sc_call *call, CUresult result)
{
	return call->finish == put_created &&
	       (result ||
		atomic_load_explicit(&sc_session.changes, memory_order_acquire) != call->changes);
}

bool sc_site_exit(struct sc_call *call, CUresult result)
{
	struct sc_thread *self = &sc_self;

	if (is_unlike(call, result)) {
		call->stage = SC_STAGE_EXIT;
		return false;
	}
	self->current = 0;
	sc_writer_set_result(&sc_session.writer, call->sequence, (int)result);
	if (call->finish) {
		int saved = errno;

		call->result = (int)result;
		call->finish(call);
		errno = saved;
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

/* ---- keeping ---- */

/* Where calls never come again from a place that was kept, keeping is in vain: every fourth call
 * that was found pays for one. */
static bool is_worth_it(struct sc_thread *self)
{
	self->credit += self->found / 4;
	self->found = 0;
	if (self->credit > MOST_CREDIT)
		self->credit = MOST_CREDIT;
	return self->credit && self->credit--;
}

static bool make_places(struct sc_thread *self)
{
	if (!self->sites) {
		self->sites = sc_arena_take(SC_ARENA_SITES, PLACES * sizeof(struct sc_site));
		self->credit = FIRST_KEPT;
	}
	return self->sites;
}

static bool is_zero(const uint8_t *from, size_t bytes)
{
	while (bytes && !*from) {
		from++;
		bytes--;
	}
	return !bytes;
}

/* The record but for time and parameters; false if there is more to it than a site holds. */
static bool keep_op(struct sc_site *s, const struct sc_call *call)
{
	struct sc_op op = call->op;
	size_t at = HEAD_BYTES + sizeof(op.time_ns);

	if (s->object == SC_OPERANDS)
		sc_operands_clear(&op);
	if (!is_zero((const uint8_t *)&op + at, sizeof(op) - at))
		return false;
	memcpy(s->head, &op, HEAD_BYTES);
	return true;
}

static bool keep_params(struct sc_site *s, const struct sc_call *call)
{
	const struct sc_handle *f = call->function;
	const struct sc_param_layout *layout = sc_param_layout_of(f);
	struct sc_known_allocation variable = {0};

	s->slots = (uint8_t)sc_slot_count(call->part, call->parts);
	s->is_given = sc_memory_has_host(&sc_memory); /* before the kernel is looked at */
	if (!f || !call->parts)			      /* parameters are left out */
		return !call->parts && (!f || sc_windows_is_closed());
	if (call->parts != 1 || !f->layout || layout->count > PARAMS ||
	    layout->bytes > VALUE_BYTES || sc_loaded_is_used_by(f) ||
	    sc_managed_variable_next(f, &(unsigned){0}, &variable))
		return false;
	s->has_gaps = layout->has_gaps;
	s->is_plain = !layout->has_gaps;
	for (uint32_t i = 0; i < layout->count; i++) {
		s->param[i].offset = (uint16_t)layout->param[i].offset;
		s->param[i].bytes = (uint16_t)layout->param[i].bytes;
		s->is_plain &= s->param[i].bytes == 8 || s->param[i].bytes == 4;
	}
	s->params = (uint8_t)layout->count;
	s->bytes = layout->bytes;
	return call->part[0].bytes == sizeof(struct sc_launch) + s->bytes;
}

static bool keep_stack(struct sc_site *s)
{
	struct sc_registers from = {
		.rip = s->caller, .rsp = (uint64_t)(s->frame + 2), .rbp = s->base};
	const struct sc_recent_words *words;
	struct sc_stack stack;

	if (!sc_session.options.stack_depth || !sc_stacks.slot)
		return true;
	if (sc_windows_is_closed()) {
		if (s->finish == put_created) /* it may be asked for inside */
			return false;
		memset(s->head + offsetof(struct sc_op, stack), 0, sizeof(stack.id));
		return true;
	}
	words = sc_recent_words_of(&from, &stack);
	if (!words || sc_code_range_is_own(&sc_code_ranges, s->caller))
		return false;
	memcpy(s->head + offsetof(struct sc_op, stack), &stack.id, sizeof(stack.id));
	memcpy(s->link, words->word, words->count * sizeof(s->link[0]));
	s->needs_base = words->needs_rbp;
	s->asks_python = !sc_python_is_absent();
	s->links = (uint8_t)words->count;
	s->low = words->low;
	s->high = words->high;
	return true;
}

/* Time and stack are added when it is written; the result counts as 0. */
static void keep_sum(struct sc_site *s)
{
	uint8_t data[SC_SLOT_DATA] = {0};

	memcpy(data, s->head, HEAD_BYTES);
	memset(data + offsetof(struct sc_op, stack), 0, sizeof(uint32_t));
	memset(data + offsetof(struct sc_op, result), 0, sizeof(int32_t));
	s->sum = sc_slot_sum(SC_SLOT_FIRST | (s->slots - 1u), data);
}

/* False if the object was destroyed, whatever its record stands for now. */
static bool rests_on(struct sc_handle_ref ref)
{
	/* seq_cst: pairs with sc_handle_kill, which clears `alive` before it looks at `is_kept` */
	if (ref.handle)
		atomic_store(&ref.handle->is_kept, true);
	return !ref.handle || atomic_load(&ref.handle->alive) == ref.id;
}

/* Asked after `changes` was read: later changes show in that counter. */
static bool is_as_before(struct sc_site *s, const struct sc_call *call)
{
	struct sc_handle *context = sc_context_for(s->stream);
	bool is_implicit = sc_stream_is_implicit(s->stream);

	if (!context || !rests_on(sc_handle_refer(context)) || !rests_on(sc_call_stream(call)) ||
	    !rests_on(sc_call_object(call)) ||
	    !rests_on((struct sc_handle_ref){call->function, call->op.object}) ||
	    atomic_load(&sc_session.captures))
		return false;
	if (is_implicit || context != atomic_load(&sc_handles.only_context))
		s->context = sc_handle_thread()->context_raw;
	if (!is_implicit && sc_handle_find(SC_HANDLE_STREAM, s->stream) != call->stream)
		return false;
	if (s->object == SC_OPERANDS)
		return true;
	return call->function ? sc_handle_find(SC_HANDLE_FUNCTION, s->object) == call->function
			      : sc_handle_find(SC_HANDLE_EVENT, s->object) == call->object;
}

static bool keep_call(struct sc_site *s, const struct sc_call *call)
{
	s->frame = call->frame;
	s->base = s->frame[0];
	s->caller = s->frame[1];
	s->its_stream = sc_call_stream(call);
	s->its_object = sc_call_object(call);
	s->real = sc_entry_find((int)(call->api - sc_apis), call->per_thread);
	s->finish = call->api->when == SC_WHEN_EXIT ? put_created
		    : call->function		    ? NULL
						    : sc_tracking_of(call->api->kind)->finish;
	switch (call->api - sc_apis) {
#define SC_REPEATED(symbol, handle, its_stream, number)                            \
	case SC_API_##symbol: {                                                    \
		const struct symbol##_params_st *p = call->params;                 \
                                                                                   \
		s->what = SC_SITE_WHAT(SC_API_##symbol, call->per_thread, number); \
		s->object = handle;                                                \
		s->stream = its_stream;                                            \
		break;                                                             \
	}
#include "interposer/hook/repeated.def"
#undef SC_REPEATED
	}
	return s->what && s->object && s->real;
}

/* Of the same call: it holds no more, or is from the same stack. */
static bool is_replaced_by(const struct sc_site *old, const struct sc_site *s)
{
	return is_this(old, s->what, s->object, s->stream, s->frame) &&
	       (old->changes != s->changes ||
		(old->links == s->links &&
		 !memcmp(old->link, s->link, s->links * sizeof(s->link[0]))));
}

static struct sc_site *choose_place(const struct sc_thread *self, const struct sc_site *s)
{
	struct sc_site *place = place_of(self, s->what, s->object, s->stream, s->frame);
	unsigned i = 0;

	while (i < WAYS && place[i].what && !is_replaced_by(&place[i], s))
		i++;
	return &place[i < WAYS ? i : self->credit % WAYS];
}

void sc_site_keep(const struct sc_call *call)
{
	struct sc_thread *self = &sc_self;
	struct sc_site s = {0}, *place;
	uint64_t what;

	if (!call->frame || self->in_site || self->in_source || sc_behind_is_now() ||
	    (call->function && sc_recording_is_on()) || !make_places(self) || !is_worth_it(self))
		return;
	s.changes = atomic_load(&sc_session.changes);
	if (!keep_call(&s, call) || !keep_op(&s, call) || !keep_params(&s, call) ||
	    !keep_stack(&s) || !is_as_before(&s, call))
		return;
	keep_sum(&s);
	place = choose_place(self, &s);
	what = s.what;
	s.what = place->what = 0;
	atomic_signal_fence(memory_order_seq_cst); /* a handler finds it empty or whole */
	*place = s;
	atomic_signal_fence(memory_order_seq_cst);
	place->what = what;
}
