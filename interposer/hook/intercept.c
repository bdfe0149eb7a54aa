/* One CUDA call from its entry to its exit: facts become an op. */
#include "interposer/hook/intercept.h"

#include <errno.h>
#include <string.h>
#include "base/assert.h"
#include "interposer/call/api.h"
#include "interposer/call/callback.h"
#include "interposer/call/operands.h"
#include "interposer/cupti/cupti.h"
#include "interposer/runtime/runtime.h"
#include "interposer/call/tracking.h"
#include "interposer/call/graph.h"
#include "interposer/guard/stack_operand.h"
#include "interposer/call/sync_memops.h"
#include "interposer/core/code_range.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/hook/site_keep.h"
#include "interposer/library/enqueues.h"
#include "interposer/stack/stack.h"
#include "interposer/sync/sync.h"
#include "interposer/sanitizer/recording.h"
#include "interposer/python/python.h"
#include "interposer/object/memory.h"
#include "interposer/guard/fault.h"
#include "interposer/core/thread.h"
#include "interposer/core/module.h"
#include "interposer/hook/behind.h"
#include "interposer/core/clock.h"
#include "interposer/core/scratch.h"
#include "interposer/core/windows.h"
#include "interposer/driver/entry.h"

static atomic_uint names[SC_APIS][2]; /* string ids, 0: not written yet */

/* What a launch that came before does not run through: the caches hold the rest. */
#define APART __attribute__((noinline))

/* String id of the symbol; the STRING op is written before its id is used. */
static uint32_t call_name(const struct sc_call *call)
{
	int row = (int)(call->api - sc_apis);
	atomic_uint *slot = &names[row][call->per_thread];
	/* acquire: pairs with the release below */
	unsigned id = atomic_load_explicit(slot, memory_order_acquire);

	if (id)
		return id;
	id = sc_put_string(sc_entry_name(row, call->per_thread));
	atomic_store_explicit(slot, id, memory_order_release);
	return id;
}

/* The end of a stream is no node, whatever goes on in it. */
static bool is_capturable(const struct sc_call *call)
{
	return call->api->kind != SC_OP_STREAM_DESTROY;
}

static void resolve_stream(struct sc_call *call, struct sc_handle *context)
{
	struct sc_op *op = &call->op;
	uint32_t its_context;

	sc_call_set_stream(call, sc_stream_resolve(call->facts.stream, call->per_thread, context));
	if (!call->stream)
		return;
	op->stream = call->stream_id;
	its_context = call->stream->context;
	if (its_context)
		op->context = its_context;
	if (call->stream->alive != call->stream_id)
		op->flags |= SC_FLAG_DEAD_HANDLE;
	if (is_capturable(call) && sc_stream_captures(call->stream, call->facts.stream))
		op->flags |= SC_FLAG_CAPTURED;
}

static uint32_t resolve_object(struct sc_call *call, enum sc_handle_type type, const void *raw)
{
	struct sc_handle *h = raw ? sc_handle_see(type, raw) : NULL;

	if (!h)
		return 0;
	sc_call_set_object(call, h);
	if (h->alive != call->object_id)
		call->op.flags |= SC_FLAG_DEAD_HANDLE;
	return call->object_id;
}

static uint32_t resolve_context(const void *raw)
{
	struct sc_handle *h = raw ? sc_handle_see(SC_HANDLE_CONTEXT, raw) : NULL;

	return h ? h->id : 0;
}

static uint32_t resolve_green(const void *raw)
{
	struct sc_handle *h = raw ? sc_handle_see(SC_HANDLE_GREEN, raw) : NULL;

	return h ? h->id : 0;
}

/* From the row's facts to the op; handles become ids, pointers are classified (0.5, 4.1). */
static void fill(struct sc_call *call)
{
	struct sc_facts *f = &call->facts;
	struct sc_handle *context = sc_context_for(f->has_stream ? f->stream : NULL);
	struct sc_op *op = &call->op;

	op->flags |= f->flags;
	if (context) {
		op->context = context->id;
		op->device = (uint8_t)context->device;
	}
	if (f->context && call->api->kind != SC_OP_CONTEXT_CREATE)
		op->context = resolve_context(f->context);
	if (f->has_stream)
		resolve_stream(call, context);
	if (context && call->stream && call->stream->context &&
	    call->stream->context != context->id)
		op->flags |= SC_FLAG_OTHER_CONTEXT;
	if (f->event)
		op->object = resolve_object(call, SC_HANDLE_EVENT, f->event);
	if (f->has_event2)
		op->peer = resolve_object(call, SC_HANDLE_EVENT, f->event2);
	if (f->green)
		op->peer = resolve_green(f->green);
	if (f->handle_type)
		op->object = resolve_object(call, f->handle_type, f->handle);
	op->dst_context = resolve_context(f->dst_context);
	op->src_context = resolve_context(f->src_context);
	if (!f->memory)
		sc_operands_resolve(call);
}

