/* Statements: a table with a function for each kind of step. */
#include "extensions/repair/reproducer/statement.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "analyzer/symbol/symbol.h"
#include "reports/sources/variable.h"

/* ---- names ---- */

static bool is_name_free(const struct sc_statements *p, const char *text)
{
	for (size_t i = 0; i < p->names.count; i++)
		if (!strcmp(p->names.items[i].text, text))
			return 0;
	return 1;
}

static const char *noun_of(uint32_t kind)
{
	return kind == SC_OP_STREAM_CREATE  ? "stream"
	       : kind == SC_OP_EVENT_CREATE ? "event"
	       : kind == SC_OP_INSTANTIATE  ? "graph"
					    : "memory";
}

static const char *variable_of(const struct sc_statements *p, uint32_t kind, uint64_t id)
{
	const struct sc_report *r = p->words->report;
	const struct sc_named *stream = sc_names_stream(r->names, (uint32_t)id);
	uint32_t stack;

	if (kind == SC_OP_STREAM_CREATE)
		stack = stream ? stream->stack : 0;
	else if (kind == SC_OP_ALLOC)
		stack = p->slice->memory.items[id].stack;
	else
		stack = sc_names_made_at(r->names, kind, (uint32_t)id);
	if (kind == SC_OP_ALLOC)
		kind = p->slice->memory.items[id].kind;
	return stack && r->variables ? sc_variable_of(r, kind, stack) : NULL;
}

const char *sc_statement_name(struct sc_statements *p, uint32_t kind, uint64_t id)
{
	struct sc_statement_name name = {.kind = kind, .id = id};
	const char *variable;

	for (size_t i = 0; i < p->names.count; i++)
		if (p->names.items[i].kind == kind && p->names.items[i].id == id)
			return p->names.items[i].text;
	variable = variable_of(p, kind, id);
	if (!variable || !sc_spelling_name(name.text, variable) || !is_name_free(p, name.text))
		snprintf(name.text, sizeof(name.text), "%s%" PRIu64, noun_of(kind),
			 id + (kind == SC_OP_ALLOC));
	sc_vector_push(&p->names, name);
	return sc_vector_last(&p->names)->text;
}

bool sc_statement_has_stream(const struct sc_statements *p, uint32_t stream)
{
	const struct sc_named *named = sc_names_stream(p->words->report->names, stream);

	return stream && !(named && named->flags & (SC_FLAG_LEGACY | SC_FLAG_PER_THREAD));
}

void sc_statement_add_stream(struct sc_statements *p, struct sc_buf *out, uint32_t stream)
{
	const struct sc_named *named = sc_names_stream(p->words->report->names, stream);

	if (sc_statement_has_stream(p, stream))
		sc_buf_add(out, sc_statement_name(p, SC_OP_STREAM_CREATE, stream));
	else
		sc_buf_add(out, named && named->flags & SC_FLAG_PER_THREAD ? "cudaStreamPerThread"
									   : "cudaStreamLegacy");
}

unsigned sc_statement_device(const struct sc_statements *p, uint32_t context)
{
	const struct sc_named *named = sc_names_context(p->words->report->names, context);

	return named ? named->device : 0;
}

/* ---- operands ---- */

static const struct sc_slice_memory *memory_of(const struct sc_statements *p,
					       const struct sc_slice_range *range)
{
	return range->memory ? &p->slice->memory.items[range->memory - 1] : NULL;
}

/* "data", "data + 64". */
static void add_address(struct sc_statements *p, struct sc_buf *out,
			const struct sc_slice_range *range)
{
	const struct sc_slice_memory *m = memory_of(p, range);

	if (!m) {
		p->reason = "an operand that is not memory, or is not known";
		return;
	}
	if (m->memory == SC_MEM_ARRAY || m->memory == SC_MEM_UNKNOWN)
		p->reason = m->memory == SC_MEM_ARRAY ? "a CUDA array" : "imported memory";
	sc_buf_add(out, sc_statement_name(p, SC_OP_ALLOC, range->memory - 1));
	if (range->address != m->start)
		sc_buf_printf(out, " + %" PRIu64, range->address - m->start);
}

