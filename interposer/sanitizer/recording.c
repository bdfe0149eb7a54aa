/* Recording: callbacks, the launches that have planes, and what becomes of their results. */
#include "interposer/sanitizer/recording.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "interposer/core/arena.h"
#include "interposer/core/clock.h"
#include "interposer/core/message.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/raw.h"
#include "interposer/core/real.h"
#include "interposer/core/scratch.h"
#include "interposer/core/session.h"
#include "interposer/core/table.h"
#include "interposer/driver/entry.h"
#include "interposer/driver/simulated.h"
#include "interposer/object/memory.h"
#include "interposer/sanitizer/collector.h"
#include "interposer/sanitizer/kernel_list.h"
#include "interposer/sanitizer/library.h"
#include "interposer/sanitizer/node.h"
#include "interposer/sanitizer/plane.h"
#include "interposer/sanitizer/runs.h"

#define CONTEXTS     16u
#define PLANES_BYTES (UINT64_C(512) << 20) /* of each context; less where there is less */
#define TRIES	     4u			   /* to have memory in a context */
#define FULL_WAIT_NS (UINT64_C(100) * 1000 * 1000)
#define END_WAIT_NS  (UINT64_C(2) * 1000 * 1000 * 1000)

extern const char sc_image_record[];

enum reason {
#define REASON(id, text) NOT_##id,
#include "interposer/sanitizer/reason.def"
#undef REASON
	REASONS
};

static const char *const reasons[] = {
#define REASON(id, text) text,
#include "interposer/sanitizer/reason.def"
#undef REASON
};

/* A module whose kernels are to be recorded. */
struct code {
	bool is_patched;
	bool launches; /* its kernels may launch others, which would get no plane: not patched */
	bool has_constants; /* variables in constant memory, whose reads no patch sees */
};

struct sc_recording_switch sc_recording;

static struct {
	struct sc_sanitizer_calls calls;
	struct sc_kernel_list kernels;
	struct sc_table modules;		     /* by handle: struct code */
	struct sc_lock patching;		     /* calls that must not run at the same time */
	atomic_bool is_stalled;			     /* a wait for a plane was in vain */
	struct sc_planes *_Atomic context[CONTEXTS]; /* in the arena */
	atomic_uint_fast64_t recorded, left_out[REASONS];
} recording;

static void leave_out(enum reason why)
{
	atomic_fetch_add_explicit(&recording.left_out[why], 1, memory_order_relaxed);
}

/* ---- contexts ---- */

/* The context's planes, also where there was no memory for them. */
static struct sc_planes *find_context(CUcontext context)
{
	for (unsigned i = 0; i < CONTEXTS; i++) {
		struct sc_planes *p = atomic_load(&recording.context[i]);

		if (p && p->context == context)
			return p;
	}
	return NULL;
}

static struct sc_planes *planes_of(CUcontext context)
{
	struct sc_planes *p = find_context(context);

	return p && atomic_load(&p->is_usable) ? p : NULL;
}

/* The callback of a context's creation may come before there is memory to be had in it (where a
 * program retains the primary context by the driver's own call), so its first modules and launches
 * try again. */
static void add_context(CUcontext context)
{
	struct sc_planes *p;
	unsigned number = 0;

	sc_lock_get(&recording.patching);
	p = find_context(context);
	while (number < CONTEXTS && atomic_load(&recording.context[number]))
		number++;
	if (!p && number < CONTEXTS) {
		p = sc_arena_get(sizeof(*p));
		if (p) {
			p->context = context;
			p->has_patches = !recording.calls.AddPatches(sc_image_record, context);
			atomic_store(&recording.context[number], p);
		}
	}
	if (p && p->has_patches && !atomic_load(&p->is_usable) && p->tries < TRIES) {
		p->tries++;
		sc_planes_make(p, &recording.calls, context, PLANES_BYTES);
	}
	sc_lock_put(&recording.patching);
}

/* ---- results ---- */

