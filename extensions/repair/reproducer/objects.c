/* Objects: what the calls use is declared and made before them. */
#include "extensions/repair/reproducer/printer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096

/* One declaration for all of a kind. */
static void declare(struct sc_printer *p, uint32_t kind, const char *type, const char *mark)
{
	const char *separator = NULL;

	for (size_t i = 0; i < p->program.names.count; i++) {
		if (p->program.names.items[i].kind != kind)
			continue;
		if (!separator)
			sc_buf_printf(p->out, "\tstatic %s", type);
		sc_buf_printf(p->out, "%s%s%s", separator ? separator : "", mark,
			      p->program.names.items[i].text);
		separator = ", ";
	}
	if (separator)
		sc_buf_add(p->out, ";\n");
}

static bool is_made_by_step(const struct sc_printer *p, const struct sc_slice_memory *m)
{
	const struct sc_slice *s = p->program.slice;

	for (size_t i = 0; i < s->steps.count; i++)
		if (s->steps.items[i].place + 1 == m->place)
			return 1;
	return m->is_frame;
}

static void add_pinned(struct sc_printer *p, const struct sc_slice_memory *m, const char *name)
{
	if (m->flags & SC_FLAG_WRITE_COMBINED)
		sc_buf_printf(p->out,
			      "\tCHECK(cudaHostAlloc(&%s, %" PRIu64
			      ", cudaHostAllocWriteCombined));",
			      name, m->bytes);
	else
		sc_buf_printf(p->out, "\tCHECK(cudaMallocHost(&%s, %" PRIu64 "));", name, m->bytes);
}

/* Host accesses are seen in whole pages only. */
static void add_pages(struct sc_printer *p, const struct sc_slice_memory *m, const char *name)
{
	uint64_t bytes = (m->bytes + PAGE - 1) / PAGE * PAGE;
	bool is_read_only = (m->flags & SC_FLAG_READ_ONLY) != 0;

	sc_buf_printf(p->out, "\t%s = (char *)aligned_alloc(%d, %" PRIu64 ");", name, PAGE, bytes);
	if (m->memory == SC_MEM_REGISTERED)
		sc_buf_printf(p->out, " CHECK(cudaHostRegister(%s, %" PRIu64 ", %s));", name, bytes,
			      is_read_only ? "cudaHostRegisterReadOnly" : "0");
}

static void add_memory(struct sc_printer *p, const struct sc_slice_memory *m, const char *name)
{
	const char *call = m->memory == SC_MEM_MANAGED ? "cudaMallocManaged" : "cudaMalloc";

	sc_printer_set_device(p, sc_statement_device(&p->program, m->context));
	if (m->kind == SC_OP_ALLOC_ASYNC) {
		sc_buf_printf(p->out, "\tCHECK(cudaMallocAsync(&%s, %" PRIu64 ", ", name, m->bytes);
		sc_statement_add_stream(&p->program, p->out, m->stream);
		sc_buf_add(p->out, ")); CHECK(cudaDeviceSynchronize());");
	} else if (m->memory == SC_MEM_PINNED) {
		add_pinned(p, m, name);
	} else if (m->memory == SC_MEM_PAGEABLE || m->memory == SC_MEM_REGISTERED) {
		add_pages(p, m, name);
	} else {
		sc_buf_printf(p->out, "\tCHECK(%s(&%s, %" PRIu64 "));", call, name, m->bytes);
	}
	sc_printer_add_comment(p, "", m->stack, m->place ? m->place - 1 : 0);
}

static void add_stream(struct sc_printer *p, uint32_t stream, const char *name)
{
	const struct sc_named *named = sc_names_stream(p->program.words->report->names, stream);
	bool is_blocking = !named || !(named->flags & SC_FLAG_NON_BLOCKING);

	sc_printer_set_device_of(p, stream, 0);
	if (is_blocking)
		sc_buf_printf(p->out, "\tCHECK(cudaStreamCreate(&%s));", name);
	else
		sc_buf_printf(p->out,
			      "\tCHECK(cudaStreamCreateWithFlags(&%s, cudaStreamNonBlocking));",
			      name);
	sc_printer_add_comment(p, "", named ? named->stack : 0, 0);
}