static const char *direction_of(const struct sc_statements *p, const struct sc_slice_step *step)
{
	const struct sc_slice_memory *dst = memory_of(p, &step->dst),
				     *src = memory_of(p, &step->src);
	bool to_host = dst && sc_memory_is_host(dst->memory);
	bool from_host = src && sc_memory_is_host(src->memory);

	if (!dst || !src || dst->memory == SC_MEM_MANAGED || src->memory == SC_MEM_MANAGED)
		return "cudaMemcpyDefault";
	if (to_host)
		return from_host ? "cudaMemcpyHostToHost" : "cudaMemcpyDeviceToHost";
	return from_host ? "cudaMemcpyHostToDevice" : "cudaMemcpyDeviceToDevice";
}

/* ---- work ---- */

static void begin_call(struct sc_buf *out, const char *function, bool is_sync)
{
	sc_buf_printf(out, "CHECK(%s%s(", function, is_sync ? "" : "Async");
}

static void end_call(struct sc_statements *p, struct sc_buf *out, const struct sc_op *op,
		     bool is_sync)
{
	if (!is_sync) {
		sc_buf_add(out, ", ");
		sc_statement_add_stream(p, out, op->stream);
	}
	sc_buf_add(out, "));");
}

static void print_copy(struct sc_statements *p, struct sc_buf *out,
		       const struct sc_slice_step *step)
{
	bool is_sync = (step->op.flags & SC_FLAG_SYNC) != 0;
	bool is_flat = step->dst.rows <= 1 && step->src.rows <= 1;

	if (step->op.flags & SC_FLAG_PER_THREAD_API && is_sync)
		p->reason = "a synchronous copy in a per-thread default stream";
	begin_call(out, is_flat ? "cudaMemcpy" : "cudaMemcpy2D", is_sync);
	add_address(p, out, &step->dst);
	if (!is_flat)
		sc_buf_printf(out, ", %" PRIu64,
			      step->dst.rows > 1 ? step->dst.pitch : step->src.width);
	sc_buf_add(out, ", ");
	add_address(p, out, &step->src);
	if (!is_flat)
		sc_buf_printf(out, ", %" PRIu64,
			      step->src.rows > 1 ? step->src.pitch : step->dst.width);
	if (is_flat)
		sc_buf_printf(out, ", %" PRIu64 ", %s", step->dst.width, direction_of(p, step));
	else
		sc_buf_printf(out, ", %" PRIu64 ", %" PRIu64 ", %s",
			      step->dst.rows > 1 ? step->dst.width : step->src.width,
			      step->dst.rows > 1 ? step->dst.rows : step->src.rows,
			      direction_of(p, step));
	end_call(p, out, &step->op, is_sync);
}

static void print_set(struct sc_statements *p, struct sc_buf *out, const struct sc_slice_step *step)
{
	bool is_sync = (step->op.flags & SC_FLAG_SYNC) != 0;
	unsigned value = (unsigned)step->op.value & 0xff;

	begin_call(out, step->dst.rows > 1 ? "cudaMemset2D" : "cudaMemset", is_sync);
	add_address(p, out, &step->dst);
	if (step->dst.rows > 1)
		sc_buf_printf(out, ", %" PRIu64 ", %u, %" PRIu64 ", %" PRIu64, step->dst.pitch,
			      value, step->dst.width, step->dst.rows);
	else
		sc_buf_printf(out, ", %u, %" PRIu64, value, step->dst.width);
	end_call(p, out, &step->op, is_sync);
}

static const char *kernel_of(struct sc_statements *p, const struct sc_slice_step *step)
{
	p->helpers |= step->writes ? SC_HELPER_WRITE : SC_HELPER_READ;
	return step->writes ? "write_bytes" : "read_bytes";
}

static void print_kernel(struct sc_statements *p, struct sc_buf *out,
			 const struct sc_slice_step *step)
{
	bool is_early = (step->op.flags & SC_FLAG_PROGRAMMATIC) != 0;

	if (!step->dst.memory && !step->dst.width) {
		p->helpers |= SC_HELPER_IDLE;
		sc_buf_add(out, "idle<<<1, 1, 0, ");
		sc_statement_add_stream(p, out, step->op.stream);
		sc_buf_add(out, ">>>();");
		return;
	}
	sc_buf_printf(out, is_early ? "launch_early(%s, " : "%s<<<1, 256, 0, ", kernel_of(p, step));
	sc_statement_add_stream(p, out, step->op.stream);
	sc_buf_add(out, is_early ? ", " : ">>>(");
	p->helpers |= is_early ? SC_HELPER_EARLY | SC_HELPER_TRIGGER : 0;
	add_address(p, out, &step->dst);
	sc_buf_printf(out, ", %" PRIu64 ");", step->dst.width);
}

