/* Reproduction: statements first, then what they turned out to need, printed in the other order. */
#include "extensions/repair/reproducer/reproduction.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "extensions/repair/reproducer/mend.h"
#include "extensions/repair/reproducer/statement.h"
#include "reports/sources/site.h"

#define COMMENT_MOST 160
#define PAGE	     4096

struct printer {
	struct sc_statements program;
	struct sc_buf body, setup;
	struct sc_buf *out; /* one of these */
	const struct sc_finding *finding;
	enum sc_mend fix;
	const struct sc_slice_step *first, *second; /* the calls of the two sides */
	const struct sc_slice_step *moved;
	size_t guard_end; /* of the last part that stands for one program only, if more may follow
			   */
	bool is_fixed, has_else;
	unsigned device; /* current, of the main thread */
	uint32_t main_thread;
};

/* ---- lines ---- */

static void add_comment(struct printer *p, const char *what, uint32_t stack, uint64_t place)
{
	const struct sc_words *words = p->program.words;
	const struct sc_frame *frame;
	struct sc_report_site site;
	struct sc_buf text = {0};

	sc_site_of_stack(&site, words->report, stack);
	frame = stack ? sc_site_frame(&site) : NULL;
	sc_buf_add(&text, what);
	if (frame && frame->line) {
		sc_site_add_place(&text, frame, words->directory);
		sc_buf_add(&text, "  ");
		sc_site_add_function(&text, frame);
	} else if (place) {
		sc_buf_printf(&text, "operation %" PRIu64, place);
	}
	if (text.bytes) {
		sc_buf_add(p->out, " // ");
		sc_spelling_comment(p->out, sc_buf_text(&text), COMMENT_MOST);
	}
	sc_buf_add_char(p->out, '\n');
	sc_buf_fini(&text);
}

static void add_line(struct printer *p, const char *text)
{
	sc_buf_printf(p->out, "\t%s\n", text);
}

/* One that begins where another one has ended goes on with it. */
static void begin_guard(struct printer *p, bool is_fixed)
{
	bool goes_on = p->guard_end && p->out->bytes == p->guard_end;

	if (goes_on)
		p->out->bytes -= strlen("#endif\n");
	if (!goes_on)
		sc_buf_add(p->out, is_fixed ? "#ifdef FIXED\n" : "#ifndef FIXED\n");
	else if (is_fixed != p->is_fixed)
		sc_buf_add(p->out, "#else\n");
	p->has_else = goes_on && (p->has_else || is_fixed != p->is_fixed);
	p->is_fixed = is_fixed;
}

static void end_guard(struct printer *p)
{
	sc_buf_add(p->out, "#endif\n");
	p->guard_end = p->has_else ? 0 : p->out->bytes;
}

static void set_device(struct printer *p, unsigned device)
{
	if (device == p->device)
		return;
	p->device = device;
	sc_buf_printf(p->out, "\tCHECK(cudaSetDevice(%u));\n", device);
}

static void set_device_of_stream(struct printer *p, uint32_t stream, uint32_t context)
{
	const struct sc_named *named = sc_names_stream(p->program.words->report->names, stream);

	set_device(p, sc_statement_device(&p->program, named ? named->context : context));
}

/* ---- steps ---- */

static void add_stream_call(struct printer *p, const char *call, uint32_t stream, const char *rest)
{
	sc_buf_printf(p->out, "\tCHECK(%s(", call);
	sc_statement_add_stream(&p->program, p->out, stream);
	sc_buf_printf(p->out, "%s));\n", rest);
}

static void add_record(struct printer *p)
{
	sc_buf_add(p->out, "\tstatic cudaEvent_t done;\n"
			   "\tCHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));\n"
			   "\tCHECK(cudaEventRecord(done, ");
	sc_statement_add_stream(&p->program, p->out, p->first->op.stream);
	sc_buf_add(p->out, "));\n");
}

/* The edit where it comes before the second side. */
static void add_wait(struct printer *p)
{
	if (p->fix != SC_MEND_EVENT && p->fix != SC_MEND_SYNC)
		return;
	begin_guard(p, 1);
	if (p->fix == SC_MEND_EVENT)
		add_stream_call(p, "cudaStreamWaitEvent", p->second->op.stream, ", done, 0");
	else
		add_stream_call(p, "cudaStreamSynchronize", p->first->op.stream, "");
	end_guard(p);
}