/* Host memory has its own address in the trace, whatever the device calls it. */
static void name_host_memory(struct sc_access *access)
{
	struct sc_known_allocation known;

	if (sc_memory_look_up(&sc_memory, access->base, &known) && known.host)
		access->base += known.host - known.start;
}

static void put_unknown(uint64_t launch, uint32_t node)
{
	const struct sc_op op = {.kind = SC_OP_LAUNCH_BYTES,
				 .object = node,
				 .link = launch,
				 .value = SC_BYTES_NOT_KNOWN};

	sc_put_op(&op, NULL, 0);
}

/* What one launch touched, or one node of a launch: `node` is its number + 1. */
static void read_plane(const struct sc_plane_slot *slot, uint64_t launch, uint32_t node)
{
	const struct sc_runs *runs = slot->runs;
	struct sc_access *accesses = sc_thread_room(SC_RUN_ACCESSES * sizeof(*accesses) +
						    SC_PLANE_RUNS * sizeof(struct sc_run));
	struct sc_run *room = (struct sc_run *)(accesses + SC_RUN_ACCESSES);
	struct sc_op op = {.kind = SC_OP_LAUNCH_BYTES,
			   .object = node,
			   .peer = SC_BYTES_RECORDED |
				   (slot->has_constants ? SC_BYTES_CONSTANTS : 0u),
			   .link = launch};
	struct sc_attachment part = {.type = SC_ATTACH_ACCESSES, .data = accesses};
	uint32_t count = runs->count < SC_PLANE_RUNS ? runs->count : SC_PLANE_RUNS;

	if (!accesses) {
		leave_out(NOT_FAILED);
		if (node)
			put_unknown(launch, node);
		return;
	}
	count = sc_runs_accesses(slot->runs->run, count, room, sc_memory_are_in_one, accesses);
	if (runs->lost || count > SC_RUN_ACCESSES)
		leave_out(NOT_FULL);
	if (runs->lost || count > SC_RUN_ACCESSES || runs->barrier) {
		op.value = SC_BYTES_AT_LEAST;
		if (node) {
			put_unknown(launch, node);
			return;
		}
	}
	count = count < SC_RUN_ACCESSES ? count : SC_RUN_ACCESSES;
	for (uint32_t i = 0; i < count; i++)
		name_host_memory(&accesses[i]);
	part.bytes = count * (uint32_t)sizeof(*accesses);
	sc_put_op(&op, &part, count > 0);
	atomic_fetch_add_explicit(&recording.recorded, 1, memory_order_relaxed);
}

/* A graph's launch: its nodes, and that no others are to come. */
static void read_head(const struct sc_head *head)
{
	const struct sc_op complete = {
		.kind = SC_OP_LAUNCH_BYTES, .link = head->launch, .value = SC_BYTES_COMPLETE};

	for (uint32_t i = 0; i < head->count; i++) {
		const struct sc_head_node *n = &head->node[i];

		if (n->slot)
			read_plane(n->slot, head->launch, n->index + 1);
		else
			put_unknown(head->launch, n->index + 1);
	}
	if (!head->is_cut)
		sc_put_op(&complete, NULL, 0);
}

static unsigned gather_heads(struct sc_planes *p)
{
	unsigned running = 0;

	for (unsigned i = 0; i < SC_HEADS; i++) {
		struct sc_head *head = &p->head[i];

		if (sc_head_begin_reading(head)) {
			read_head(head);
			sc_head_put_back(head);
			atomic_store_explicit(&recording.is_stalled, false, memory_order_relaxed);
		}
		running += atomic_load(&head->state) == SC_PLANE_RUNNING;
	}
	return running;
}

/* Reads what is there. Returns how many launches are still to come. */
static unsigned gather_of(struct sc_planes *p)
{
	unsigned running = gather_heads(p);

	for (unsigned i = 0; i < SC_PLANES; i++) {
		struct sc_plane_slot *slot = &p->slot[i];

		if (sc_plane_begin_reading(slot)) {
			read_plane(slot, slot->launch, 0);
			sc_plane_put_back(slot);
			atomic_store_explicit(&recording.is_stalled, false, memory_order_relaxed);
		}
		running += atomic_load(&slot->state) == SC_PLANE_RUNNING;
	}
	return running;
}