static void add_own_bytes(struct sc_statements *p, struct sc_buf *out,
			  const struct sc_slice_step *step)
{
	struct sc_slice_step inner = *step;

	if (!step->dst.memory && !step->src.memory)
		return;
	inner.op.kind = step->dst.memory ? SC_OP_HOST_WRITE : SC_OP_HOST_READ;
	sc_statement_add(p, out, &inner);
	sc_buf_add_char(out, ' ');
}

/* A function with the steps that it makes, and with the bytes that it was given. */
static void add_function(struct sc_statements *p, struct sc_buf *out,
			 const struct sc_slice_step *step, const char *parameters)
{
	size_t index = (size_t)(step - p->slice->steps.items) + 1;
	bool is_empty = 1;

	sc_buf_printf(out, "[](%s) { ", parameters);
	for (size_t i = 0; i < p->slice->steps.count; i++)
		if (p->slice->steps.items[i].by == index) {
			is_empty = 0;
			sc_statement_add(p, out, &p->slice->steps.items[i]);
			sc_buf_add_char(out, ' ');
		}
	if (is_empty)
		add_own_bytes(p, out, step);
	sc_buf_add(out, "}, ");
}

/* What a host function gets: the memory that it uses, or NULL. */
static void add_argument(struct sc_statements *p, struct sc_buf *out,
			 const struct sc_slice_step *step)
{
	size_t index = (size_t)(step - p->slice->steps.items) + 1;
	size_t memory = step->dst.memory ? step->dst.memory : step->src.memory;

	for (size_t i = 0; i < p->slice->steps.count && !memory; i++)
		if (p->slice->steps.items[i].by == index)
			memory = p->slice->steps.items[i].dst.memory
					 ? p->slice->steps.items[i].dst.memory
					 : p->slice->steps.items[i].src.memory;
	sc_buf_add(out, memory ? sc_statement_name(p, SC_OP_ALLOC, memory - 1) : "NULL");
}

static void print_host_func(struct sc_statements *p, struct sc_buf *out,
			    const struct sc_slice_step *step)
{
	bool is_callback = (step->op.flags & SC_FLAG_STREAM_CALLBACK) != 0;

	sc_buf_add(out, is_callback ? "CHECK(cudaStreamAddCallback(" : "CHECK(cudaLaunchHostFunc(");
	sc_statement_add_stream(p, out, step->op.stream);
	sc_buf_add(out, ", ");
	add_function(p, out, step, is_callback ? "cudaStream_t, cudaError_t, void *" : "void *");
	add_argument(p, out, step);
	sc_buf_add(out, is_callback ? ", 0));" : "));");
}

static void print_graph_launch(struct sc_statements *p, struct sc_buf *out,
			       const struct sc_slice_step *step)
{
	sc_buf_printf(out, "CHECK(cudaGraphLaunch(%s, ",
		      sc_statement_name(p, SC_OP_INSTANTIATE, step->op.object));
	sc_statement_add_stream(p, out, step->op.stream);
	sc_buf_add(out, "));");
}

static void print_prefetch(struct sc_statements *p, struct sc_buf *out,
			   const struct sc_slice_step *step)
{
	sc_buf_add(out, "CHECK(cudaMemPrefetchAsync(");
	add_address(p, out, &step->dst);
	sc_buf_printf(out, ", %" PRIu64 ", {cudaMemLocationTypeDevice, 0}, 0", step->dst.width);
	end_call(p, out, &step->op, 0);
}

static void print_discard(struct sc_statements *p, struct sc_buf *out,
			  const struct sc_slice_step *step)
{
	sc_buf_add(out, "{ void *at = ");
	add_address(p, out, &step->dst);
	sc_buf_printf(out,
		      "; size_t bytes = %" PRIu64
		      "; CHECK(cudaMemDiscardBatchAsync(&at, &bytes, 1, 0",
		      step->dst.width);
	end_call(p, out, &step->op, 0);
	sc_buf_add(out, " }");
}