static void add_step(struct printer *p, const struct sc_slice_step *step);

/* The edit where it comes after a side. */
static void add_after(struct printer *p, const struct sc_slice_step *step)
{
	struct sc_slice_step later = *p->first;

	if (step == p->first && (p->fix == SC_MEND_EVENT || p->fix == SC_MEND_MOVE)) {
		begin_guard(p, 1);
		if (p->fix == SC_MEND_EVENT)
			add_record(p);
		else
			add_step(p, p->moved);
		end_guard(p);
	}
	if (step != p->second || p->fix != SC_MEND_LATER)
		return;
	begin_guard(p, 1);
	if (later.op.kind == SC_OP_FREE_ASYNC)
		later.op.stream = step->op.stream ? step->op.stream : later.op.stream;
	else
		add_line(p, "CHECK(cudaDeviceSynchronize());");
	later.side = 0;
	add_step(p, &later);
	end_guard(p);
}

static const char *role_of(const struct printer *p, const struct sc_slice_step *step)
{
	if (step == p->first || step->side == 1)
		return "first: ";
	return step == p->second || step->side == 2 ? "then: " : "";
}

/* The end of memory of a function: a lambda with the first side in it. */
static void add_frame(struct printer *p, const struct sc_slice_step *step, uint64_t bytes,
		      const char *name)
{
	sc_buf_printf(p->out, "\t[] {\n\tchar %s[%" PRIu64 "];\n\t", name, bytes);
	sc_statement_add(&p->program, p->out, step);
	add_comment(p, role_of(p, step), step->op.stack, step->place);
	begin_guard(p, 1);
	add_stream_call(p, "cudaStreamSynchronize", step->op.stream, "");
	end_guard(p);
	sc_buf_add(p->out, "\t}();");
	add_comment(p, "then: ", p->second->op.stack, p->second->place);
}

static void add_step(struct printer *p, const struct sc_slice_step *step)
{
	bool is_other_thread = step->op.thread && step->op.thread != p->main_thread;

	if (sc_statement_has_stream(&p->program, step->op.stream) || step->op.context)
		set_device_of_stream(p, step->op.stream, step->op.context);
	sc_buf_add_char(p->out, '\t');
	if (is_other_thread) {
		p->program.helpers |= SC_HELPER_THREAD;
		sc_buf_add(p->out, "std::thread([] { ");
		if (p->device)
			sc_buf_printf(p->out, "CHECK(cudaSetDevice(%u)); ", p->device);
	}
	sc_statement_add(&p->program, p->out, step);
	if (is_other_thread)
		sc_buf_add(p->out, " }).join();");
	add_comment(p, role_of(p, step), step->op.stack, step->place);
}

static const struct sc_slice_memory *frame_of(const struct printer *p, size_t *index)
{
	for (*index = 0; *index < p->program.slice->memory.count; ++*index)
		if (p->program.slice->memory.items[*index].is_frame)
			return &p->program.slice->memory.items[*index];
	return NULL;
}

static void add_call(struct printer *p, const struct sc_slice_step *step)
{
	size_t index;
	const struct sc_slice_memory *frame = frame_of(p, &index);
	bool is_wrong = sc_mend_drops(p->program.slice, step) ||
			(step == p->moved && p->fix == SC_MEND_MOVE) ||
			(step == p->first && p->fix == SC_MEND_LATER);

	if (frame && step == p->second)
		return;
	if (step == p->second && step != p->first)
		add_wait(p);
	if (is_wrong)
		begin_guard(p, 0);
	if (step == p->second && p->fix == SC_MEND_FREE_STREAM) {
		struct sc_slice_step other = *step;

		other.op.stream = p->first->op.stream;
		other.side = 0;
		begin_guard(p, 1);
		add_step(p, &other);
		end_guard(p);
		begin_guard(p, 0);
		add_step(p, step);
		end_guard(p);
	} else if (frame && step == p->first) {
		add_frame(p, step, frame->bytes,
			  sc_statement_name(&p->program, SC_OP_ALLOC, index));
	} else {
		add_step(p, step);
	}
	if (is_wrong)
		end_guard(p);
	add_after(p, step);
}

static void add_body(struct printer *p)
{
	const struct sc_slice *s = p->program.slice;

	p->out = &p->body;
	for (size_t i = 0; i < s->steps.count; i++)
		if (!s->steps.items[i].by)
			add_call(p, &s->steps.items[i]);
	add_line(p, "CHECK(cudaDeviceSynchronize());");
}