static void add_event(struct sc_printer *p, uint32_t event, const char *name)
{
	const uint64_t *flags = sc_u64_map_find(&p->program.slice->event_flags, event);
	const struct sc_names *names = p->program.words->report->names;

	sc_buf_printf(p->out, "\tCHECK(cudaEventCreateWithFlags(&%s, %s));", name,
		      flags && *flags & SC_FLAG_NO_TIMING ? "cudaEventDisableTiming"
							  : "cudaEventDefault");
	sc_printer_add_comment(p, "", sc_names_made_at(names, SC_OP_EVENT_CREATE, event), 0);
}

/* Of a host node, that of what its function does. */
static unsigned side_of(const struct sc_slice *s, const struct sc_slice_step *node)
{
	for (size_t i = 0; i < s->steps.count && !node->side; i++)
		if (s->steps.items[i].by == (size_t)(node - s->steps.items) + 1)
			return s->steps.items[i].side;
	return node->side;
}

static void add_node(struct sc_printer *p, const struct sc_slice_step *step, const char *after)
{
	unsigned side = side_of(p->program.slice, step);
	const char *name = side == 1 ? "first" : "then";

	sc_buf_add_char(p->out, '\t');
	sc_statement_add_node(&p->program, p->out, step, name, after);
	sc_printer_add_comment(p, side == 1 ? "first: " : "then: ", step->op.stack, step->place);
}

/* The second node depends on the first in so far that it may begin early. */
static void add_early_edge(struct sc_printer *p, const char *graph)
{
	p->program.helpers |= SC_HELPER_TRIGGER;
	sc_printer_add_line(p, "cudaGraphEdgeData edge = {};");
	sc_printer_add_line(p, "edge.from_port = cudaGraphKernelNodePortProgrammatic;");
	sc_printer_add_line(p, "edge.type = cudaGraphDependencyTypeProgrammatic;");
	sc_buf_printf(p->out,
		      "\tCHECK(cudaGraphAddDependencies(%s_nodes, &first, &then, &edge, 1));\n",
		      graph);
}

static void add_graph(struct sc_printer *p, uint32_t graph, const char *name)
{
	const struct sc_slice *s = p->program.slice;

	sc_buf_printf(p->out, "\tCHECK(cudaGraphCreate(&%s_nodes, 0));\n", name);
	for (size_t i = 0; i < s->steps.count; i++) {
		const struct sc_slice_step *step = &s->steps.items[i];

		if (!(step->op.flags & SC_FLAG_NODE) || step->op.peer != graph)
			continue;
		if (p->fix == SC_MEND_EDGE && side_of(s, step) == 2) {
			sc_printer_begin_guard(p, 1);
			add_node(p, step, "first");
			sc_printer_end_guard(p);
			sc_printer_begin_guard(p, 0);
		}
		add_node(p, step, NULL);
		if (p->finding->rule == SC_RULE_125 && side_of(s, step) == 2)
			add_early_edge(p, name);
		if (p->fix == SC_MEND_EDGE && side_of(s, step) == 2)
			sc_printer_end_guard(p);
	}
	sc_buf_printf(p->out, "\tCHECK(cudaGraphInstantiate(&%s, %s_nodes, 0));", name, name);
	sc_printer_add_comment(
		p, "", sc_names_made_at(p->program.words->report->names, SC_OP_INSTANTIATE, graph),
		0);
}

static void add_made(struct sc_printer *p, uint32_t kind)
{
	for (size_t i = 0; i < p->program.names.count; i++) {
		const struct sc_statement_name *n = &p->program.names.items[i];
		char name[SC_SPELLING_NAME]; /* names may move */

		if (n->kind != kind)
			continue;
		memcpy(name, n->text, sizeof(name));
		if (kind == SC_OP_STREAM_CREATE)
			add_stream(p, (uint32_t)n->id, name);
		else if (kind == SC_OP_EVENT_CREATE)
			add_event(p, (uint32_t)n->id, name);
		else if (kind == SC_OP_INSTANTIATE)
			add_graph(p, (uint32_t)n->id, name);
		else if (!is_made_by_step(p, &p->program.slice->memory.items[n->id]))
			add_memory(p, &p->program.slice->memory.items[n->id], name);
	}
}