static void print_attach(struct sc_statements *p, struct sc_buf *out,
			 const struct sc_slice_step *step)
{
	sc_buf_add(out, "CHECK(cudaStreamAttachMemAsync(");
	sc_statement_add_stream(p, out, step->op.stream);
	sc_buf_add(out, ", ");
	add_address(p, out, &step->dst);
	sc_buf_printf(out, ", 0, %u));", (unsigned)step->op.value & 7);
}

/* ---- the host ---- */

/* Each byte of a range, as `data[i]` or `data[64 + i]`. */
static void add_bytes(struct sc_statements *p, struct sc_buf *out,
		      const struct sc_slice_range *range, const char *before, const char *after)
{
	const struct sc_slice_memory *m = memory_of(p, range);
	struct sc_buf unused = {0};

	add_address(p, &unused, range);
	sc_buf_fini(&unused);
	if (!m)
		return;
	sc_buf_printf(out, "for (size_t i = 0; i < %" PRIu64 "; i++) %s%s[", range->width, before,
		      sc_statement_name(p, SC_OP_ALLOC, range->memory - 1));
	if (range->address != m->start)
		sc_buf_printf(out, "%" PRIu64 " + ", range->address - m->start);
	sc_buf_printf(out, "i]%s;", after);
}

/* Where an asynchronous copy is made before its call returns, only the accesses of system calls are
 * seen. */
static bool is_by_system(const struct sc_statements *p, const struct sc_slice_range *range)
{
	const struct sc_slice_memory *m = memory_of(p, range);

	return m && m->memory == SC_MEM_PAGEABLE;
}

static void add_system(struct sc_statements *p, struct sc_buf *out,
		       const struct sc_slice_range *range, const char *call)
{
	p->helpers |= SC_HELPER_FILE;
	sc_buf_printf(out, "%s, ", call);
	add_address(p, out, range);
	sc_buf_printf(out, ", %" PRIu64 ") < 0) exit(1);", range->width);
}

static void print_host_read(struct sc_statements *p, struct sc_buf *out,
			    const struct sc_slice_step *step)
{
	if (is_by_system(p, &step->src)) {
		add_system(p, out, &step->src, "if (write(open(\"/dev/null\", O_WRONLY)");
		return;
	}
	p->helpers |= SC_HELPER_SINK;
	add_bytes(p, out, &step->src, "sink = ", "");
}

static void print_host_write(struct sc_statements *p, struct sc_buf *out,
			     const struct sc_slice_step *step)
{
	if (is_by_system(p, &step->dst))
		add_system(p, out, &step->dst, "if (read(open(\"/dev/zero\", O_RDONLY)");
	else
		add_bytes(p, out, &step->dst, "", " = 1");
}

static void print_with_memory(struct sc_statements *p, struct sc_buf *out,
			      const struct sc_slice_step *step, const char *call)
{
	sc_buf_printf(out, "%s(", call);
	add_address(p, out, &step->dst);
	sc_buf_add(out, *call == 'C' ? "));" : ");");
}

/* All of the memory, however much of it the call ended. */
static void print_host_free(struct sc_statements *p, struct sc_buf *out,
			    const struct sc_slice_step *step)
{
	struct sc_slice_step whole = *step;
	const struct sc_slice_memory *m = memory_of(p, &step->dst);

	whole.dst.address = m ? m->start : 0;
	print_with_memory(p, out, &whole, "free");
}

static void print_free(struct sc_statements *p, struct sc_buf *out,
		       const struct sc_slice_step *step)
{
	const struct sc_slice_memory *m = memory_of(p, &step->dst);

	print_with_memory(p, out, step,
			  m && m->memory == SC_MEM_PINNED ? "CHECK(cudaFreeHost"
							  : "CHECK(cudaFree");
}

static void print_unpin(struct sc_statements *p, struct sc_buf *out,
			const struct sc_slice_step *step)
{
	print_with_memory(p, out, step, "CHECK(cudaHostUnregister");
}