static void attach_rectangle(struct sc_call *call)
{
	const struct sc_facts *f = &call->facts;
	uint8_t *scratch;
	struct sc_access *a;

	scratch = f->rows ? sc_thread_scratch() : NULL;
	if (!scratch)
		return;
	a = (struct sc_access *)scratch;
	*a = (struct sc_access){.base = call->op.dst,
				.width = f->bytes,
				.pitch = f->pitch,
				.rows = f->rows,
				.slices = 1,
				.mode = SC_WRITE,
				.known = SC_KNOWN_EXACT,
				.memory = call->op.dst_mem};
	sc_call_attach(call, SC_ATTACH_ACCESSES, a, sizeof(*a));
	call->op.bytes = 0;
}

/* Outside of windows the stacks of work and waits are not wanted; of work that is captured, and of
 * what makes memory and objects, they may be asked for inside. */
static bool has_no_stack(const struct sc_op *op)
{
	enum sc_op_class class;

	if (!sc_windows_is_closed())
		return false;
	class = sc_op_kind_class(op->kind);
	return (class == SC_CLASS_ENQUEUE || class == SC_CLASS_WAIT) &&
	       op->kind != SC_OP_ALLOC_ASYNC && !(op->flags & SC_FLAG_CAPTURED);
}

static void take_stack(struct sc_call *call)
{
	struct sc_stack stack;

	call->op.stack = 0;
	if (has_no_stack(&call->op))
		return;
	stack = sc_stack_of_call(call->frame);
	call->op.stack = sc_python_stack(stack.id);
	if (stack.library)
		call->op.flags |= SC_FLAG_LIBRARY;
}

/* The parts of an op that do not depend on the parameters. */
static void head(struct sc_call *call, enum sc_op_kind kind)
{
	memset(&call->op, 0, sizeof(call->op));
	call->op.kind = (uint16_t)kind;
	call->op.result = SC_RESULT_PENDING;
	call->op.thread = sc_thread_id();
	call->op.callback = sc_self.callback;
	call->op.flags = (call->per_thread ? SC_FLAG_PER_THREAD_API : 0);
	call->op.call = call_name(call);
	call->op.time_ns = sc_clock_quick();
	call->parts = 0;
	sc_call_set_stream(call, NULL);
	sc_call_set_object(call, NULL);
	call->cell = NULL;
	call->function = NULL;
	call->sequence = SC_NOT_WRITTEN;
}

static void compose(struct sc_call *call)
{
	const struct sc_tracking *tracking = sc_tracking_of(call->api->kind);

	call->api->decode(&call->facts, call->params);
	fill(call);
	attach_rectangle(call);
	if (call->facts.hand)
		call->facts.hand(call);
	if (call->op.flags & SC_FLAG_SYNC)
		sc_sync_memops_mark(&call->op);
	take_stack(call);
	if (tracking->prepare)
		tracking->prepare(call);
}

static void write_op(struct sc_call *call)
{
	if (call->op.kind != SC_OP_NONE)
		call->sequence = sc_put_op(&call->op, call->part, call->parts);
	if (sc_self.enqueues)
		sc_enqueues_note(sc_self.enqueues, call->sequence);
	sc_self.current = call->sequence + 1; /* 0 if it was not written */
	atomic_store_explicit(&sc_session.recorded, 1, memory_order_relaxed);
}

/* Inside a host function every call is an offence (C-4), whatever its row says. A call that comes
 * from the runtime is already recorded: by the wrapper of libcudart.so's function, or by CUPTI. */
static APART void enter_in_callback(struct sc_call *call)
{
	struct sc_stack stack;

	sc_assert(sc_self.callback);
	call->stage = SC_STAGE_NESTED;
	head(call, SC_OP_CALL);
	stack = sc_stack_of_call(call->frame);
	if (stack.runtime || sc_cupti_thread()->in_runtime)
		return;
	call->op.stack = sc_python_stack(stack.id);
	call->op.flags |= SC_FLAG_IN_CALLBACK | (stack.library ? SC_FLAG_LIBRARY : 0);
	if (call->api->when == SC_WHEN_ENTRY || call->api->when == SC_WHEN_SPAN) {
		call->op.kind = call->api->kind;
		call->op.phase = call->api->when == SC_WHEN_SPAN ? SC_PHASE_BEGIN : SC_PHASE_ONCE;
		call->stage = call->api->when == SC_WHEN_SPAN ? SC_STAGE_SPAN : SC_STAGE_ENTERED;
		call->api->decode(&call->facts, call->params);
		fill(call);
		if (call->facts.hand)
			call->facts.hand(call);
	}
	write_op(call);
}