/* ---- objects ---- */

/* One declaration for all of a kind. */
static void declare(struct printer *p, uint32_t kind, const char *type, const char *mark)
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

static bool is_made_by_step(const struct printer *p, const struct sc_slice_memory *m)
{
	const struct sc_slice *s = p->program.slice;

	for (size_t i = 0; i < s->steps.count; i++)
		if (s->steps.items[i].place + 1 == m->place)
			return 1;
	return m->is_frame;
}

static void add_pinned(struct printer *p, const struct sc_slice_memory *m, const char *name)
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
static void add_pages(struct printer *p, const struct sc_slice_memory *m, const char *name)
{
	uint64_t bytes = (m->bytes + PAGE - 1) / PAGE * PAGE;
	bool is_read_only = (m->flags & SC_FLAG_READ_ONLY) != 0;

	sc_buf_printf(p->out, "\t%s = (char *)aligned_alloc(%d, %" PRIu64 ");", name, PAGE, bytes);
	if (m->memory == SC_MEM_REGISTERED)
		sc_buf_printf(p->out, " CHECK(cudaHostRegister(%s, %" PRIu64 ", %s));", name, bytes,
			      is_read_only ? "cudaHostRegisterReadOnly" : "0");
}

static void add_memory(struct printer *p, const struct sc_slice_memory *m, const char *name)
{
	const char *call = m->memory == SC_MEM_MANAGED ? "cudaMallocManaged" : "cudaMalloc";

	set_device(p, sc_statement_device(&p->program, m->context));
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
	add_comment(p, "", m->stack, m->place ? m->place - 1 : 0);
}

static void add_stream(struct printer *p, uint32_t stream, const char *name)
{
	const struct sc_named *named = sc_names_stream(p->program.words->report->names, stream);
	bool is_blocking = !named || !(named->flags & SC_FLAG_NON_BLOCKING);

	set_device_of_stream(p, stream, 0);
	if (is_blocking)
		sc_buf_printf(p->out, "\tCHECK(cudaStreamCreate(&%s));", name);
	else
		sc_buf_printf(p->out,
			      "\tCHECK(cudaStreamCreateWithFlags(&%s, cudaStreamNonBlocking));",
			      name);
	add_comment(p, "", named ? named->stack : 0, 0);
}

static void add_event(struct printer *p, uint32_t event, const char *name)
{
	const uint64_t *flags = sc_u64_map_find(&p->program.slice->event_flags, event);
	const struct sc_names *names = p->program.words->report->names;

	sc_buf_printf(p->out, "\tCHECK(cudaEventCreateWithFlags(&%s, %s));", name,
		      flags && *flags & SC_FLAG_NO_TIMING ? "cudaEventDisableTiming"
							  : "cudaEventDefault");
	add_comment(p, "", sc_names_made_at(names, SC_OP_EVENT_CREATE, event), 0);
}

/* Of a host node, that of what its function does. */
static unsigned side_of(const struct sc_slice *s, const struct sc_slice_step *node)
{
	for (size_t i = 0; i < s->steps.count && !node->side; i++)
		if (s->steps.items[i].by == (size_t)(node - s->steps.items) + 1)
			return s->steps.items[i].side;
	return node->side;
}

static void add_node(struct printer *p, const struct sc_slice_step *step, const char *after)
{
	unsigned side = side_of(p->program.slice, step);
	const char *name = side == 1 ? "first" : "then";

	sc_buf_add_char(p->out, '\t');
	sc_statement_add_node(&p->program, p->out, step, name, after);
	add_comment(p, side == 1 ? "first: " : "then: ", step->op.stack, step->place);
}

static void add_graph(struct printer *p, uint32_t graph, const char *name)
{
	const struct sc_slice *s = p->program.slice;

	sc_buf_printf(p->out, "\tCHECK(cudaGraphCreate(&%s_nodes, 0));\n", name);
	for (size_t i = 0; i < s->steps.count; i++) {
		const struct sc_slice_step *step = &s->steps.items[i];

		if (!(step->op.flags & SC_FLAG_NODE) || step->op.peer != graph)
			continue;
		if (p->fix == SC_MEND_EDGE && side_of(s, step) == 2) {
			begin_guard(p, 1);
			add_node(p, step, "first");
			end_guard(p);
			begin_guard(p, 0);
		}
		add_node(p, step, NULL);
		if (p->fix == SC_MEND_EDGE && side_of(s, step) == 2)
			end_guard(p);
	}
	sc_buf_printf(p->out, "\tCHECK(cudaGraphInstantiate(&%s, %s_nodes, 0));", name, name);
	add_comment(p, "",
		    sc_names_made_at(p->program.words->report->names, SC_OP_INSTANTIATE, graph), 0);
}