static void print_free_async(struct sc_statements *p, struct sc_buf *out,
			     const struct sc_slice_step *step)
{
	sc_buf_add(out, "CHECK(cudaFreeAsync(");
	add_address(p, out, &step->dst);
	end_call(p, out, &step->op, 0);
}

static void print_alloc_async(struct sc_statements *p, struct sc_buf *out,
			      const struct sc_slice_step *step)
{
	sc_buf_add(out, "CHECK(cudaMallocAsync(&");
	add_address(p, out, &step->dst);
	sc_buf_printf(out, ", %" PRIu64, step->dst.width);
	end_call(p, out, &step->op, 0);
}

/* ---- pools of the program ---- */

static void print_pool(struct sc_statements *p, struct sc_buf *out,
		       const struct sc_slice_step *step)
{
	bool is_begin = step->op.kind == SC_OP_PIECE;

	p->helpers |= SC_HELPER_POOL;
	if (step->op.value)
		p->reason = "a pool that hands memory out in another order";
	sc_buf_printf(out, "streamcheck_pool_%s(",
		      is_begin				 ? "allocate"
		      : step->op.kind == SC_OP_PIECE_USE ? "use"
							 : "free");
	add_address(p, out, &step->dst);
	if (is_begin)
		sc_buf_printf(out, ", %" PRIu64, step->dst.width);
	sc_buf_add(out, ", ");
	if (step->op.stream)
		sc_statement_add_stream(p, out, step->op.stream);
	else
		sc_buf_add(out, "NULL");
	sc_buf_add(out, ");");
}

/* ---- order ---- */

static void print_event_record(struct sc_statements *p, struct sc_buf *out,
			       const struct sc_slice_step *step)
{
	sc_buf_printf(out, "CHECK(cudaEventRecord(%s, ",
		      sc_statement_name(p, SC_OP_EVENT_CREATE, step->op.object));
	sc_statement_add_stream(p, out, step->op.stream);
	sc_buf_add(out, "));");
}

static void print_event_wait(struct sc_statements *p, struct sc_buf *out,
			     const struct sc_slice_step *step)
{
	sc_buf_add(out, "CHECK(cudaStreamWaitEvent(");
	sc_statement_add_stream(p, out, step->op.stream);
	sc_buf_printf(out, ", %s, 0));", sc_statement_name(p, SC_OP_EVENT_CREATE, step->op.object));
}

static void print_event_sync(struct sc_statements *p, struct sc_buf *out,
			     const struct sc_slice_step *step)
{
	sc_buf_printf(out, "CHECK(cudaEventSynchronize(%s));",
		      sc_statement_name(p, SC_OP_EVENT_CREATE, step->op.object));
}

static void print_stream_sync(struct sc_statements *p, struct sc_buf *out,
			      const struct sc_slice_step *step)
{
	sc_buf_add(out, "CHECK(cudaStreamSynchronize(");
	sc_statement_add_stream(p, out, step->op.stream);
	sc_buf_add(out, "));");
}

static void print_context_sync(struct sc_statements *p, struct sc_buf *out,
			       const struct sc_slice_step *step)
{
	(void)p, (void)step;
	sc_buf_add(out, "CHECK(cudaDeviceSynchronize());");
}

static void print_context_destroy(struct sc_statements *p, struct sc_buf *out,
				  const struct sc_slice_step *step)
{
	(void)p, (void)step;
	sc_buf_add(out, "CHECK(cudaDeviceReset());");
}

static void print_exit(struct sc_statements *p, struct sc_buf *out,
		       const struct sc_slice_step *step)
{
	if (step->op.object)
		p->reason = "a signal that ends the program";
	sc_buf_printf(out, "exit(%u);", (unsigned)step->op.value & 0xff);
}

static void print_event_destroy(struct sc_statements *p, struct sc_buf *out,
				const struct sc_slice_step *step)
{
	sc_buf_printf(out, "CHECK(cudaEventDestroy(%s));",
		      sc_statement_name(p, SC_OP_EVENT_CREATE, step->op.object));
}

static void print_stream_destroy(struct sc_statements *p, struct sc_buf *out,
				 const struct sc_slice_step *step)
{
	sc_buf_add(out, "CHECK(cudaStreamDestroy(");
	sc_statement_add_stream(p, out, step->op.stream);
	sc_buf_add(out, "));");
}