static unsigned gather(void)
{
	unsigned running = 0;

	for (unsigned i = 0; i < CONTEXTS; i++) {
		struct sc_planes *p = atomic_load(&recording.context[i]);

		if (p && atomic_load(&p->is_usable))
			running += gather_of(p);
	}
	return running;
}

/* The next launch wants a plane. A kernel that waits for the host may hold them all, so that this
 * wait ends early, and is not tried again before something has changed. */
static void make_room(struct sc_planes *p)
{
	uint64_t until = sc_clock_exact() + FULL_WAIT_NS;

	while (!sc_planes_have_free(p) && !atomic_load(&recording.is_stalled)) {
		gather_of(p);
		if (sc_clock_exact() > until)
			atomic_store(&recording.is_stalled, true);
		else
			sched_yield();
	}
}

static void await_end(struct sc_planes *p)
{
	uint64_t until = sc_clock_exact() + END_WAIT_NS;

	while (gather_of(p) && sc_clock_exact() < until)
		sched_yield();
	for (unsigned left = gather_of(p); left > 0; left--)
		leave_out(NOT_RUNNING);
}

/* Its handle may come back, as another context's, and so its place; who has the planes in hand
 * keeps them. */
static void lose_context(CUcontext context)
{
	struct sc_planes *p = find_context(context);

	if (!p)
		return;
	if (atomic_exchange(&p->is_usable, false))
		await_end(p);
	for (unsigned i = 0; i < CONTEXTS; i++)
		if (atomic_load(&recording.context[i]) == p)
			atomic_store(&recording.context[i], NULL);
}

/* ---- modules ---- */

static const struct {
	int instruction;
	const char *patch;
} patches[] = {{SC_SANITIZER_GLOBAL_ACCESS, "sc_record_access"},
	       {SC_SANITIZER_ASYNC_COPY, "sc_record_async"},
	       {SC_SANITIZER_BULK_LOAD, "sc_record_bulk_load"},
	       {SC_SANITIZER_BULK_STORE, "sc_record_bulk_store"},
	       {SC_SANITIZER_BULK_REDUCE, "sc_record_bulk_reduce"},
	       {SC_SANITIZER_BARRIER, "sc_record_barrier"}};

static bool patch(CUmodule module)
{
	bool works = true;

	sc_lock_get(&recording.patching);
	for (unsigned i = 0; works && i < sizeof(patches) / sizeof(patches[0]); i++)
		works = !recording.calls.PatchInstructions(patches[i].instruction, module,
							   patches[i].patch);
	works = works && !recording.calls.PatchModule(module);
	sc_lock_put(&recording.patching);
	return works;
}

static bool names(const struct sc_sanitizer_module *m, const char *name)
{
	return m->cubin && memmem(m->cubin, m->bytes, name, strlen(name));
}

static void fill_code(struct code *code, const struct sc_sanitizer_module *m)
{
	/* the function by which a kernel launches another one */
	code->launches = names(m, "cudaCDP2Launch");
	/* the section of a module's __constant__ variables; what the code is not known of has them
	 */
	code->has_constants = !m->cubin || names(m, ".nv.constant3");
}

static void add_module(const struct sc_sanitizer_module *m)
{
	struct code *code = NULL;

	add_context(m->context);
	if (sc_kernel_list_meets(&recording.kernels, m->cubin, m->bytes)) {
		code = sc_arena_get(sizeof(*code));
		if (code)
			fill_code(code, m);
		if (code && !code->launches && planes_of(m->context))
			code->is_patched = patch(m->module);
	}
	sc_table_put(&recording.modules, (uint64_t)m->module, code);
}

/* ---- launches ---- */