static void declare_graphs(struct sc_printer *p)
{
	const struct sc_slice *s = p->program.slice;

	declare(p, SC_OP_INSTANTIATE, "cudaGraphExec_t ", "");
	for (size_t i = 0; i < p->program.names.count; i++)
		if (p->program.names.items[i].kind == SC_OP_INSTANTIATE)
			sc_buf_printf(p->out, "\tstatic cudaGraph_t %s_nodes;\n",
				      p->program.names.items[i].text);
	for (size_t i = 0; i < s->steps.count; i++)
		if (s->steps.items[i].op.flags & SC_FLAG_NODE)
			sc_buf_printf(p->out, "\tstatic cudaGraphNode_t %s;\n",
				      side_of(s, &s->steps.items[i]) == 1 ? "first" : "then");
}

/* All names have to be made before the first declaration. */
static void name_all(struct sc_printer *p)
{
	const struct sc_slice *s = p->program.slice;
	struct sc_buf unused = {0};

	for (size_t i = 0; i < s->memory.count; i++)
		if (s->memory.items[i].is_used && s->memory.items[i].kind == SC_OP_ALLOC_ASYNC)
			sc_statement_add_stream(&p->program, &unused, s->memory.items[i].stream);
	for (size_t i = 0; i < s->steps.count; i++)
		if (s->steps.items[i].op.flags & SC_FLAG_NODE)
			sc_statement_add_node(&p->program, &unused, &s->steps.items[i], "first",
					      NULL);
	sc_buf_fini(&unused);
}

/* The event of the edit. */
static void add_done(struct sc_printer *p)
{
	if (p->fix != SC_MEND_EVENT)
		return;
	sc_printer_set_device_of(p, p->first->op.stream, p->first->op.context);
	sc_printer_begin_guard(p, 1);
	sc_printer_add_line(p, "static cudaEvent_t done;");
	sc_printer_add_line(p, "CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));");
	sc_printer_end_guard(p);
}

static unsigned device_of_step(const struct sc_printer *p, const struct sc_slice_step *step)
{
	const struct sc_names *names = p->program.words->report->names;
	const struct sc_named *stream = sc_names_stream(names, step->op.stream);

	return sc_statement_device(&p->program, stream ? stream->context : step->op.context);
}

/* Each device may use the memory of the other one. */
static void add_peers(struct sc_printer *p)
{
	const struct sc_slice *s = p->program.slice;
	unsigned own = device_of_step(p, p->first), other = device_of_step(p, p->second);

	for (size_t i = 0; i < s->memory.count && own == other; i++)
		if (s->memory.items[i].is_used && s->memory.items[i].place)
			other = sc_statement_device(&p->program, s->memory.items[i].context);
	if (own == other || p->finding->rule == SC_RULE_128)
		return;
	sc_printer_set_device(p, own);
	sc_buf_printf(p->out, "\tCHECK(cudaDeviceEnablePeerAccess(%u, 0));\n", other);
	sc_printer_set_device(p, other);
	sc_buf_printf(p->out, "\tCHECK(cudaDeviceEnablePeerAccess(%u, 0));\n", own);
}

void sc_printer_add_setup(struct sc_printer *p)
{
	p->out = &p->setup;
	p->guard_end = 0;
	p->device = 0;
	name_all(p);
	declare(p, SC_OP_ALLOC, "char ", "*");
	declare(p, SC_OP_STREAM_CREATE, "cudaStream_t ", "");
	declare(p, SC_OP_EVENT_CREATE, "cudaEvent_t ", "");
	declare_graphs(p);
	add_made(p, SC_OP_STREAM_CREATE);
	add_made(p, SC_OP_EVENT_CREATE);
	add_made(p, SC_OP_ALLOC);
	add_made(p, SC_OP_INSTANTIATE);
	add_peers(p);
	add_done(p);
}
