/* Reproduction: statements first, then what they turned out to need, printed in the other order. */
#include "extensions/repair/reproducer/reproduction.h"

#include <stdlib.h>
#include <string.h>
#include "extensions/repair/reproducer/printer.h"

static void add_heading(struct sc_buf *out, struct sc_printer *p)
{
	const struct sc_finding *f = p->finding;
	const struct sc_rule_row *rule = sc_rule_find(f->rule);

	sc_buf_printf(out, "// SC-%u %s: ", f->rule, rule ? rule->slug : "");
	sc_buf_add(out, rule ? rule->summary : "");
	sc_buf_printf(out, "\n// Finding %u", f->number);
	if (p->program.words->report->trace) {
		sc_buf_add(out, " of ");
		sc_spelling_comment(out, p->program.words->report->trace, SC_PRINTER_COMMENT_MOST);
	}
	sc_buf_add(out,
		   ", as `streamcheck reproduce` wrote it; names and lines are the program's.\n"
		   "//   nvcc -g -lineinfo --cudart shared ");
	sc_buf_add(out, p->program.helpers & SC_HELPER_TRIGGER ? "-arch=sm_90 " : "");
	sc_buf_add(out, p->program.helpers & SC_HELPER_POOL ? "-I PREFIX/include " : "");
	sc_buf_add(out, "race.cu -o race && streamcheck run -- ./race\n");
	if (f->confidence != SC_PROVEN)
		sc_buf_add(out, "// In the trace this was only possible; here it is certain.\n");
	sc_buf_add(out, p->fix ? "// -DFIXED has the edit that ends it.\n"
			       : "// No edit of order ends it: -DFIXED changes nothing.\n");
}

static void add_file(struct sc_buf *out, struct sc_printer *p)
{
	add_heading(out, p);
	sc_buf_add(out, "#include <cuda_runtime.h>\n#include <stdio.h>\n#include <stdlib.h>\n");
	if (p->program.helpers & SC_HELPER_FILE)
		sc_buf_add(out, "#include <fcntl.h>\n#include <unistd.h>\n");
	if (p->program.helpers & SC_HELPER_THREAD)
		sc_buf_add(out, "#include <thread>\n");
	if (p->program.helpers & SC_HELPER_POOL)
		sc_buf_add(out, "#include <streamcheck/streamcheck.h>\n");
	sc_buf_add(out, "\n#define CHECK(call) check(call, __LINE__)\n\n"
			"static void check(cudaError_t error, int line)\n{\n"
			"\tif (error != cudaSuccess)\n"
			"\t\tfprintf(stderr, \"line %d: %s\\n\", line, cudaGetErrorName(error)), "
			"exit(1);\n}\n\n");
	sc_printer_add_helpers(out, p->program.helpers);
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

/* A device has one context here. */
static bool has_siblings(const struct sc_slice *s, const struct sc_names *names)
{
	for (size_t i = 0; i < s->steps.count; i++) {
		const struct sc_op *op = &s->steps.items[i].op;
		const struct sc_named *stream = sc_names_stream(names, op->stream);
		const struct sc_named *context =
			sc_names_context(names, stream ? stream->context : op->context);

		if (context && sc_names_has_sibling(names, context))
			return 1;
	}
	return 0;
}

/* No other thread can name a per-thread default stream. */
static bool is_of_own_thread(const struct sc_printer *p)
{
	const struct sc_named *stream =
		sc_names_stream(p->program.words->report->names, p->first->op.stream);

	return stream && stream->flags & SC_FLAG_PER_THREAD &&
	       p->first->op.thread != p->second->op.thread;
}

bool sc_reproduction_print(struct sc_buf *out, struct sc_buf *why, const struct sc_slice *slice,
			   struct sc_words *words, const struct sc_finding *f,
			   const struct sc_edit *edit)
{
	struct sc_printer p = {.program = {.slice = slice, .words = words}, .finding = f};

	if (slice->reason || has_siblings(slice, words->report->names)) {
		sc_buf_add(why, slice->reason ? slice->reason : "several contexts of one device");
		return 0;
	}
	want_names(slice, words->report);
	p.first = sc_slice_call(slice, 1);
	p.second = sc_slice_call(slice, 2);
	if (p.first->place > p.second->place) {
		p.first = p.second;
		p.second = sc_slice_call(slice, 1);
	}
	p.fix = sc_mend_of(slice, f, edit);
	if (p.fix == SC_MEND_SYNC && is_of_own_thread(&p))
		p.fix = SC_MEND_AFTER;
	p.moved = sc_mend_record(slice);
	p.main_thread = main_thread_of(slice);
	sc_printer_add_body(&p);
	sc_printer_add_setup(&p);
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