/* The launch of this kind that this thread's call is; 0: the call is another one. */
static uint64_t launch_now(enum sc_op_kind kind)
{
	uint64_t number = sc_session_is_live() ? sc_self.current : 0;
	struct sc_op op = number ? sc_put_written(number - 1) : (struct sc_op){0};

	return op.kind == kind && !(op.flags & SC_FLAG_CAPTURED) ? number : 0;
}

/* A plane for the launch, or NULL and why not. */
static struct sc_plane_slot *choose(const struct sc_sanitizer_launching *l, const struct code *code,
				    uint64_t launch, enum reason *why)
{
	struct sc_planes *p = planes_of(l->context);
	struct sc_plane_slot *slot;

	*why = NOT_NESTED;
	if (!launch || sc_self.callback)
		return NULL;
	*why = NOT_UNSEEN;
	if (!code)
		return NULL;
	*why = find_context(l->context) ? NOT_MEMORY : NOT_CONTEXT;
	if (!p)
		return NULL;
	*why = code->launches ? NOT_CHILDREN : NOT_PATCH;
	if (!code->is_patched)
		return NULL;
	*why = NOT_FAILED;
	if (atomic_load(&p->collector_state) != 2)
		return NULL;
	*why = NOT_BUSY;
	slot = sc_planes_take(p);
	if (slot) {
		slot->launch = launch;
		slot->has_constants = code->has_constants;
	}
	return slot;
}

static void begin_launch(const struct sc_sanitizer_launching *l)
{
	const struct code *code = sc_table_get(&recording.modules, (uint64_t)l->module);
	struct sc_plane_slot *slot = NULL;
	enum reason why;

	if (l->name && sc_kernel_list_has(&recording.kernels, l->name)) {
		uint64_t launch = sc_recording_thread()->plane ? 0 : launch_now(SC_OP_KERNEL);

		slot = choose(l, code, launch, &why);
		if (!slot)
			leave_out(why);
	}
	if (code)
		recording.calls.SetLaunchData(l->launch, l->function, l->stream_handle,
					      slot ? slot->plane : NULL);
	if (slot)
		sc_recording_thread()->plane = slot;
}

/* The head of the launch that this thread makes, or NULL and why not. */
static struct sc_head *head_now(const struct sc_sanitizer_launching *l, uint64_t launch)
{
	struct sc_planes *p = planes_of(l->call_context);

	if (sc_recording_thread()->head || !launch || !p || atomic_load(&p->collector_state) != 2)
		return sc_recording_thread()->head;
	sc_recording_thread()->head = sc_heads_take(p, &recording.calls, l->call_stream_handle);
	if (sc_recording_thread()->head)
		sc_recording_thread()->head->launch = launch;
	return sc_recording_thread()->head;
}

static void record_node(const struct sc_sanitizer_node *n, uint32_t index, const struct code *code)
{
	const struct sc_sanitizer_launching *l = &n->launching;
	uint64_t launch = launch_now(SC_OP_GRAPH_LAUNCH);
	struct sc_head *head = head_now(l, launch);
	struct sc_plane_slot *slot;
	enum reason why = NOT_NODE;

	/* `collect` runs in the stream of the call, in that one's context */
	if (index == UINT32_MAX || l->context != l->call_context) {
		leave_out(NOT_NODE);
		if (head)
			head->is_cut = true;
		return;
	}
	slot = choose(l, code, launch, &why);
	if (slot && !head) {
		sc_plane_put_back(slot);
		slot = NULL;
		why = NOT_BUSY;
	}
	if (head &&
	    !sc_head_add(head, &recording.calls, l->call_stream_handle, index, l->number, slot) &&
	    slot) {
		sc_plane_put_back(slot);
		slot = NULL;
		why = NOT_BUSY;
	}
	if (!slot)
		leave_out(why);
}