static void add_made(struct printer *p, uint32_t kind)
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

static void declare_graphs(struct printer *p)
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
static void name_all(struct printer *p)
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

static void add_setup(struct printer *p)
{
	p->out = &p->setup;
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
}

/* ---- the file ---- */

#define KERNEL(name, what)                                       \
	"/* Stands for a kernel that " what " these bytes. */\n" \
	"__global__ void " name "(char *at, size_t bytes)\n{\n"
#define LOOP(statement) \
	"\tfor (size_t i = threadIdx.x; i < bytes; i += blockDim.x)\n\t\t" statement "\n}\n\n"
#define READ "asm volatile(\"{ .reg .u16 byte; ld.u8 byte, [%0]; }\" ::\"l\"(at + i));"

static const struct helper {
	enum sc_statement_helper helper;
	const char *text;
	const char *loop; /* of a kernel */
} helpers[] = {
	{.helper = SC_HELPER_SINK, .text = "static volatile char sink;\n\n"},
	{.helper = SC_HELPER_EARLY,
	 .text = "/* The next kernel may start. */\n"
		 "#define TRIGGER asm volatile(\"griddepcontrol.launch_dependents;\")\n\n"},
	{.helper = SC_HELPER_WRITE,
	 .text = KERNEL("write_bytes", "writes"),
	 .loop = LOOP("at[i] = 1;")},
	{.helper = SC_HELPER_READ, .text = KERNEL("read_bytes", "reads"), .loop = LOOP(READ)},
	{.helper = SC_HELPER_NODE,
	 .text = "static void add_bytes(cudaGraphNode_t *node, cudaGraph_t graph, const "
		 "cudaGraphNode_t *after, size_t count,\n"
		 "\t\t      void *kernel, char *at, size_t bytes)\n{\n"
		 "\tvoid *arguments[] = {&at, &bytes};\n"
		 "\tcudaKernelNodeParams launch = {};\n\n"
		 "\tlaunch.func = kernel;\n\tlaunch.gridDim = dim3(1);\n\tlaunch.blockDim = "
		 "dim3(256);\n"
		 "\tlaunch.kernelParams = arguments;\n"
		 "\tCHECK(cudaGraphAddKernelNode(node, graph, after, count, &launch));\n}\n\n"},
	{.helper = SC_HELPER_EARLY,
	 .text = "static void launch_early(void (*kernel)(char *, size_t), cudaStream_t stream, "
		 "char *at, "
		 "size_t bytes)\n{\n"
		 "\tcudaLaunchAttribute early = {};\n\tcudaLaunchConfig_t launch = {};\n\n"
		 "\tearly.id = cudaLaunchAttributeProgrammaticStreamSerialization;\n"
		 "#ifndef FIXED\n\tearly.val.programmaticStreamSerializationAllowed = 1;\n#endif\n"
		 "\tlaunch.gridDim = dim3(1);\n\tlaunch.blockDim = dim3(256);\n\tlaunch.stream = "
		 "stream;\n"
		 "\tlaunch.attrs = &early;\n\tlaunch.numAttrs = 1;\n"
		 "\tCHECK(cudaLaunchKernelEx(&launch, kernel, at, bytes));\n}\n\n"},
};

static void add_helpers(struct sc_buf *out, unsigned wanted)
{
	for (size_t i = 0; i < sizeof(helpers) / sizeof(*helpers); i++) {
		if (!(wanted & helpers[i].helper))
			continue;
		sc_buf_add(out, helpers[i].text);
		if (helpers[i].loop && wanted & SC_HELPER_EARLY)
			sc_buf_add(out, "\tTRIGGER;\n");
		if (helpers[i].loop)
			sc_buf_add(out, helpers[i].loop);
	}
}