static void enter(struct sc_call *call)
{
	bool span = call->api->when == SC_WHEN_SPAN;
	uint16_t kind = call->api->kind;

	head(call, kind);
	if (span)
		call->op.phase = SC_PHASE_BEGIN;
	if (span && (kind == SC_OP_COPY || kind == SC_OP_SET))
		call->op.flags |= SC_FLAG_SYNC;
	compose(call);
	if (span)
		sc_sync_record_held();
	write_op(call);
	if (call->api->when == SC_WHEN_BLIND)
		sc_call_count_blind(call, 1);
	if (call->cell)
		call->cell->sequence = call->sequence;
	sc_session_serve();
	sc_windows_serve();
	call->stage = span ? SC_STAGE_SPAN : SC_STAGE_ENTERED;
	sc_site_keep(call);
}

/* What the call does is known at its exit. */
static void enter_unwritten(struct sc_call *call, enum sc_stage stage)
{
	call->stage = (uint8_t)stage;
	sc_self.unwritten = call;
}

static bool is_quiet(const struct sc_api *api)
{
	return api->when == SC_WHEN_QUIET && !sc_self.callback;
}

void sc_intercept_begin(struct sc_call *call, int row, bool per_thread, void *params)
{
	sc_assert(row >= 0 && row < SC_APIS);
	call->api = &sc_apis[row];
	call->per_thread = per_thread;
	call->params = params;
	call->stage = SC_STAGE_NONE;
	if (is_quiet(call->api) || sc_self.busy || sc_thread_is_inside(call->frame))
		return;
	if (!sc_session_is_live())
		sc_session_start();
	sc_session_meet_end();
	if (!sc_session_is_live())
		return;
	call->saved_errno = errno;
	if (sc_self.steps)
		sc_fault_settle();
	if (sc_self.framed)
		sc_stack_operand_check();
	if (sc_self.callback)
		enter_in_callback(call);
	else if (call->api->when == SC_WHEN_WATCH)
		enter_unwritten(call, SC_STAGE_WATCH);
	else if (call->api->when == SC_WHEN_EXIT)
		enter_unwritten(call, SC_STAGE_EXIT);
	else
		enter(call);
	sc_thread_enter(call->frame);
	errno = call->saved_errno;
}

void *sc_intercept_enter(struct sc_call *call, int row, bool per_thread, void *params,
			 const void *frame)
{
	call->frame = frame;
	if (!sc_self.busy && !sc_thread_is_inside(frame) && !sc_self.callback)
		sc_behind_meet();
	if (sc_session.options.source && sc_cupti_reports_call())
		call->stage = SC_STAGE_NONE;
	else
		sc_intercept_begin(call, row, per_thread, params);
	if (sc_recording_is_on() && !sc_windows_is_closed() && call->stage == SC_STAGE_ENTERED &&
	    (call->op.kind == SC_OP_KERNEL || call->op.kind == SC_OP_GRAPH_LAUNCH))
		sc_recording_prepare();
	return sc_entry_find(row, per_thread);
}

static void finish(struct sc_call *call)
{
	const struct sc_tracking *tracking = sc_tracking_of(call->api->kind);

	if (tracking->finish)
		tracking->finish(call);
	if (call->facts.after)
		call->facts.after(call);
	if (call->op.flags & SC_FLAG_CAPTURED)
		sc_graph_captured(call);
}

static APART void exit_span(struct sc_call *call)
{
	struct sc_op op = call->op;

	sc_assert(op.phase == SC_PHASE_BEGIN);
	sc_put_result(call->sequence, call->result);
	op.phase = SC_PHASE_END;
	op.result = call->result;
	op.link = call->sequence + 1;
	op.time_ns = sc_clock_now();
	sc_put_op(&op, NULL, 0);
}

/* Whether a call that got no memory says by its parameters how much it wanted; others say so by
 * what the driver wrote. */
static bool says_bytes(const struct sc_call *call)
{
	return call->result == CUDA_ERROR_OUT_OF_MEMORY &&
	       call->api != &sc_apis[SC_API_cuMemAllocPitch_v2];
}