static void begin_node(const struct sc_sanitizer_node *n)
{
	const struct sc_sanitizer_launching *l = &n->launching;
	const struct code *code;
	uint32_t index;

	if (n->is_upload)
		return;
	index = sc_node_number(n);
	if (n->type != CU_GRAPH_NODE_TYPE_KERNEL)
		return;
	code = sc_table_get(&recording.modules, (uint64_t)l->module);
	if (l->name && sc_kernel_list_has(&recording.kernels, l->name))
		record_node(n, index, code);
	if (code)
		recording.calls.SetLaunchData(
			l->launch, l->function, l->stream_handle,
			sc_recording_thread()->head ? sc_recording_thread()->head->plane : NULL);
}

static void on_callback(void *data, int domain, uint32_t id, const void *record)
{
	int saved = errno;

	(void)data;
	if (sc_self.busy || !sc_recording_is_on())
		return;
	sc_self.busy++;
	if (domain == SC_SANITIZER_LAUNCH && id == SC_SANITIZER_LAUNCH_BEGIN) {
		begin_launch(record);
	} else if (domain == SC_SANITIZER_GRAPHS && id == SC_SANITIZER_NODE_BEGIN) {
		begin_node(record);
	} else if (domain == SC_SANITIZER_RESOURCE) {
		const struct sc_sanitizer_context *c = record;
		const struct sc_sanitizer_module *m = record;

		if (id == SC_SANITIZER_CONTEXT_CREATED)
			add_context(c->context);
		else if (id == SC_SANITIZER_CONTEXT_DESTROYING)
			lose_context(c->context);
		else if (id == SC_SANITIZER_MODULE_LOADED)
			add_module(m);
		else if (id == SC_SANITIZER_MODULE_UNLOADING)
			sc_table_put(&recording.modules, (uint64_t)m->module, NULL);
	}
	sc_self.busy--;
	errno = saved;
}

void sc_recording_prepare(void)
{
	CUcontext now = NULL;
	struct sc_planes *p;
	int state = 0;

	if (!sc_driver()->CtxGetCurrent || sc_driver()->CtxGetCurrent(&now) || !now)
		return;
	sc_self.busy++;
	p = planes_of(now);
	if (!p) {
		add_context(now);
		p = planes_of(now);
	}
	if (!p) {
		sc_self.busy--;
		return;
	}
	gather_of(p); /* what has ended since the last launch makes room for this one */
	if (atomic_compare_exchange_strong(&p->collector_state, &state, 1))
		atomic_store(&p->collector_state, sc_collector_load(p) ? 2 : 3);
	while (atomic_load(&p->collector_state) == 1)
		sched_yield();
	sc_self.busy--;
}

/* Its nodes' planes are collected one after the other, since all is in one stream. */
static void graph_launched(struct sc_head *head, int result, const void *stream, bool per_thread)
{
	bool works = !result;

	for (uint32_t i = 0; i < head->count; i++) {
		struct sc_plane_slot *slot = head->node[i].slot;

		works = works && (!slot || sc_collector_launch(slot, stream, per_thread));
	}
	/* else whether the kernels run is not known: nobody may have the planes again */
	atomic_store(&head->state, works ? SC_PLANE_RUNNING : SC_PLANE_LOST);
	if (!works)
		leave_out(NOT_FAILED);
	gather();
	make_room(head->planes);
}

void sc_recording_launched(int result, const void *stream, bool per_thread)
{
	struct sc_plane_slot *slot = sc_recording_thread()->plane;
	struct sc_head *head = sc_recording_thread()->head;

	sc_recording_thread()->plane = NULL;
	sc_recording_thread()->head = NULL;
	if (head) {
		sc_self.busy++;
		graph_launched(head, result, stream, per_thread);
		sc_self.busy--;
	}
	if (!slot)
		return;
	sc_self.busy++;
	if (!result && sc_collector_launch(slot, stream, per_thread)) {
		atomic_store(&slot->state, SC_PLANE_RUNNING);
	} else {
		/* whether the kernel runs is not known: nobody may have the plane again */
		atomic_store(&slot->state, SC_PLANE_LOST);
		leave_out(NOT_FAILED);
	}
	gather();
	make_room(slot->planes);
	sc_self.busy--;
}