static void add_heading(struct sc_buf *out, struct printer *p)
{
	const struct sc_finding *f = p->finding;
	const struct sc_rule_row *rule = sc_rule_find(f->rule);

	sc_buf_printf(out, "// SC-%u %s: ", f->rule, rule ? rule->slug : "");
	sc_buf_add(out, rule ? rule->summary : "");
	sc_buf_printf(out, "\n// Finding %u", f->number);
	if (p->program.words->report->trace) {
		sc_buf_add(out, " of ");
		sc_spelling_comment(out, p->program.words->report->trace, COMMENT_MOST);
	}
	sc_buf_add(out,
		   ", as `streamcheck reproduce` wrote it; names and lines are the program's.\n"
		   "//   nvcc -g -lineinfo --cudart shared ");
	sc_buf_add(out, p->program.helpers & SC_HELPER_EARLY ? "-arch=sm_90 " : "");
	sc_buf_add(out, p->program.helpers & SC_HELPER_POOL ? "-I PREFIX/include " : "");
	sc_buf_add(out, "race.cu -o race && streamcheck run -- ./race\n");
	if (f->confidence != SC_PROVEN)
		sc_buf_add(out, "// In the trace this was only possible; here it is certain.\n");
	sc_buf_add(out, p->fix ? "// -DFIXED has the edit that ends it.\n"
			       : "// No edit of order ends it: -DFIXED changes nothing.\n");
}

static void add_file(struct sc_buf *out, struct printer *p)
{
	add_heading(out, p);
	sc_buf_add(out, "#include <cuda_runtime.h>\n#include <stdio.h>\n#include <stdlib.h>\n");
	if (p->program.helpers & SC_HELPER_THREAD)
		sc_buf_add(out, "#include <thread>\n");
	if (p->program.helpers & SC_HELPER_POOL)
		sc_buf_add(out, "#include <streamcheck/streamcheck.h>\n");
	sc_buf_add(out, "\n#define CHECK(call) check(call, __LINE__)\n\n"
			"static void check(cudaError_t error, int line)\n{\n"
			"\tif (error != cudaSuccess)\n"
			"\t\tfprintf(stderr, \"line %d: %s\\n\", line, cudaGetErrorName(error)), "
			"exit(1);\n}\n\n");
	add_helpers(out, p->program.helpers);
	sc_buf_printf(out, "int main()\n{\n%s\n%s\treturn 0;\n}\n", sc_buf_text(&p->setup),
		      sc_buf_text(&p->body));
}

static void want_names(const struct sc_slice *s, const struct sc_report *r)
{
	for (size_t i = 0; i < s->steps.count; i++)
		if (s->steps.items[i].op.stack)
			sc_symbols_want(r->symbols, s->steps.items[i].op.stack);
	for (size_t i = 0; i < s->memory.count; i++)
		if (s->memory.items[i].is_used && s->memory.items[i].stack)
			sc_symbols_want(r->symbols, s->memory.items[i].stack);
}

/* A host thread of the program that is the first one here. */
static uint32_t main_thread_of(const struct sc_slice *s)
{
	uint32_t least = UINT32_MAX;

	for (size_t i = 0; i < s->steps.count; i++)
		if (!s->steps.items[i].op.callback && s->steps.items[i].op.thread < least)
			least = s->steps.items[i].op.thread;
	return least;
}

bool sc_reproduction_print(struct sc_buf *out, struct sc_buf *why, const struct sc_slice *slice,
			   struct sc_words *words, const struct sc_finding *f,
			   const struct sc_edit *edit)
{
	struct printer p = {.program = {.slice = slice, .words = words}, .finding = f};

	if (slice->reason) {
		sc_buf_add(why, slice->reason);
		return 0;
	}
	want_names(slice, words->report);
	p.first = sc_slice_call(slice, 1);
	p.second = sc_slice_call(slice, 2);
	p.fix = sc_mend_of(slice, edit);
	p.moved = sc_mend_record(slice);
	p.main_thread = main_thread_of(slice);
	add_body(&p);
	add_setup(&p);
	if (p.program.kind)
		sc_buf_printf(why, "an operation of kind %s", sc_op_kind_text(p.program.kind));
	else if (p.program.reason)
		sc_buf_add(why, p.program.reason);
	else
		add_file(out, &p);
	sc_buf_fini(&p.body);
	sc_buf_fini(&p.setup);
	sc_vector_fini(&p.program.names);
	return !why->bytes;
}