/* A call that made nothing is a call with its answer. */
static APART void exit_failed(struct sc_call *call)
{
	head(call, SC_OP_CALL);
	call->op.result = call->result;
	if (says_bytes(call)) {
		call->api->decode(&call->facts, call->params);
		call->op.bytes = call->facts.bytes;
	}
	take_stack(call);
	write_op(call);
}

/* Creations are written now, because only now are their outputs known; but a capture that fails to
 * end may be over all the same. */
static APART void exit_creation(struct sc_call *call)
{
	memset(&call->facts, 0, sizeof(call->facts));
	head(call, call->api->kind);
	call->op.result = call->result;
	if (!call->result || call->api->kind == SC_OP_CAPTURE_END) {
		compose(call);
		if (call->facts.after)
			call->facts.after(call);
		write_op(call);
		sc_site_keep(call);
	} else {
		exit_failed(call);
	}
	if (sc_tracking_of(call->api->kind)->finish)
		sc_tracking_of(call->api->kind)->finish(call);
	if (call->op.flags & SC_FLAG_CAPTURED)
		sc_graph_captured(call); /* an allocation makes a node, too */
}

static APART void exit_watch(struct sc_call *call)
{
	if (call->result) {
		exit_failed(call);
		return;
	}
	memset(&call->op, 0, sizeof(call->op));
	call->api->decode(&call->facts, call->params);
	if (call->facts.after)
		call->facts.after(call);
}

/* The offence was written at the entry; what a call did all the same is recorded too. */
static APART void exit_nested(struct sc_call *call)
{
	sc_put_result(call->sequence, call->result);
	if (call->result)
		return;
	if (call->api->when == SC_WHEN_EXIT)
		exit_creation(call);
	else if (call->api->when == SC_WHEN_WATCH)
		exit_watch(call);
}

/* What the launch touches is collected in the very stream that the program named, by the same form
 * of the call: it means the same. */
static APART void exit_recorded(const struct sc_call *call)
{
	struct sc_facts facts;

	call->api->decode(&facts, call->params);
	sc_recording_launched(call->result, facts.stream, call->per_thread);
}

CUresult sc_intercept_exit(struct sc_call *call, CUresult result)
{
	if (call->stage == SC_STAGE_NONE)
		return result;
	call->saved_errno = errno;
	call->result = (int)result;
	sc_self.current = 0;
	sc_self.unwritten = NULL;
	switch ((enum sc_stage)call->stage) {
	case SC_STAGE_NONE:
	case SC_STAGE_SITE: sc_assert(false); break;
	case SC_STAGE_WATCH: exit_watch(call); break;
	case SC_STAGE_EXIT: exit_creation(call); break;
	case SC_STAGE_SPAN:
		exit_span(call);
		finish(call);
		break;
	case SC_STAGE_ENTERED:
		sc_put_result(call->sequence, call->result);
		if (call->result && call->op.kind == SC_OP_KERNEL)
			sc_runtime_failed();
		finish(call);
		if (sc_recording_is_launch())
			exit_recorded(call);
		break;
	case SC_STAGE_NESTED: exit_nested(call); break;
	}
	sc_assert(sc_self.depth > 0);
	sc_thread_leave();
	sc_session_meet_end();
	errno = call->saved_errno;
	return result;
}

/* ---- the module ---- */

#define FRAME_BYTES 4096 /* bytes of a wrapper's frame */

/* The call is still there: a handler of the program may have left it by a jump. */
static bool is_there(const struct sc_call *call)
{
	const void *frame = call->frame;

	return call->api >= sc_apis && call->api < sc_apis + SC_APIS &&
	       (!frame ||
		(frame > (const void *)call && (uintptr_t)frame - (uintptr_t)call < FRAME_BYTES));
}

/* A fault of the driver ends the process in a call that is written at its exit: the call is written
 * now, as one that never returned. Python is not asked, which may be running in other threads. */
static void flush(void)
{
	const struct sc_call *inside = sc_self.unwritten;
	struct sc_call call;
	bool is_graph;

	if (!sc_session.fatal || !inside || sc_self.busy != 1 || !is_there(inside))
		return;
	call = *inside;
	is_graph = call.api->kind == SC_OP_INSTANTIATE;
	head(&call, is_graph ? SC_OP_INSTANTIATE : SC_OP_CALL);
	call.op.stack = sc_stack_of_call(call.frame).id;
	if (is_graph)
		sc_graph_dies(&call);
	write_op(&call);
	if (is_graph)
		sc_graph_died(&call);
}

const struct sc_module sc_module_intercept = {.flush = flush, SC_MODULE_STATE(names)};