/* ---- the module ---- */

static void read_list(void)
{
	const char *path = sc_session.options.record_kernels;

	if (*path && !sc_kernel_list_open(&recording.kernels, path))
		sc_message("record-kernels: cannot read %s; every kernel is recorded", path);
}

/* Why there are no recordings; NULL: all is well. */
static const char *subscribe(void)
{
	static const uint32_t wanted[] = {
		SC_SANITIZER_CONTEXT_CREATED, SC_SANITIZER_CONTEXT_DESTROYING,
		SC_SANITIZER_MODULE_LOADED, SC_SANITIZER_MODULE_UNLOADING};
	struct sc_sanitizer_calls *c = &recording.calls;
	void *subscriber = NULL;
	int result;

	if (!sc_sanitizer_find(c, sc_session.options.sanitizer))
		return "NVIDIA's Sanitizer API, libsanitizer-public.so, was not found: the CUDA "
		       "toolkit has it (compute-sanitizer), and the Python package "
		       "nvidia-cuda-sanitizer-api; --sanitizer=FILE names it";
	result = c->Subscribe(&subscriber, on_callback, NULL);
	if (result == SC_SANITIZER_TAKEN)
		return "another tool uses the Sanitizer API or CUPTI in this process";
	if (result)
		return "the Sanitizer API refused";
	for (unsigned i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		result |= c->EnableCallback(1, subscriber, SC_SANITIZER_RESOURCE, wanted[i]);
	result |= c->EnableCallback(1, subscriber, SC_SANITIZER_LAUNCH, SC_SANITIZER_LAUNCH_BEGIN);
	result |= c->EnableCallback(1, subscriber, SC_SANITIZER_GRAPHS, SC_SANITIZER_NODE_BEGIN);
	return result ? "the Sanitizer API refused" : NULL;
}

static void begin(void)
{
	static const struct sc_op bytes_follow = {.kind = SC_OP_LAUNCH_BYTES};
	const char *problem;
	char text[320];

	if (sc_session.options.footprints != SC_FOOTPRINTS_RECORDED || sc_simulated_tells_bytes())
		return;
	read_list();
	problem = subscribe();
	if (problem) {
		snprintf(text, sizeof(text), "recorded footprints (%s)", problem);
		sc_put_source(text, false);
		sc_message("footprints: kernels are not recorded: %s", problem);
		return;
	}
	sc_put_op(&bytes_follow, NULL, 0);
	atomic_store(&sc_recording.is_on, true);
}

static void put_count(uint64_t launches, const char *text)
{
	struct sc_op op = {
		.kind = SC_OP_LAUNCHES, .object = SC_LAUNCHES_RECORDED, .value = launches};
	struct sc_attachment part = {.type = SC_ATTACH_TEXT, .data = text};

	if (text)
		part.bytes = (uint32_t)strlen(text);
	sc_put_op(&op, &part, text != NULL);
}

static void flush(void)
{
	uint64_t until = sc_clock_exact() + END_WAIT_NS;
	unsigned left;

	if (!sc_recording_is_on())
		return;
	for (left = gather(); left && sc_clock_exact() < until; left = gather())
		sched_yield();
	for (; left > 0; left--)
		leave_out(NOT_RUNNING);
	put_count(atomic_load(&recording.recorded), NULL);
	for (unsigned i = 0; i < REASONS; i++) {
		uint64_t count = atomic_load(&recording.left_out[i]);

		if (count)
			put_count(count, reasons[i]);
	}
}

static void forget(void)
{
	atomic_store(&sc_recording.is_on, false);
}

static void forget_launch(void)
{
	sc_recording_thread()->plane = NULL;
	sc_recording_thread()->head = NULL;
}

const struct sc_module sc_module_recording = {.live = begin,
					      .flush = flush,
					      .forget = forget,
					      .calls_gone = forget_launch,
					      SC_MODULE_STATE(recording)};