static void print_graph_destroy(struct sc_statements *p, struct sc_buf *out,
				const struct sc_slice_step *step)
{
	sc_buf_printf(out, "CHECK(cudaGraphExecDestroy(%s));",
		      sc_statement_name(p, SC_OP_INSTANTIATE, step->op.object));
}

/* ---- all of them ---- */

static void (*const printers[SC_OP_KINDS])(struct sc_statements *p, struct sc_buf *out,
					   const struct sc_slice_step *step) = {
#define SC_STEP(kind, print) [SC_OP_##kind] = (print),
#include "extensions/repair/reproducer/step.def"
#undef SC_STEP
};

void sc_statement_add(struct sc_statements *p, struct sc_buf *out, const struct sc_slice_step *step)
{
	if (step->op.kind < SC_OP_KINDS && printers[step->op.kind])
		printers[step->op.kind](p, out, step);
	else
		p->kind = step->op.kind;
}

/* ---- nodes of graphs ---- */

static void add_call_of_node(struct sc_buf *out, const char *function, const char *name,
			     const char *graph, const char *after)
{
	sc_buf_printf(out, "%s(&%s, %s_nodes, %s%s, %d, ", function, name, graph, after ? "&" : "",
		      after ? after : "NULL", after != NULL);
}

static void add_fill_node(struct sc_statements *p, struct sc_buf *out,
			  const struct sc_slice_step *step, const char *name, const char *after)
{
	sc_buf_add(out, "{ cudaMemsetParams fill = {}; fill.dst = ");
	add_address(p, out, &step->dst);
	sc_buf_printf(out,
		      "; fill.value = %u; fill.elementSize = 1; fill.width = %" PRIu64
		      "; fill.height = %" PRIu64 "; fill.pitch = %" PRIu64 "; CHECK(",
		      (unsigned)step->op.value & 0xff, step->dst.width, step->dst.rows,
		      step->dst.pitch);
	add_call_of_node(out, "cudaGraphAddMemsetNode", name,
			 sc_statement_name(p, SC_OP_INSTANTIATE, step->op.peer), after);
	sc_buf_add(out, "&fill)); }");
}

static void add_host_node(struct sc_statements *p, struct sc_buf *out,
			  const struct sc_slice_step *step, const char *name, const char *after)
{
	sc_buf_add(out, "{ cudaHostNodeParams host = {");
	add_function(p, out, step, "void *");
	add_argument(p, out, step);
	sc_buf_add(out, "}; CHECK(");
	add_call_of_node(out, "cudaGraphAddHostNode", name,
			 sc_statement_name(p, SC_OP_INSTANTIATE, step->op.peer), after);
	sc_buf_add(out, "&host)); }");
}

void sc_statement_add_node(struct sc_statements *p, struct sc_buf *out,
			   const struct sc_slice_step *step, const char *name, const char *after)
{
	const char *graph = sc_statement_name(p, SC_OP_INSTANTIATE, step->op.peer);

	if (step->op.kind == SC_OP_COPY && step->dst.rows <= 1 && step->src.rows <= 1) {
		sc_buf_add(out, "CHECK(");
		add_call_of_node(out, "cudaGraphAddMemcpyNode1D", name, graph, after);
		add_address(p, out, &step->dst);
		sc_buf_add(out, ", ");
		add_address(p, out, &step->src);
		sc_buf_printf(out, ", %" PRIu64 ", %s));", step->dst.width, direction_of(p, step));
	} else if (step->op.kind == SC_OP_SET) {
		add_fill_node(p, out, step, name, after);
	} else if (step->op.kind == SC_OP_HOST_FUNC) {
		add_host_node(p, out, step, name, after);
	} else if (step->op.kind == SC_OP_KERNEL) {
		p->helpers |= SC_HELPER_NODE;
		add_call_of_node(out, "add_bytes", name, graph, after);
		sc_buf_printf(out, "(void *)%s, ", kernel_of(p, step));
		add_address(p, out, &step->dst);
		sc_buf_printf(out, ", %" PRIu64 ");", step->dst.width);
	} else {
		p->reason =
			"a node of a graph that is no kernel, linear copy, fill or host function";
	}
}
