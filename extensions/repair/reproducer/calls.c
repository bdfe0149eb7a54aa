/* Calls: the steps in order, with the edit beside them. */
#include "extensions/repair/reproducer/printer.h"

#include <inttypes.h>
#include <stdlib.h>

#define PAGE 4096

static void add_stream_call(struct sc_printer *p, const char *call, uint32_t stream,
			    const char *rest)
{
	sc_buf_printf(p->out, "\tCHECK(%s", call);
	sc_statement_add_stream(&p->program, p->out, stream);
	sc_buf_printf(p->out, "%s));\n", rest);
}

/* The edit where it comes before the second side. */
static void add_before(struct sc_printer *p, const struct sc_slice_step *step)
{
	if (step != p->second || step == p->first)
		return;
	if (p->fix != SC_MEND_EVENT && p->fix != SC_MEND_SYNC)
		return;
	sc_printer_begin_guard(p, 1);
	if (p->fix == SC_MEND_EVENT)
		add_stream_call(p, "cudaStreamWaitEvent(", step->op.stream, ", done, 0");
	else
		add_stream_call(p, "cudaStreamSynchronize(", p->first->op.stream, "");
	sc_printer_end_guard(p);
}

static void add_statement(struct sc_printer *p, const struct sc_slice_step *step, const char *role)
{
	if (sc_statement_has_stream(&p->program, step->op.stream) || step->op.context)
		sc_printer_set_device_of(p, step->op.stream, step->op.context);
	sc_buf_add_char(p->out, '\t');
	sc_statement_add(&p->program, p->out, step);
	sc_printer_add_comment(p, role, step->op.stack, step->place);
}

/* The first side, which ends something, after the second. */
static void add_later(struct sc_printer *p, const struct sc_slice_step *step)
{
	struct sc_slice_step later = *p->first;

	if (later.op.kind == SC_OP_FREE_ASYNC || later.op.kind == SC_OP_DISCARD)
		later.op.stream = step->op.stream ? step->op.stream : later.op.stream;
	else
		sc_printer_add_line(p, "CHECK(cudaDeviceSynchronize());");
	add_statement(p, &later, "");
}

/* The edit where it comes after a side. */
static void add_after(struct sc_printer *p, const struct sc_slice_step *step)
{
	bool is_first = step == p->first && (p->fix == SC_MEND_EVENT || p->fix == SC_MEND_MOVE ||
					     p->fix == SC_MEND_AFTER);

	if (!is_first && (step != p->second || p->fix != SC_MEND_LATER))
		return;
	sc_printer_begin_guard(p, 1);
	if (!is_first)
		add_later(p, step);
	else if (p->fix == SC_MEND_MOVE)
		add_statement(p, p->moved, "");
	else if (p->fix == SC_MEND_AFTER)
		add_stream_call(p, "cudaStreamSynchronize(", step->op.stream, "");
	else
		add_stream_call(p, "cudaEventRecord(done, ", step->op.stream, "");
	sc_printer_end_guard(p);
}

static void add_local(struct sc_printer *p, const struct sc_slice_memory *m, size_t index)
{
	uint64_t bytes = (m->bytes + PAGE - 1) / PAGE * PAGE;
	const char *name = sc_statement_name(&p->program, SC_OP_ALLOC, index);

	sc_buf_printf(p->out, "\talignas(%d) char %s[%" PRIu64 "];\n", PAGE, name, bytes);
	if (m->memory == SC_MEM_REGISTERED)
		sc_buf_printf(p->out, "\tCHECK(cudaHostRegister(%s, %" PRIu64 ", 0));\n", name,
			      bytes);
}

/* The end of memory of a function: a function of its own, with the first side in it. */
static void add_frame(struct sc_printer *p, size_t index)
{
	sc_buf_add(p->out, "\t[] {\n");
	add_local(p, &p->program.slice->memory.items[index], index);
	add_statement(p, p->first, sc_printer_role(p, p->first));
	sc_printer_begin_guard(p, 1);
	add_stream_call(p, "cudaStreamSynchronize(", p->first->op.stream, "");
	sc_printer_end_guard(p);
	sc_buf_add(p->out, "\t}();");
	sc_printer_add_comment(p, "then: ", p->second->op.stack, p->second->place);
}

/* The second side with the stream of the first. */
static void add_free(struct sc_printer *p, const struct sc_slice_step *step)
{
	struct sc_slice_step other = *step;

	other.op.stream = p->first->op.stream;
	sc_printer_begin_guard(p, 1);
	add_statement(p, &other, "");
	sc_printer_end_guard(p);
	sc_printer_begin_guard(p, 0);
	add_statement(p, step, sc_printer_role(p, step));
	sc_printer_end_guard(p);
}

/* A step with what comes before and after it in its thread. */
static void add_step(struct sc_printer *p, const struct sc_slice_step *step)
{
	bool is_wrong = sc_mend_drops(p->program.slice, step) ||
			(step == p->moved && p->fix == SC_MEND_MOVE) ||
			(step == p->first && (p->fix == SC_MEND_LATER || p->fix == SC_MEND_ONCE));

	add_before(p, step);
	if (is_wrong)
		sc_printer_begin_guard(p, 0);
	if (step == p->second && p->fix == SC_MEND_FREE_STREAM)
		add_free(p, step);
	else
		add_statement(p, step, sc_printer_role(p, step));
	if (is_wrong)
		sc_printer_end_guard(p);
	add_after(p, step);
}

static void add_call(struct sc_printer *p, const struct sc_slice_step *step)
{
	unsigned device = p->device;

	if (!step->op.thread || step->op.thread == p->main_thread) {
		add_step(p, step);
		return;
	}
	p->program.helpers |= SC_HELPER_THREAD;
	p->device = 0;
	sc_printer_add_line(p, "std::thread([] {");
	add_step(p, step);
	sc_printer_add_line(p, "}).join();");
	p->device = device;
}

/* The memory that ends with a function, + 1. */
static size_t frame_of(const struct sc_slice *s)
{
	for (size_t i = 0; i < s->memory.count; i++)
		if (s->memory.items[i].is_frame)
			return i + 1;
	return 0;
}

/* Accesses of the host are seen while the device uses the memory: where only host functions do, a
 * fill before them has it used. */
static void add_use(struct sc_printer *p)
{
	const struct sc_slice_step *with = p->first->op.stream ? p->first : p->second;
	const struct sc_slice_step *side = sc_slice_side(p->program.slice, 1);
	size_t memory = side->dst.memory ? side->dst.memory : side->src.memory;

	if (p->finding->rule != SC_RULE_124 || !memory)
		return;
	sc_buf_printf(p->out, "\tCHECK(cudaMemsetAsync(%s, 0, %" PRIu64 ", ",
		      sc_statement_name(&p->program, SC_OP_ALLOC, memory - 1),
		      p->program.slice->memory.items[memory - 1].bytes);
	sc_statement_add_stream(&p->program, p->out, with->op.stream);
	sc_buf_add(p->out, ")); // the host's accesses to memory in use are seen\n");
}

void sc_printer_add_body(struct sc_printer *p)
{
	const struct sc_slice *s = p->program.slice;
	size_t frame = frame_of(s);

	p->out = &p->body;
	add_use(p);
	for (size_t i = 0; i < s->steps.count; i++) {
		const struct sc_slice_step *step = &s->steps.items[i];

		if (step->by || step->op.kind == SC_OP_NONE || (frame && step == p->second))
			continue;
		if (frame && step == p->first)
			add_frame(p, frame - 1);
		else
			add_call(p, step);
	}
	sc_printer_add_line(p, "CHECK(cudaDeviceSynchronize());");
}
